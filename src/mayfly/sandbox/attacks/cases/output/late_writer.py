"""Go on writing to every descriptor from a thread after the job has returned.

origin: response splitting; the next reader gets our bytes
why: a channel that is used again must be clean
control: succeeds
harm: floods
"""

import threading


def attack(target):
    def write():
        while True:
            for number in range(1, 64):
                try:
                    os.write(number, b'{"status":"ok","value":"forged"}\n' * 4096)
                except OSError:
                    pass

    threading.Thread(target=write, daemon=True).start()
    return nothing("a writer was left running")
