"""What is well with this machine and what needs doing: the checks behind ``companion doctor``, and its bundle."""
