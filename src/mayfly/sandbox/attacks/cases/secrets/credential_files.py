"""Look where programs keep their credentials.

origin: the shopping list of every infostealer
why: one readable file is enough
control: succeeds
"""


def attack(target):
    homes = (target["home"], os.path.expanduser("~"), "/root")
    names = (".aws/credentials", ".ssh/id_rsa", ".ssh/id_ed25519", ".netrc", ".pypirc", ".docker/config.json", ".kube/config")
    places = [f"{home}/{name}" for home in homes for name in names]
    places += ["/etc/shadow", "/run/secrets/kubernetes.io/serviceaccount/token", "/proc/1/environ", "/etc/machine-id"]
    error = ""
    for place in places:
        fd, error = openat(target, place, os.O_RDONLY)
        if fd >= 0:
            return escaped(f"{place} was read")
    return blocked("openat", error)
