"""Ask the database itself for what the process knows.

origin: getenv(), which_secret(), duckdb_secrets() and the settings with passwords
why: functions that read no file read the process
control: needs a database with such a function
grants: data
data: input
"""

FUNCTIONS = ("getenv('MAYFLY_STAGE_SECRET')", "env('MAYFLY_STAGE_SECRET')", "getvariable('MAYFLY_STAGE_SECRET')")


def attack(target):
    for database in databases():
        answers = [ask(database, f"SELECT {function}") for function in FUNCTIONS]
        answers += [ask(database, f"FROM {table}()") for table in ("duckdb_secrets", "duckdb_settings", "duckdb_logs")]
        if holds_token(target, repr(answers)):
            return escaped("the database told")
    return nothing(answers[0][1])
