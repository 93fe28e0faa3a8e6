"""Run a shell command in the usual way.

origin: the payload of most published exploits of code-running agents
why: what everybody tries first
control: succeeds
"""

import subprocess


def attack(target):
    try:
        done = subprocess.run(["/bin/sh", "-c", "echo $((40 + 2))"], capture_output=True, text=True, timeout=5)
    except OSError as error:
        return blocked("fork", error)
    return escaped("a shell answered") if done.stdout.strip() == "42" else nothing("no answer")
