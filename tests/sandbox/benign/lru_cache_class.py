"""A least recently used cache with a doubly linked list."""

ARGUMENT = [["put", "a", 1], ["put", "b", 2], ["get", "a"], ["put", "c", 3], ["get", "b"], ["get", "c"]]


class Node:
    __slots__ = ("key", "value", "before", "after")

    def __init__(self, key=None, value=None):
        self.key, self.value = key, value
        self.before = self.after = self


class LRUCache:
    def __init__(self, capacity):
        self.capacity, self.nodes, self.root = capacity, {}, Node()

    def _link(self, node):
        last = self.root.before
        last.after = self.root.before = node
        node.before, node.after = last, self.root

    @staticmethod
    def _unlink(node):
        node.before.after, node.after.before = node.after, node.before

    def get(self, key):
        if key not in self.nodes:
            return None
        node = self.nodes[key]
        self._unlink(node)
        self._link(node)
        return node.value

    def put(self, key, value):
        if key in self.nodes:
            self._unlink(self.nodes[key])
        elif len(self.nodes) == self.capacity:
            oldest = self.root.after
            self._unlink(oldest)
            del self.nodes[oldest.key]
        self.nodes[key] = Node(key, value)
        self._link(self.nodes[key])


def main(argument):
    cache = LRUCache(2)
    return [getattr(cache, operation)(*values) for operation, *values in argument]
