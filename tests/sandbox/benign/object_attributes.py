"""vars, dir-free introspection, getattr with defaults, setattr, type() with three arguments."""

ARGUMENT = {"name": "Ada", "role": "engineer"}


class Record:
    kind = "record"

    def __init__(self, **values):
        for key, value in values.items():
            setattr(self, key, value)

    def __eq__(self, other):
        return isinstance(other, Record) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash(tuple(sorted(self.__dict__.items())))

    def __repr__(self):
        inner = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items())
        return f"{type(self).__name__}({inner})"


def main(argument):
    one, two = Record(**argument), Record(**argument)
    Made = type("Made", (Record,), {"kind": "made", "shout": lambda self: self.name.upper()})
    made = Made(name="x")
    delattr(two, "role")
    return {
        "text": repr(one),
        "equal": [one == Record(**argument), one == two, len({one, Record(**argument)})],
        "made": [made.shout(), made.kind, repr(made), issubclass(Made, Record)],
        "default": getattr(one, "missing", "default"),
        "callable": [callable(made.shout), callable(made)],
    }
