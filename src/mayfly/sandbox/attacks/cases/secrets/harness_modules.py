"""Search every module's attributes, closures and defaults for the secret and for the host's objects.

origin: sys.modules, the shortest way from a job to its harness
why: what the harness imported, the job can read
control: succeeds
"""

import sys


def attack(target):
    searched = 0
    for name, module in list(sys.modules.items()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            searched += 1
            parts = [value]
            if type(value) is type(attack):
                parts += [*(value.__defaults__ or ()), *(value.__closure__ or ())]
                parts += [cell.cell_contents for cell in value.__closure__ or () if repr(cell).find("empty") < 0]
            parts += list(getattr(value, "__dict__", {}).values())
            parts += [inner for part in parts if type(part) is dict for inner in part.values()]
            for part in parts:
                if isinstance(part, (str, bytes)) and holds_token(target, part):
                    return escaped(f"{name}.{key} holds the secret")
    return nothing(f"no secret among {searched} attributes")
