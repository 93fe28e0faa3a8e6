"""Solve a sudoku by backtracking."""

ARGUMENT = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


def options(board, index):
    row, column = divmod(index, 9)
    used = set(board[row * 9 : row * 9 + 9]) | set(board[column::9])
    corner = row // 3 * 27 + column // 3 * 3
    for step in (0, 9, 18):
        used |= set(board[corner + step : corner + step + 3])
    return [digit for digit in "123456789" if digit not in used]


def solve(board):
    if "0" not in board:
        return board
    index = board.index("0")
    for digit in options(board, index):
        found = solve(board[:index] + [digit] + board[index + 1 :])
        if found:
            return found
    return None


def main(argument):
    solved = "".join(solve(list(argument)))
    for row in range(0, 81, 9):
        print(" ".join(solved[row : row + 9]))
    return solved
