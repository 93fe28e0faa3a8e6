"""Ask a format for seven hundred million columns.

origin: width fields in format strings, CWE-789
why: eleven characters of source, seven hundred megabytes of text
control: succeeds
timeout: 10
"""


def attack(target):
    try:
        size = len("{:>734003200}".format(1))
    except MemoryError as error:
        return blocked("format", error)
    return escaped(f"a text of {size} characters was made")
