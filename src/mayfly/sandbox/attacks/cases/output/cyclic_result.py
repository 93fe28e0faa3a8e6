"""Return a list that contains itself.

origin: plain
why: a naive writer never comes to its end
control: succeeds
harm: result
expect: error
"""


def attack(target):
    ring = []
    ring.append({"ring": ring})
    return ring
