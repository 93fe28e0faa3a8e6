"""Act while the source is being loaded, before any entry is called.

origin: metaclass and decorator payloads; setup.py-style attacks
why: a limit that starts with the call of the entry starts too late
control: succeeds
"""


class Loader(type):
    def __new__(cls, name, bases, body):
        try:
            fd = os.open("/etc/passwd", os.O_RDONLY)
        except OSError as error:
            return blocked("open", error)
        return escaped("read while loading") if b"root:" in os.read(fd, 4096) else nothing("empty")


class Found(metaclass=Loader):
    pass


def attack(target):
    return Found
