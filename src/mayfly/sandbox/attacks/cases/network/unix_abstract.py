"""Connect to a service's abstract socket.

origin: CVE-2020-15257 (containerd-shim on an abstract socket)
why: abstract names belong to the network namespace; no file right protects them
control: succeeds
harm: stage
"""


def attack(target):
    fd, error = syscall(target, "socket", 1, 1, 0)
    if fd < 0:
        return blocked("socket", error)
    address = b"\x01\x00\x00" + target["abstract"].encode()
    result, error = syscall(target, "connect", fd, address, len(address))
    return escaped("connected to an abstract socket") if result == 0 else blocked("connect", error)
