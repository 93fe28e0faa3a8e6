"""Leave a second answer in the channel, behind our own, for whoever calls next.

origin: response queue poisoning, CWE-444
why: an answer that is read late belongs to another question
control: succeeds
expect: ok
"""


def attack(target):
    if "channel" in harness():
        forge(b'{"escaped": false, "evidence": "our own answer"}')
    left = forge(b'{"escaped": true, "evidence": "an answer that nobody gave"}')
    return nothing(f"an answer was left: {left}")


def second(target):
    names = harness()
    stale = [name for name in names if name == "reply"]
    return escaped("the same reply serves every job") if stale else nothing("each job has a channel of its own")
