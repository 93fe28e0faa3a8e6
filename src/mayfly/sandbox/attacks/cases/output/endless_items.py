"""Return a dictionary whose items never end.

origin: subclasses of built-in types override what writers call
why: the writer runs our code, and for as long as we like
control: succeeds
harm: hangs
timeout: 0.7
expect: timeout memory error
"""


class Endless(dict):
    def items(self):
        number = 0
        while True:
            number += 1
            yield str(number), number


def attack(target):
    return Endless(a=1)
