"""Answer in the harness's name in parts that never end.

origin: CWE-770, with a nonce from the caller's frame
why: each part is small enough, and there is no last one
control: succeeds
harm: floods
timeout: 20
expect: error died
"""


def attack(target):
    part = b"[" + b"1," * 100_000 + b"1]"
    for _ in range(300):
        forge(part, kind=b"P")
    os._exit(0)
