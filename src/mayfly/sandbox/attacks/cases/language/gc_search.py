"""Ask the garbage collector for every object alive and search them for the host's secret.

origin: gc.get_objects, used in jails to find modules and in games to find keys
why: whatever the harness holds in memory is one call away
control: succeeds
"""

import gc


def attack(target):
    seen = 0
    for thing in gc.get_objects():
        for part in gc.get_referents(thing):
            values = list(part.values()) if type(part) is dict else [part]
            for value in values:
                seen += 1
                if type(value) in (str, bytes) and holds_token(target, value):
                    return escaped(f"a {type(thing).__name__} holds the secret")
    return nothing(f"no secret among {seen} objects")
