"""Leave a whole database on the host as a directory of scripts and files.

origin: EXPORT DATABASE, and CREATE PERSISTENT SECRET, which write directories
why: neither is a COPY
control: succeeds
harm: stage
grants: data
data: input
"""


def attack(target):
    last = ""
    for database in databases(secret_directory=f"{target['stage']}/secrets"):
        ask(database, "CREATE TABLE left_behind AS SELECT 1 AS c")
        for way in (f"EXPORT DATABASE '{target['stage']}/left'", "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 't')"):
            last = ask(database, way)[1] or last
    return nothing(last)
