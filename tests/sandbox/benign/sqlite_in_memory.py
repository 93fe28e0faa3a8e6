"""sqlite3 in memory: schema, transactions, joins, a function of our own."""

import sqlite3

ARGUMENT = [["Ada", "math", 95], ["Ada", "art", 70], ["Alan", "math", 99]]


def main(argument):
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.create_function("grade", 1, lambda mark: "A" if mark >= 90 else "B")
    connection.executescript("CREATE TABLE mark (name TEXT, subject TEXT, mark INT, UNIQUE (name, subject));")
    with connection:
        connection.executemany("INSERT INTO mark VALUES (?, ?, ?)", argument)
    try:
        with connection:
            connection.execute("INSERT INTO mark VALUES ('Ada', 'math', 1)")
    except sqlite3.IntegrityError as error:
        problem = str(error)
    rows = connection.execute("SELECT name, avg(mark) AS mean, group_concat(grade(mark), '') AS grades FROM mark GROUP BY name ORDER BY name")
    return {"rows": [dict(row) for row in rows], "problem": problem, "count": connection.execute("SELECT count(*) FROM mark").fetchone()[0]}
