"""struct, array, memoryview, int.from_bytes and bytearray."""

import array
import struct

ARGUMENT = [[1, 2.5, "ab"], [65535, -1.0, "z"]]


def main(argument):
    packed = b"".join(struct.pack("<Hd4s", number, value, text.encode()) for number, value, text in argument)
    rows = [(n, v, t.rstrip(b"\0").decode()) for n, v, t in struct.iter_unpack("<Hd4s", packed)]
    numbers = array.array("i", [1, 2, 3])
    numbers.extend([4])
    buffer = bytearray(b"hello world")
    view = memoryview(buffer)
    view[0:5] = b"HELLO"
    return {
        "size": struct.calcsize("<Hd4s"),
        "rows": rows,
        "array": numbers.tolist(),
        "buffer": buffer.decode(),
        "big": int.from_bytes(b"\x01\x02\x03", "big"),
        "little": (1000).to_bytes(3, "little").hex(),
        "signed": int.from_bytes(b"\xff\xfe", "big", signed=True),
        "cast": list(memoryview(b"\x01\x00\x02\x00").cast("H")),
        "bits": f"{0b1011:08b}",
        "count": (255).bit_count(),
    }
