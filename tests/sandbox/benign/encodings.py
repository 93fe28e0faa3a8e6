"""base64, hex, binascii and text encodings."""

import base64
import binascii

ARGUMENT = "Füße & 猫"


def main(argument):
    raw = argument.encode()
    return {
        "base64": base64.b64encode(raw).decode(),
        "urlsafe": base64.urlsafe_b64encode(b"\xfb\xff").decode(),
        "base32": base64.b32encode(raw).decode(),
        "base85": base64.b85encode(raw).decode(),
        "hex": raw.hex(" "),
        "back": base64.b64decode(base64.b64encode(raw)).decode(),
        "crc": binascii.crc32(raw),
        "latin": "é".encode("latin-1").hex(),
        "utf16": list("a".encode("utf-16-le")),
        "replaced": argument.encode("ascii", "replace").decode(),
        "escaped": argument.encode("ascii", "xmlcharrefreplace").decode(),
        "ignored": b"\xff\xfeabc".decode("utf-8", "ignore"),
    }
