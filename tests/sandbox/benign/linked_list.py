"""A linked list with iteration, reversal and cycle detection."""

ARGUMENT = [3, 1, 2]


class Node:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


class LinkedList:
    def __init__(self, values=()):
        self.head = None
        for value in reversed(list(values)):
            self.head = Node(value, self.head)

    def __iter__(self):
        node = self.head
        while node:
            yield node.value
            node = node.following

    def __len__(self):
        return sum(1 for _ in self)

    def __reversed__(self):
        return iter(list(self)[::-1])

    def reverse(self):
        previous, node = None, self.head
        while node:
            node.following, previous, node = previous, node, node.following
        self.head = previous
        return self


def main(argument):
    values = LinkedList(argument)
    return {"values": list(values), "size": len(values), "backwards": list(reversed(values)), "turned": list(values.reverse()), "largest": max(values)}
