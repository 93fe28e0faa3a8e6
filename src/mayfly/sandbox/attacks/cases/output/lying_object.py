"""Return an object that claims to be a dictionary.

origin: __class__ properties deceive isinstance
why: code that trusts the claim calls methods of ours
control: succeeds
harm: result
expect: error
"""


class Liar:
    __class__ = dict

    def keys(self):
        raise SystemExit

    def __iter__(self):
        raise KeyboardInterrupt

    def __eq__(self, other):
        return True

    __hash__ = None


def attack(target):
    return Liar()
