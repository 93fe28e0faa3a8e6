"""Unpack seven hundred megabytes from a hundredth of that.

origin: the zip bomb, 42.zip
why: the input passes every size check
control: succeeds
timeout: 10
"""

import gzip


def attack(target):
    packed = gzip.compress(bytes(16 << 20), 1) * 44
    try:
        size = len(gzip.decompress(packed))
    except MemoryError as error:
        return blocked("decompress", error)
    return escaped(f"{len(packed)} bytes became {size}")
