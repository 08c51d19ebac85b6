.PHONY: demo test test-rigs
demo:
	./demo.sh
test:
	./test.sh
test-rigs:
	nice -n 5 rigs/run.py
