"""`mayfly ray`: a Ray cluster on this machine, to try out what many machines do."""

from typing import Annotated, Any

import typer

from mayfly.cli._output import AsJson, answer, answer_either, answer_json, command, group, note
from mayfly.core import Settings

app = group("A Ray cluster on this machine, to try things out. Use it with MAYFLY_ENGINE=ray.")


@app.command()
def up(
    *,
    nodes: Annotated[int, typer.Option("--nodes", help="How many nodes.")] = 2,
    cpus: Annotated[
        int | None, typer.Option("--cpus", help="Cores of each node; all of them shared otherwise.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start a cluster that listens on loopback only and stays until `mayfly ray down`."""
    from mayfly.promise.engines import TryOut

    cluster, new = TryOut(Settings.load()).up(nodes=nodes, cpus=cpus)
    if as_json:
        answer_json({"started": new, **_told(cluster)})
        return
    answer(f"{'started' if new else 'already up'}: {_sentence(cluster)}")
    note("use it: MAYFLY_ENGINE=ray MAYFLY_DATABASE_URL=postgresql://...")


@app.command()
def status(*, as_json: AsJson = False) -> None:
    """Say whether the cluster is up; the exit status is 1 where it is not."""
    from mayfly.promise.engines import TryOut

    cluster = TryOut(Settings.load()).find()
    alive = cluster is not None and cluster.alive
    if as_json:
        answer_json({"up": alive, **(_told(cluster) if cluster is not None else {})})
    elif cluster is None:
        answer("not up")
    else:
        dead = cluster.raylets_alive.count(False)
        lost = f", {dead} of them dead; run: {command()} ray down" if dead else ""
        answer(f"up: {_sentence(cluster)}{lost}" if alive else f"died; run: {command()} ray down")
    if not alive:
        raise typer.Exit(1)


@app.command()
def down(*, as_json: AsJson = False) -> None:
    """End the cluster, exactly the processes that `mayfly ray up` started."""
    from mayfly.promise.engines import TryOut

    cluster, killed = TryOut(Settings.load()).down()
    answer_either(
        {"ended": cluster is not None, "killed": killed},
        "ended" if cluster is not None else "nothing was up",
        as_json=as_json,
    )


def _sentence(cluster: Any) -> str:
    nodes = f"{cluster.nodes} node{'s' if cluster.nodes != 1 else ''}"
    cores = f"{cluster.cpus} core{'s' if cluster.cpus != 1 else ''} each"
    return f"{nodes} of {cores} at {cluster.address}"


def _told(cluster: Any) -> dict[str, Any]:
    return {
        "address": str(cluster.address),
        "nodes": cluster.nodes,
        "cpus": cluster.cpus,
        "pid": cluster.keeper,
        "alive": sum(cluster.raylets_alive),
        "directory": cluster.directory,
    }
