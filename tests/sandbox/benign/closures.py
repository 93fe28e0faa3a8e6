"""Closures, nonlocal, decorators with arguments, late binding and default arguments."""

ARGUMENT = 4


def counter(start=0):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


def repeat(times):
    def decorate(function):
        calls = []

        def inner(*arguments, **options):
            calls.append(arguments)
            return [function(*arguments, **options) for _ in range(times)]

        inner.calls = calls
        return inner

    return decorate


@repeat(times=2)
def greet(name, *, mark="!"):
    return f"hi {name}{mark}"


def main(argument):
    step = counter(10)
    late = [lambda: n for n in range(argument)]
    early = [lambda n=n: n for n in range(argument)]
    compose = lambda *functions: lambda value: [value := function(value) for function in functions][-1]
    return {
        "steps": [step(), step(5), step()],
        "late": [function() for function in late],
        "early": [function() for function in early],
        "greet": greet("Ada", mark="?"),
        "calls": greet.calls,
        "composed": compose(str, len)(12345),
    }
