"""Count and show solutions of the n queens."""

ARGUMENT = 7


def place(size, row=0, columns=(), found=None):
    found = [] if found is None else found
    if row == size:
        found.append(columns)
        return found
    for column in range(size):
        if all(column != c and abs(column - c) != row - r for r, c in enumerate(columns)):
            place(size, row + 1, (*columns, column), found)
    return found


def main(argument):
    found = place(argument)
    print("\n".join("." * c + "Q" + "." * (argument - c - 1) for c in found[0]))
    return {"count": len(found), "first": found[0]}
