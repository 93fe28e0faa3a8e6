"""Open a database file on the host, by a statement and by a connection.

origin: ATTACH, by which SQLite injections write web shells
why: a database that is attached is a file that is written
control: succeeds
harm: stage
grants: data
data: input
"""


def attack(target):
    import duckdb

    path = os.path.join(target["stage"], "attached.db")
    last = ""
    for database in databases():
        attached, refused = ask(database, f"ATTACH '{path}' AS host")
        made, _ = ask(database, "CREATE TABLE host.main.t AS SELECT 1 AS owned")
        if made:
            return escaped("a database was made on the host")
        last = refused or last
    try:
        duckdb.connect(path).execute("CREATE TABLE t AS SELECT 1 AS owned").close()
    except duckdb.Error as error:
        return nothing(f"{type(error).__name__} from connect, after {last}")
    return escaped("a database was opened on the host")
