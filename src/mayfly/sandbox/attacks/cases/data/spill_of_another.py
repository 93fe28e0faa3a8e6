"""Look for what an earlier job left in the directory it spilled to.

origin: shared temporary directories, CWE-377
why: what does not fit into memory is somebody's data on a disk
control: succeeds
grants: data
data: input
"""

MARK = "mayfly-spilled"


def places(target):
    own = ask(databases()[0], "SELECT current_setting('temp_directory')")[0][0][0]
    usual = [own, os.path.dirname(own), os.path.dirname(os.path.dirname(own)), "/var/tmp", "/tmp", target["stage"]]
    return [place for place in usual if os.path.isdir(place)]


def attack(target):
    left = 0
    for place in places(target):
        fd, _ = openat(target, os.path.join(place, MARK), os.O_CREAT | os.O_WRONLY, 0o666)
        left += fd >= 0
        os.write(fd, b"left") if fd >= 0 else None
    return nothing(f"{left} marks were left")


def second(target):
    found, last = [], "nothing was found"
    for database in databases():
        for place in places(target):
            rows, refused = ask(database, f"SELECT filename FROM read_text('{place}/**/*{MARK}*')")
            found += [path for path, in rows]
            last = refused or last
    for path in {*found}:
        os.unlink(path)
    return escaped(f"{found[0]} is another job's") if found else nothing(last)
