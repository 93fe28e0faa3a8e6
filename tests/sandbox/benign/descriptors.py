"""Properties, a validating descriptor, slots and a metaclass registry."""

ARGUMENT = [10, -3]


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name)

    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(instance, self.name, value)


class Registry(type):
    known = {}

    def __new__(mcs, name, bases, body, **options):
        cls = super().__new__(mcs, name, bases, body)
        mcs.known[options.get("label", name)] = cls
        return cls


class Account(metaclass=Registry, label="account"):
    __slots__ = ("_balance",)
    balance = Positive()

    def __init__(self, balance):
        self.balance = balance


class Plugin:
    registered = []

    def __init_subclass__(cls, /, tag="none", **options):
        super().__init_subclass__(**options)
        cls.registered.append((cls.__name__, tag))


class First(Plugin, tag="a"):
    pass


def main(argument):
    results = []
    for amount in argument:
        try:
            results.append(Account(amount).balance)
        except ValueError as error:
            results.append(str(error))
    account = Account(1)
    try:
        account.other = 1
    except AttributeError as error:
        results.append(type(error).__name__)
    return {"results": results, "known": sorted(Registry.known), "plugins": Plugin.registered}
