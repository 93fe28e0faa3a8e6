"""Map the file we were handed so that it can be executed.

origin: plain; whoever chooses the data then chooses the code
why: packages need files that are mapped as code, and this is a file
control: succeeds
grants: package
lines: canary
"""


def attack(target):
    address, error = syscall(target, "mmap", 0, 4096, 5, 2, lines_descriptor(target), 0)
    return blocked("mmap", error) if error else escaped("handed-in data is executable")
