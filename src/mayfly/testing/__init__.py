"""What tests of agents need and our own tests use: a scripted model, a clock that stands still, real servers.

PostgreSQL and Ray have to be installed where they are asked for; nothing here needs pytest.
"""

from mayfly.testing._chat_server import ChatReply, ChatServer, chat_server
from mayfly.testing._cluster import SentLeaves, behind_the_wall, kill_node, ray_cluster, stop_workers
from mayfly.testing._doubles import FakeClock, RunWatch, write_access_log, write_script
from mayfly.testing._postgres import PostgresServer, own_postgres, postgres_schema, postgres_server
from mayfly.testing._processes import alive, below, command_of, in_background, kill, until
from mayfly.testing._spinner import keep_spinner, spinning

__all__ = [
    "ChatReply",
    "ChatServer",
    "FakeClock",
    "PostgresServer",
    "RunWatch",
    "SentLeaves",
    "alive",
    "behind_the_wall",
    "below",
    "chat_server",
    "command_of",
    "in_background",
    "keep_spinner",
    "kill",
    "kill_node",
    "own_postgres",
    "postgres_schema",
    "postgres_server",
    "ray_cluster",
    "spinning",
    "stop_workers",
    "until",
    "write_access_log",
    "write_script",
]
