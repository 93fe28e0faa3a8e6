"""List the files of the host.

origin: glob('/**'), a table function that lists
why: names alone tell who works here at what
control: succeeds
grants: data
data: input
"""


def attack(target):
    last = ""
    for database in databases():
        for pattern in (f"{target['stage']}/*", "/home/*", "/root/*", "/etc/*", "/tmp/*", "/var/*", "/proc/1/*"):
            rows, refused = ask(database, f"SELECT file FROM glob('{pattern}')")
            if rows:
                return escaped(f"{len(rows)} names, such as {rows[0][0]}")
            last = refused or last
    return nothing(last or "no name but our own was found")
