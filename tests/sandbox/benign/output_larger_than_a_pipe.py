"""Print 300 kilobytes, more than a pipe holds."""

ARGUMENT = 6000


def main(argument):
    for number in range(argument):
        print(f"{number:06d} {'abcdefghij' * 4} end")
    return argument
