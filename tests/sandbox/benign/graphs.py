"""Breadth first, depth first, Dijkstra, topological order and connected components."""

import heapq
from collections import deque
from graphlib import CycleError, TopologicalSorter

ARGUMENT = {"a": {"b": 7, "c": 3}, "b": {"d": 2}, "c": {"b": 1, "d": 8}, "d": {}, "e": {"f": 1}, "f": {}}


def breadth_first(graph, start):
    seen, queue = [start], deque([start])
    while queue:
        for neighbour in graph[queue.popleft()]:
            if neighbour not in seen:
                seen.append(neighbour)
                queue.append(neighbour)
    return seen


def depth_first(graph, node, seen=None):
    seen = [] if seen is None else seen
    seen.append(node)
    for neighbour in graph[node]:
        if neighbour not in seen:
            depth_first(graph, neighbour, seen)
    return seen


def dijkstra(graph, start):
    distances, heap = {}, [(0, start)]
    while heap:
        distance, node = heapq.heappop(heap)
        if node in distances:
            continue
        distances[node] = distance
        for neighbour, weight in graph[node].items():
            heapq.heappush(heap, (distance + weight, neighbour))
    return distances


def main(argument):
    try:
        list(TopologicalSorter({"x": ["y"], "y": ["x"]}).static_order())
    except CycleError as error:
        cycle = error.args[0]
    return {
        "bfs": breadth_first(argument, "a"),
        "dfs": depth_first(argument, "a"),
        "distances": dijkstra(argument, "a"),
        "order": list(TopologicalSorter({"d": ["b", "c"], "b": ["a"], "c": ["a"]}).static_order())[0],
        "cycle": cycle,
    }
