"""zlib, gzip, bz2 and lzma in memory."""

import bz2
import gzip
import io
import lzma
import zlib

ARGUMENT = "abcabcabc" * 500


def main(argument):
    data = argument.encode()
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as file:
        file.write(data)
    unpacker = zlib.decompressobj()
    packed = zlib.compress(data, 9)
    streamed = b"".join(unpacker.decompress(packed[i : i + 10]) for i in range(0, len(packed), 10))
    return {
        "zlib": streamed == data,
        "gzip": gzip.decompress(buffer.getvalue()) == data,
        "bz2": bz2.decompress(bz2.compress(data)) == data,
        "lzma": lzma.decompress(lzma.compress(data)) == data,
        "smaller": len(packed) < len(data) // 20,
        "adler": zlib.adler32(data),
    }
