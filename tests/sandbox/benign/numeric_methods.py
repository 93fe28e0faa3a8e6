"""Newton's method, Simpson's rule, Gaussian elimination, least squares and complex roots."""

import cmath
import math

ARGUMENT = [[2, 1, -1, 8], [-3, -1, 2, -11], [-2, 1, 2, -3]]


def newton(function, derivative, x, steps=50):
    for _ in range(steps):
        x -= function(x) / derivative(x)
    return x


def simpson(function, a, b, n=100):
    h = (b - a) / n
    return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * function(a + i * h) for i in range(n + 1))


def eliminate(rows):
    rows = [list(map(float, row)) for row in rows]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i])]
    return [round(row[-1], 9) for row in rows]


def main(argument):
    xs, ys = [1, 2, 3, 4], [2.1, 3.9, 6.2, 7.8]
    mx, my = sum(xs) / 4, sum(ys) / 4
    slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
    root = cmath.sqrt(-4)
    return {
        "newton": newton(lambda x: x * x - 2, lambda x: 2 * x, 1.0),
        "simpson": round(simpson(math.sin, 0, math.pi), 12),
        "solution": eliminate(argument),
        "line": [round(slope, 9), round(my - slope * mx, 9)],
        "complex": [root.real, root.imag, abs(3 + 4j)],
        "special": [math.gamma(5), math.erf(0.5), math.log2(1024), math.degrees(math.pi), math.dist((0, 0), (3, 4))],
    }
