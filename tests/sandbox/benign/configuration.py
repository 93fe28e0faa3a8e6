"""configparser and tomllib from text."""

import configparser
import io
import tomllib

ARGUMENT = "[server]\nhost = localhost\nport = 8080\ndebug = yes\n[paths]\nroot = /srv\nlogs = %(root)s/logs\n"


def main(argument):
    parser = configparser.ConfigParser()
    parser.read_string(argument)
    parser["new"] = {"key": "value"}
    out = io.StringIO()
    parser.write(out)
    toml = tomllib.loads('title = "x"\n[owner]\nborn = 1979-05-27\nports = [1, 2]\n')
    return {
        "port": parser.getint("server", "port"),
        "debug": parser.getboolean("server", "debug"),
        "logs": parser["paths"]["logs"],
        "missing": parser.get("server", "none", fallback="default"),
        "text": out.getvalue(),
        "toml": [toml["title"], toml["owner"]["born"].isoformat(), toml["owner"]["ports"]],
    }
