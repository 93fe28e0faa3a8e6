"""Keep a try-out cluster running: started by `mayfly ray up` as a process of its own, ended by `mayfly ray down`.

Every node listens on loopback only, which `ray start` cannot do for a second node: it takes a loopback address for a
mistake. So the nodes are started by Ray's own `Cluster`. One line of JSON on stdout says where they are.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from importlib import import_module
from typing import Any

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Start as many nodes as asked, say so, and wait to be ended."""
    wanted = json.loads(arguments[0])
    os.chdir("/")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
    if wanted["with_parent"]:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    common = {
        "num_cpus": wanted["cpus"],
        "node_ip_address": "127.0.0.1",
        "object_store_memory": wanted["object_store"],
        "include_log_monitor": False,
    }
    head: dict[str, Any] = {"include_dashboard": False}
    if wanted["client"]:
        head |= {"ray_client_server_port": wanted["client"], "runtime_env_agent_port": wanted["agent"]}
    cluster = import_module("ray.cluster_utils").Cluster(initialize_head=True, head_node_args=common | head)
    try:
        for _ in range(wanted["nodes"] - 1):
            cluster.add_node(**common)
        sys.stdout.write(json.dumps(_describe(cluster)) + "\n")
        sys.stdout.flush()
        _close_stdout()
        signal.sigwait({signal.SIGTERM, signal.SIGINT})
    finally:
        cluster.shutdown()


def _describe(cluster: Any) -> dict[str, Any]:
    raylets = [node.all_processes["raylet"][0].process.pid for node in cluster.list_all_nodes()]
    return {"pid": os.getpid(), "address": cluster.address, "raylets": raylets}


def _close_stdout() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


if __name__ == "__main__":
    main(sys.argv[1:])
