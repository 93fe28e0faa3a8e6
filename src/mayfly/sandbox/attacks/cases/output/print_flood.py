"""Print without end.

origin: plain
why: whoever collects the output runs out of memory or disk
control: succeeds
harm: floods
timeout: 2
expect: error timeout died
"""


def attack(target):
    line = "x" * 8191
    for _ in range(4_000):
        print(line)
