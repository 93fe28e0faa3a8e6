"""Install an audit hook, which cannot be removed, to watch what the next job does.

origin: PEP 578 hooks turned around: the watcher is the attacker
why: an interpreter that is used again would report every later job
control: succeeds
"""

import sys


def attack(target):
    seen = sys.modules.setdefault("mayfly_audit", [])
    sys.addaudithook(lambda event, arguments: seen.append(event) if event == "mayfly.probe" else None)
    return nothing("hooked")


def second(target):
    sys.audit("mayfly.probe")
    return escaped("the hook saw the next job") if sys.modules.get("mayfly_audit") else nothing("the hook is gone with its job")
