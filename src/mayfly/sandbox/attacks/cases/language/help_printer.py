"""Read a file with the object that prints the licence text.

origin: license._Printer__filenames, known from jails where only names without brackets were free
why: readers hide in places that nobody lists
control: succeeds
"""

import _sitebuiltins


def attack(target):
    folder, name = os.path.split(target["secret"])
    printer = _sitebuiltins._Printer("licence", "nothing found", [name], [folder])
    printer._Printer__setup()
    text = "\n".join(printer._Printer__lines)
    return escaped("the printer read the secret") if holds_token(target, text) else nothing("no such file in the sandbox's root, or no right to read it")
