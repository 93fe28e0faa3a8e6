"""Matrix multiplication, transpose, determinant, spiral."""

ARGUMENT = [[2, 0, 1], [3, 0, 0], [5, 1, 1]]


def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    return sum((-1) ** i * value * determinant([row[:i] + row[i + 1 :] for row in matrix[1:]]) for i, value in enumerate(matrix[0]))


def spiral(matrix):
    found = []
    while matrix:
        found += matrix[0]
        matrix = [list(row) for row in zip(*matrix[1:])][::-1]
    return found


def main(argument):
    power = argument
    for _ in range(20):
        power = multiply(power, argument)
    return {"square": multiply(argument, argument), "transposed": list(zip(*argument)), "determinant": determinant(argument), "spiral": spiral(argument), "power": power}
