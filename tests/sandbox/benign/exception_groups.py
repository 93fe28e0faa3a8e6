"""ExceptionGroup and except*, notes and chains."""

ARGUMENT = ["1", "x", "", "7"]


class Invalid(Exception):
    def __init__(self, text):
        super().__init__(f"invalid: {text!r}")
        self.text = text


def parse(texts):
    errors, values = [], []
    for text in texts:
        try:
            if not text:
                raise LookupError("empty")
            values.append(int(text))
        except ValueError as error:
            wrapped = Invalid(text)
            wrapped.__cause__ = error
            wrapped.add_note("while parsing")
            errors.append(wrapped)
        except LookupError as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("several problems", errors)
    return values


def main(argument):
    seen = []
    try:
        parse(argument)
    except* Invalid as group:
        seen += [(str(e), type(e.__cause__).__name__, e.__notes__) for e in group.exceptions]
    except* LookupError as group:
        seen += [str(e) for e in group.exceptions]
    try:
        try:
            {}["key"]
        except KeyError as error:
            raise RuntimeError("outer") from error
    except RuntimeError as error:
        chain = [type(error).__name__, type(error.__cause__).__name__, error.__suppress_context__]

    def cleanup():
        try:
            return "tried"
        finally:
            seen.append("finally")

    return {"seen": seen, "chain": chain, "cleanup": cleanup()}
