"""hashlib and hmac."""

import hashlib
import hmac

ARGUMENT = "message"


def main(argument):
    data = argument.encode()
    digest = hashlib.sha256()
    for byte in data:
        digest.update(bytes([byte]))
    return {
        "md5": hashlib.md5(data).hexdigest(),
        "sha1": hashlib.sha1(data).hexdigest(),
        "sha256": digest.hexdigest(),
        "sha3": hashlib.sha3_256(data).hexdigest(),
        "blake2": hashlib.blake2b(data, digest_size=8, key=b"k").hexdigest(),
        "hmac": hmac.new(b"key", data, hashlib.sha512).hexdigest(),
        "equal": hmac.compare_digest("a", "a"),
        "pbkdf2": hashlib.pbkdf2_hmac("sha256", data, b"salt", 100).hex(),
        "new": hashlib.new("sha384", data).hexdigest()[:16],
    }
