"""Run bytecode that reads a constant far outside its table, and so memory that is not ours.

origin: LOAD_CONST and LOAD_FAST without bounds checks, known since Python 2
why: a code object is trusted by the interpreter; a crash must end the job and nothing else
control: succeeds
harm: dies
expect: died error
"""


def attack(target):
    import dis

    def victim():
        return None

    extended, load, give = (dis.opmap[name] for name in ("EXTENDED_ARG", "LOAD_CONST", "RETURN_VALUE"))
    code = bytes([dis.opmap["RESUME"], 0, extended, 0x0F, extended, 0xFF, extended, 0xFF, load, 0xFF, give, 0])
    victim.__code__ = victim.__code__.replace(co_code=code)
    return nothing(str(type(victim())))
