"""`mayfly ray`: a Ray cluster on this machine, to try out what many machines do."""

from typing import Annotated, Any

import typer

from mayfly.cli._frame import Shown, shows
from mayfly.cli._output import command, group
from mayfly.core import Settings

app = group("A Ray cluster on this machine, to try things out. Use it with MAYFLY_ENGINE=ray.")


@app.command()
@shows
def up(
    *,
    nodes: Annotated[int, typer.Option("--nodes", help="How many nodes.")] = 2,
    cpus: Annotated[
        int | None, typer.Option("--cpus", help="Cores of each node; all of them shared otherwise.")
    ] = None,
) -> Shown:
    """Start a cluster that listens on loopback only and stays until `mayfly ray down`."""
    from mayfly.promise.engines import TryOut

    cluster, new = TryOut(Settings.load()).up(nodes=nodes, cpus=cpus)
    return Shown(
        {"started": new, **_cluster_fields(cluster)},
        f"{'started' if new else 'already up'}: {_sentence(cluster)}",
        "use it: MAYFLY_ENGINE=ray MAYFLY_DATABASE_URL=postgresql://...",
    )


@app.command()
@shows
def status() -> Shown:
    """Say whether the cluster is up; the exit status is 1 where it is not."""
    from mayfly.promise.engines import TryOut

    cluster = TryOut(Settings.load()).find()
    if cluster is None:
        return Shown({"up": False}, "not up", status=1)
    dead = cluster.raylets_alive.count(False)
    lost = f", {dead} of them dead; run: {command()} ray down" if dead else ""
    said = f"up: {_sentence(cluster)}{lost}" if cluster.alive else f"died; run: {command()} ray down"
    return Shown({"up": cluster.alive, **_cluster_fields(cluster)}, said, status=0 if cluster.alive else 1)


@app.command()
@shows
def down() -> Shown:
    """End the cluster, exactly the processes that `mayfly ray up` started."""
    from mayfly.promise.engines import TryOut

    cluster, killed = TryOut(Settings.load()).down()
    ended = cluster is not None
    return Shown({"ended": ended, "killed": killed}, "ended" if ended else "nothing was up")


def _sentence(cluster: Any) -> str:
    nodes = f"{cluster.nodes} node{'s' if cluster.nodes != 1 else ''}"
    cores = f"{cluster.cpus} core{'s' if cluster.cpus != 1 else ''} each"
    return f"{nodes} of {cores} at {cluster.address}"


def _cluster_fields(cluster: Any) -> dict[str, Any]:
    return {
        "address": str(cluster.address),
        "nodes": cluster.nodes,
        "cpus": cluster.cpus,
        "pid": cluster.keeper,
        "alive": sum(cluster.raylets_alive),
        "directory": cluster.directory,
    }
