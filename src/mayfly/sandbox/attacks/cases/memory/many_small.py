"""Keep making small objects until more than the limit is in use.

origin: plain; the shape of most leaks
why: no single allocation is large enough to be noticed
control: succeeds
timeout: 10
"""


def attack(target):
    kept = []
    try:
        for number in range(700 * 64):
            kept.append(bytearray(16384))
    except MemoryError as error:
        kept.clear()
        return blocked("bytearray", error)
    return escaped(f"{len(kept)} objects are alive")
