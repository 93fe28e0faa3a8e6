"""Guess what the next job's keys will be made of: the state of a generator that both were forked with.

origin: CVE-2013-1900; OpenSSL tells a fork by the process id, which is 1 in every pid namespace
why: who knows the random bytes knows the keys
control: needs two processes forked from one
"""

import random
import ssl
import tempfile


def drawn():
    names = tempfile._RandomNameSequence()
    return [ssl.RAND_bytes(16).hex(), random.random(), random.Random().random(), next(names)]


def attack(target):
    return nothing(repr(drawn()))


def second(target):
    before, now = str(target["left"]), drawn()
    same = [value for value in now if str(value) in before]
    return escaped(f"drawn again: {same}") if same else nothing("nothing was drawn twice")
