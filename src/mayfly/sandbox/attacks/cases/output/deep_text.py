"""Return a nesting that the worker's encoder passes and the host's limit must catch.

origin: limits that are checked on one side only
why: nine hundred levels pass a recursion limit of a thousand
control: succeeds
harm: result
expect: error
"""


def attack(target):
    value = {}
    for _ in range(900):
        value = {"a": value}
    return value
