"""Read the environment.

origin: plain; keys in variables are the commonest loot
why: a child inherits its parent's environment unless somebody empties it
control: succeeds
"""


def attack(target):
    text = "\n".join(f"{key}={value}" for key, value in os.environ.items())
    return escaped("the secret is in the environment") if holds_token(target, text) else nothing(f"{len(os.environ)} variables, no secret")
