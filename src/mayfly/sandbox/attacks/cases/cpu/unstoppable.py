"""Loop for ever and swallow every exception that could end it.

origin: interruption by PyThreadState_SetAsyncExc or KeyboardInterrupt, defeated
why: limits made of exceptions ask the job for its consent
control: succeeds
harm: hangs
timeout: 0.5
expect: timeout
"""


def attack(target):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
