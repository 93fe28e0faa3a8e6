"""Change the mode of the file we were handed to read.

origin: fchmod needs a descriptor, not the right to write; file-mode leaks of build sandboxes
why: a descriptor for reading names the file itself
control: succeeds
harm: stage
lines: canary
"""


def attack(target):
    try:
        os.fchmod(lines_descriptor(target), 0o700)
    except OSError as error:
        return blocked("fchmod", error)
    return nothing("the mode of something was changed; the stage knows of what")
