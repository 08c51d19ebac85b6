.PHONY: demo test
demo:
	./demo.sh
test:
	./test.sh
