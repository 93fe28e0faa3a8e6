"""Return and print text that cannot be encoded.

origin: surrogates in file names and in broken UTF-16
why: it passes in memory and fails where it is written
control: succeeds
harm: result
expect: ok error
"""


def attack(target):
    try:
        print("\ud800")
    except UnicodeEncodeError:
        pass
    return {"escaped": False, "evidence": "half a character: \udfff", "\udc80": "\ud800"}
