"""Make the JSON module return what we like.

origin: plain
why: the harness itself speaks JSON
control: succeeds
"""

import json


def attack(target):
    json.loads = lambda text, **options: {"escaped": True, "evidence": "forged"}
    json.JSONDecoder.decode = json.loads
    json.JSONEncoder.default = lambda self, value: "forged"
    return nothing("json was replaced")


def second(target):
    return escaped("json still lies") if json.loads("1") != 1 else nothing("the next job has its own json")
