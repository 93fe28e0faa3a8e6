"""weakref: caches, callbacks and finalizers."""

import gc
import weakref

ARGUMENT = "cached"


class Thing:
    def __init__(self, name):
        self.name = name


def main(argument):
    log = []
    cache = weakref.WeakValueDictionary()
    thing = Thing(argument)
    cache["key"] = thing
    weakref.finalize(thing, log.append, "finalized")
    reference = weakref.ref(thing, lambda _: log.append("callback"))
    alive = [reference().name, len(cache)]
    del thing
    gc.collect()
    return {"alive": alive, "dead": reference() is None, "left": len(cache), "log": sorted(log)}
