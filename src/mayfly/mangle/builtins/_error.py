"""The one error that evaluating a builtin may raise."""


class BuiltinError(Exception):
    """Say why a function, reducer or builtin predicate has no answer for what it was given."""
