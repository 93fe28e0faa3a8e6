"""Leave a second name of a file in a workspace.

origin: hard links that archive tools and backups follow
why: what is changed under one name changes under the other, later
control: succeeds
harm: stage
grants: fs:workspace:rw
"""


def attack(target):
    try:
        os.link("note", "second")
    except OSError as error:
        return blocked("link", error)
    return escaped("a file has two names")
