"""Random stratified programs, from a seed: recursion, negation, aggregation, comparisons, functions, wildcards."""

from dataclasses import dataclass
from random import Random

_NAMES = ("/a", "/b", "/c")
_NUMBERS = ("0", "1", "2", "3")


@dataclass(frozen=True, kw_only=True)
class Made:
    """A program's rules, and facts for it as text."""

    rules: str
    facts: tuple[str, ...]


class Maker:
    """Make one program. Column types are `n` (number) and `s` (name)."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._types: dict[str, str] = {"e0": "s", "e1": "sn", "e2": "ss", "e3": "nns", "e4": "n"}
        self._layer: dict[str, int] = dict.fromkeys(self._types, 0)

    def make(self) -> Made:
        """Return the program: declarations, two to four layers of rules, facts for every predicate without rules."""
        random = self._random
        decls = [
            f"Decl {name}({', '.join(f'X{n}' for n in range(len(types)))})." for name, types in self._types.items()
        ]
        rules: list[str] = []
        for layer in range(1, random.randint(2, 4)):
            fresh = [f"p{layer}{n}" for n in range(random.randint(1, 2))]
            for name in fresh:
                self._types[name] = "".join(random.choice("ns") for _ in range(random.randint(0, 3)))
            for name in fresh:
                count = random.randint(1, 3)
                rules += [self._rule(name, layer, fresh if at else []) for at in range(count)]
            self._layer.update(dict.fromkeys(fresh, layer))
        facts = tuple(self._fact(name) for name in ("e0", "e1", "e2", "e3", "e4") for _ in range(random.randint(0, 4)))
        # Facts of a predicate that has rules as well.
        derived = [name for name in self._types if name.startswith("p")]
        facts += tuple(self._fact(random.choice(derived)) for _ in range(random.randint(0, 2)))
        return Made(rules="\n".join([*decls, *rules]), facts=facts)

    def _constant(self, kind: str) -> str:
        return self._random.choice(_NUMBERS if kind == "n" else _NAMES)

    def _fact(self, name: str) -> str:
        return f"{name}({', '.join(self._constant(kind) for kind in self._types[name])})."

    def _rule(self, head: str, layer: int, same: list[str]) -> str:
        random = self._random
        below = [name for name, at in self._layer.items() if at < layer]
        if random.random() < 0.2:
            return self._aggregate(head, below)
        bound: dict[str, str] = {}
        body = [self._atom(random.choice(below + same * 2), bound, new=0.7) for _ in range(random.randint(1, 3))]
        for _ in range(random.randint(0, 3)):
            body += self._test(bound, below)
        if random.random() < 0.3:
            body.insert(random.randint(0, len(body)), self._atom(random.choice(below), bound, new=0.4))
        arguments: list[str] = []
        lets: list[str] = []
        for kind in self._types[head]:
            fitting = [name for name, of in bound.items() if of == kind]
            if fitting and random.random() < 0.85:
                arguments.append(random.choice(fitting))
            elif fitting and kind == "n" and not same and random.random() < 0.5:
                lets.append(f"let L{len(lets)} = fn:plus({random.choice(fitting)}, 1)")
                arguments.append(f"L{len(lets) - 1}")
            else:
                arguments.append(self._constant(kind))
        transform = f" |> {', '.join(lets)}" if lets else ""
        return f"{head}({', '.join(arguments)}) :- {', '.join(body)}{transform} ."

    def _atom(self, name: str, bound: dict[str, str], *, new: float) -> str:
        random = self._random
        arguments = []
        for kind in self._types[name]:
            fitting = [known for known, of in bound.items() if of == kind]
            chance = random.random()
            if chance < new or not fitting:
                if chance < 0.15:
                    arguments.append("_")
                elif chance < 0.25:
                    arguments.append(self._constant(kind))
                else:
                    variable = f"{'N' if kind == 'n' else 'S'}{random.randint(0, 4)}"
                    bound[variable] = kind
                    arguments.append(variable)
            else:
                arguments.append(random.choice(fitting))
        return f"{name}({', '.join(arguments)})"

    def _test(self, bound: dict[str, str], below: list[str]) -> list[str]:
        """Return premises that need what is bound: a negation, a comparison, an equality or a function."""
        random = self._random
        numbers = [name for name, of in bound.items() if of == "n"]
        anything = list(bound)
        kind = random.randint(0, 6)
        if kind <= 1:
            return ["!" + self._negated(random.choice(below), bound)]
        if kind == 2 and anything:
            left = random.choice(anything)
            others = [name for name in anything if bound[name] == bound[left]]
            right = random.choice([*others, self._constant(bound[left])])
            return [f"{left} {random.choice(('=', '!='))} {right}"]
        if kind <= 4 and numbers:
            other = random.choice([*numbers, self._constant("n")])
            return [f"{random.choice(numbers)} {random.choice(('<', '<=', '>', '>='))} {other}"]
        if kind == 5 and numbers:
            source, target = random.choice(numbers), f"F{random.randint(0, 9)}"
            if target in bound:
                return []
            bound[target] = "n"
            # Small numbers only: a recursive rule that counts has to come to an end.
            limits = [f"{name} < 4" for name in numbers]
            function = f"fn:{random.choice(('plus', 'minus'))}({source}, {random.choice('01')})"
            return [*limits, f"{target} = {function}", f"0 <= {target}"]
        if kind == 6 and numbers and random.random() < 0.15:
            return [f"fn:div(6, {random.choice(numbers)}) < 5"]
        return []

    def _negated(self, name: str, bound: dict[str, str]) -> str:
        random = self._random
        arguments = []
        for kind in self._types[name]:
            fitting = [known for known, of in bound.items() if of == kind]
            if fitting and random.random() < 0.7:
                arguments.append(random.choice(fitting))
            else:
                arguments.append("_" if random.random() < 0.6 else self._constant(kind))
        return f"{name}({', '.join(arguments)})"

    def _aggregate(self, head: str, below: list[str]) -> str:
        """Return a rule that groups; every number column beyond the key is an aggregate."""
        random = self._random
        bound: dict[str, str] = {}
        body = [self._atom(random.choice(below), bound, new=0.8) for _ in range(random.randint(1, 2))]
        if random.random() < 0.3:
            body += ["!" + self._negated(random.choice(below), bound)]
        keys: list[str] = []
        lets: list[str] = []
        arguments = []
        for kind in self._types[head]:
            fitting = [name for name, of in bound.items() if of == kind]
            numbers = [name for name, of in bound.items() if of == "n"]
            if kind == "n" and (random.random() < 0.6 or not fitting):
                target = f"R{len(lets)}"
                reducer = random.choice(("count", "sum", "max", "min")) if numbers else "count"
                argument = "" if reducer == "count" else random.choice(numbers)
                lets.append(f"let {target} = fn:{reducer}({argument})")
                arguments.append(target)
            elif fitting:
                chosen = random.choice(fitting)
                keys += [] if chosen in keys else [chosen]
                arguments.append(chosen)
            else:
                arguments.append(self._constant(kind))
        lets = lets or ["let R = fn:count()"]
        transform = f"do fn:group_by({', '.join(keys)}), {', '.join(lets)}"
        return f"{head}({', '.join(arguments)}) :- {', '.join(body)} |> {transform}."
