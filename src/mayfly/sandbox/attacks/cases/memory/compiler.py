"""Make the compiler build an enormous tree from a short program.

origin: CPython's documentation warns of it for ast.parse and compile
why: the compiler's memory is not the program's
control: succeeds
timeout: 15
expect: ok memory error died
"""

import resource


def attack(target):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        compile("x = [" + "a.b," * 500_000 + "]", "<bomb>", "exec")
    except (MemoryError, RecursionError, SyntaxError) as error:
        return blocked("compile", error)
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    return escaped(f"the compiler used {used} MiB") if used > 560 else nothing(f"the compiler used {used} MiB, within the limit")
