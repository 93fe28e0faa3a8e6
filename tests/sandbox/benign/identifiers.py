"""uuid3, uuid5 and the shape of random ones; secrets by length only."""

import secrets
import string
import uuid

ARGUMENT = "example.org"


def main(argument):
    random_one = uuid.uuid4()
    token = secrets.token_hex(16)
    password = "".join(secrets.choice(string.ascii_letters) for _ in range(12))
    return {
        "uuid5": str(uuid.uuid5(uuid.NAMESPACE_DNS, argument)),
        "uuid3": str(uuid.uuid3(uuid.NAMESPACE_URL, argument)),
        "version": random_one.version,
        "different": random_one != uuid.uuid4(),
        "token": len(token),
        "password": len(password),
        "below": secrets.randbelow(10) in range(10),
        "parsed": uuid.UUID("12345678123456781234567812345678").fields,
    }
