"""Print and raise terminal commands: retitle, clear, colour, a clipboard write.

origin: terminal escape injection, CVE-2003-0063 and many since
why: whoever looks at the result runs them
control: succeeds
harm: result
expect: error
"""


def attack(target):
    codes = "\x1b]0;owned\x07\x1b[2J\x1b]52;c;b3duZWQ=\x07\r\x9b31m"
    print(codes)
    raise RuntimeError(codes)
