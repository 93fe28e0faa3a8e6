"""Read the environment as the C library has it, and the memory around it.

origin: environ survives os.environ.clear(); bwrap --clearenv left its caller's variables on the stack of process 1
why: emptying a dictionary does not empty the stack
control: succeeds
"""


def attack(target):
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    index = 0
    while environ and environ[index]:
        if holds_token(target, environ[index]):
            return escaped("the C library's environment holds the secret")
        index += 1
    return nothing(f"{index} variables in the C library, no secret")
