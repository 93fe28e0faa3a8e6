"""Close every descriptor and then return as if nothing had happened.

origin: plain
why: a reply that cannot be sent must not be waited for
control: succeeds
harm: dies
expect: died error
timeout: 20
"""


def attack(target):
    os.closerange(0, 1024)
    return nothing("returned with no way to say so")
