"""A trie with prefix search, and a union-find beside it."""

ARGUMENT = ["tea", "ten", "team", "inn", "in"]


class Trie:
    def __init__(self):
        self.children: dict[str, "Trie"] = {}
        self.word = False

    def insert(self, text):
        node = self
        for letter in text:
            node = node.children.setdefault(letter, Trie())
        node.word = True

    def words(self, prefix=""):
        if self.word:
            yield prefix
        for letter, child in sorted(self.children.items()):
            yield from child.words(prefix + letter)

    def find(self, prefix):
        node = self
        for letter in prefix:
            if letter not in node.children:
                return []
            node = node.children[letter]
        return list(node.words(prefix))


def components(pairs):
    parent = {}

    def find(item):
        parent.setdefault(item, item)
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for a, b in pairs:
        parent[find(a)] = find(b)
    return len({find(item) for item in list(parent)})


def main(argument):
    trie = Trie()
    for word in argument:
        trie.insert(word)
    return {"te": trie.find("te"), "i": trie.find("i"), "x": trie.find("x"), "components": components([(1, 2), (2, 3), (4, 5)])}
