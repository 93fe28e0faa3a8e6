"""Die of a signal in the middle of the job.

origin: abort(), what a crashing C library does
why: a death is never a result
control: succeeds
harm: dies
expect: died error
"""


def attack(target):
    os.abort()
