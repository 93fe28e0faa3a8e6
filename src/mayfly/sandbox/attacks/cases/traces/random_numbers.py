"""Predict the next job's random numbers from our own.

origin: forked workers that share a seed (a classic of pre-forking web servers)
why: tokens made by one tenant must not be known to another
control: unsafe — only workers forked from one parent can share a seed
"""

import random
import tempfile
import uuid


def attack(target):
    numbers = [random.random(), uuid.uuid4().hex, next(tempfile._get_candidate_names())]
    return {"escaped": False, "evidence": "numbers were drawn", "numbers": [str(number) for number in numbers]}


def second(target):
    before = (target["left"] or {}).get("numbers", [])
    now = [str(random.random()), uuid.uuid4().hex, next(tempfile._get_candidate_names())]
    return escaped("the same numbers came again") if set(before) & set(now) else nothing("the next job draws other numbers")
