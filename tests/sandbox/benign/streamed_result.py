"""An entry that is a generator itself: its items are collected."""

ARGUMENT = ["GET /a 200", "GET /b 404", "POST /c 500", "GET /d 403"]
STREAM = True


def main(argument):
    for number, line in enumerate(argument, 1):
        method, path, status = line.split()
        if status.startswith("4"):
            yield {"line": number, "path": path, "status": int(status)}
