"""Join one more node to a cluster on loopback, say its process number, and end it when stdin ends."""

import sys
from importlib import import_module


def main(address: str) -> None:
    params = import_module("ray._private.parameter").RayParams(
        gcs_address=address,
        redis_address=address,
        node_ip_address="127.0.0.1",
        num_cpus=2,
        num_gpus=0,
        object_store_memory=100 * 1024 * 1024,
        min_worker_port=0,
        max_worker_port=0,
        node_manager_port=0,
        include_log_monitor=False,
        dashboard_agent_listen_port=None,
    )
    node = import_module("ray._private.node").Node(params, head=False, shutdown_at_exit=False, spawn_reaper=False)
    print(node.all_processes["raylet"][0].process.pid, flush=True)
    sys.stdin.read()
    node.kill_all_processes(check_alive=False, allow_graceful=False, wait=True)


if __name__ == "__main__":
    main(sys.argv[1])
