"""Read a file by its address on the web, with the extension for it loaded on the way.

origin: read_csv('https://…'), which loads httpfs by itself
why: data goes out in the name of what is asked for
control: needs the extension httpfs
harm: stage
grants: data
data: input
timeout: 10
"""


def attack(target):
    last = ""
    for database in databases(autoinstall_known_extensions="true", autoload_known_extensions="true"):
        for kind in ("http", "s3", "hf", "az"):
            rows, last = ask(database, f"FROM read_csv('{kind}://127.0.0.1:{target['tcp']}/table.csv')")
            if rows:
                return escaped(f"{kind} leads out")
    return nothing(last)
