"""There is a value, and it is not one that only stands for a failure."""


def check(input, output):
    return output is not None and not isinstance(output, BaseException)
