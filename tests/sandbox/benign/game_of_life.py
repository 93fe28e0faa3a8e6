"""Conway's Game of Life on sets."""

from collections import Counter

ARGUMENT = {"cells": [[1, 0], [2, 1], [0, 2], [1, 2], [2, 2]], "steps": 20}


def step(cells):
    near = Counter((x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    return {cell for cell, count in near.items() if count == 3 or (count == 2 and cell in cells)}


def show(cells):
    xs, ys = zip(*cells)
    return ["".join("#" if (x, y) in cells else "." for x in range(min(xs), max(xs) + 1)) for y in range(min(ys), max(ys) + 1)]


def main(argument):
    cells = {tuple(cell) for cell in argument["cells"]}
    for _ in range(argument["steps"]):
        cells = step(cells)
    print(*show(cells), sep="\n")
    return sorted(cells)
