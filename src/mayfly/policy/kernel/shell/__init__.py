"""What a text would do if a shell ran it, found without running it; what cannot be told is said to be unclear."""

from mayfly.policy.kernel.shell._filters import looks_only
from mayfly.policy.kernel.shell._marks import Word
from mayfly.policy.kernel.shell._programs import Programs, programs
from mayfly.policy.kernel.shell._runners import Call
from mayfly.policy.kernel.shell._unfold import Reading, read_arguments, read_script

__all__ = ["Call", "Programs", "Reading", "Word", "looks_only", "programs", "read_arguments", "read_script"]
