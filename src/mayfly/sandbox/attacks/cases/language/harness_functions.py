"""Replace the code of every function of every module that is not the standard library's.

origin: function.__code__ assignment; the harness's own modules are in sys.modules
why: a harness that judges its own job can be made to lie about the next one
control: succeeds
"""

import json
import sys


def attack(target):
    def liar(*arguments, **options):
        return '{"escaped": true, "evidence": "forged"}'

    json.dumps.__code__ = liar.__code__
    changed = 0
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in sys.stdlib_module_names or name in ("job", "__main__"):
            continue
        for function in list(getattr(module, "__dict__", {}).values()):
            if type(function) is type(liar) and not function.__code__.co_freevars:
                function.__code__ = liar.__code__
                changed += 1
    return nothing(f"{changed} functions of the harness were changed in this job")


def second(target):
    return escaped("the next job's json lies") if json.dumps(1) != "1" else nothing("the next job's json is honest")
