"""Answer in the harness's name with a value that no reader survives.

origin: CWE-674, with a nonce from the caller's frame
why: whoever writes with the harness's own nonce is believed to be the harness
control: succeeds
harm: result
expect: error died
"""


def attack(target):
    forge(b'{"a":' * 50_000 + b"1" + b"}" * 50_000)
    os._exit(0)
