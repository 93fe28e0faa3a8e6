"""Read the host's list of accounts.

origin: the traditional proof of a path traversal
why: a file at a known place, outside any stage
control: succeeds
"""


def attack(target):
    try:
        with open("/etc/passwd", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError as error:
        return blocked("open", error)
    return escaped("accounts were read") if "root:" in text else nothing("the file is empty")
