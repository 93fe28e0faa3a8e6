"""Report an error in the harness's name, of many lines and with commands for a terminal.

origin: log injection, CWE-117, with a nonce from the caller's frame
why: whoever writes with the harness's own nonce is believed to be the harness
control: succeeds
harm: result
expect: error died
"""


def attack(target):
    forge(b"", kind=b"E", error=b"oops\n\x1b[2J\x1b]0;owned\x07\n2026-01-01 level=INFO all is well\r\n\xe2\x80\xa8more")
    os._exit(0)
