"""Users as typed dictionaries."""

from typing import NotRequired, TypedDict, get_type_hints

ARGUMENT = [{"name": "Ada", "age": 36}, {"name": "Alan", "age": 41, "email": "alan@example.org"}]


class User(TypedDict):
    name: str
    age: int
    email: NotRequired[str]


def main(users: list[User]) -> dict[str, object]:
    return {
        "fields": sorted(get_type_hints(User)),
        "required": sorted(User.__required_keys__),
        "with_email": [user["name"] for user in users if "email" in user],
        "mean_age": sum(user["age"] for user in users) / len(users),
    }
