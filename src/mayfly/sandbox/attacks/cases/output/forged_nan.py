"""Read the harness's nonce from its frame, and answer in its name with what is no JSON.

origin: frame walking, sys._getframe
why: whoever writes with the harness's own nonce is believed to be the harness
control: succeeds
harm: result
expect: error died
"""


def attack(target):
    forge(b"NaN")
    os._exit(0)
