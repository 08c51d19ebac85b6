.PHONY: demo test test-rigs install
demo:
	./demo.sh
test:
	./test.sh
test-rigs:
	nice -n 5 rigs/run.py
install:
	./install.sh
