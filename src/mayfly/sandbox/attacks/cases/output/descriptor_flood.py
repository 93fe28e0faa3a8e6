"""Write without end to the descriptors below the interpreter.

origin: plain
why: replacing sys.stdout does not close descriptor 1
control: succeeds
harm: floods
timeout: 2
expect: error timeout died ok
"""


def attack(target):
    block = b"y" * 65536
    written, error = 0, None
    while written < 32 << 20:
        for number in (1, 2):
            try:
                written += os.write(number, block)
            except OSError as problem:
                error = problem
        if error is not None:
            return blocked("write", error)
    return escaped(f"{written} bytes were written")
