"""Every setting by its section: its default, its meaning and its limits, written here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
MIB = 1024 * 1024


def setting(
    default: T,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declare one setting; the metadata is what `mayfly config show` prints and what `load` checks."""
    metadata = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class SandboxSettings:
    """What one job may use, and how many workers wait for one."""

    timeout: float = setting(30.0, "wall-clock seconds for one job", minimum=0.001)
    memory: int = setting(512 * MIB, "bytes of memory a job may add", minimum=16 * MIB)
    threads: int = setting(16, "threads in one job, the first included", minimum=1)
    descriptors: int = setting(64, "open descriptors in one job", minimum=16)
    output: int = setting(1_000_000, "bytes a job may print", minimum=0)
    result: int = setting(16 * MIB, "bytes of a result as JSON", minimum=64)
    nodes: int = setting(1_000_000, "values in a result, keys included", minimum=64)
    depth: int = setting(100, "nesting of a result", minimum=1)
    source: int = setting(16 * MIB, "bytes of source and argument together", minimum=1024)
    file_size: int = setting(256 * MIB, "bytes of one file written to a workspace", minimum=0)
    workspace_size: int = setting(2048 * MIB, "bytes a workspace may grow to by jobs", minimum=0)
    workspace_files: int = setting(50_000, "files a workspace may grow to by jobs", minimum=0)
    workers: int = setting(0, "one-shot workers kept ready; 0 means one a core", minimum=0)
    jobs: int = setting(32, "jobs at once; more wait their turn", minimum=1)
    pinned: int = setting(8, "pinned workers kept; the least recently used is dropped", minimum=0)
    pinned_calls: int = setting(10_000, "calls before a pinned worker is renewed", minimum=1)
    pinned_age: float = setting(600.0, "seconds before a pinned worker is renewed", minimum=0)
    replay: int = setting(100, "one pinned call in this many is replayed one-shot", minimum=1)
    level: str = setting("best", "which wall to use", choices=("best", "namespaces", "landlock"))
    # A purchase takes a seller and a chain some seconds: a job that needs more than these is not buying, but trying.
    purchases: int = setting(4, "requests to the wallet that one job has under way at once", minimum=1)
    purchase_rate: int = setting(60, "requests to the wallet of one job in a minute", minimum=1)
    purchase_size: int = setting(256 * 1024, "bytes that a job sends with one purchase", minimum=0, maximum=64 * MIB)
    data_memory: int = setting(0, "bytes of memory for one job about data; 0 means half of the machine's", minimum=0)
    data_threads: int = setting(8, "threads of one query at most; never more than cores", minimum=1)
    data_spill: int = setting(32768 * MIB, "bytes one job about data may write beside what fits in memory", minimum=0)
    data_directory: str = setting("", "directory it writes them to; empty means that of TMPDIR, or /var/tmp")
    # The slowest query that makes sense, a dozen regular expressions for each line, takes a tenth of this.
    data_seconds: float = setting(60.0, "processor seconds for one job about data, however small", minimum=1)
    data_rate: float = setting(600.0, "processor seconds more for each GiB of its input", minimum=0)


@dataclass(frozen=True, kw_only=True)
class WorkbenchSettings:
    """What one command of the workbench may use, and how long commits can be taken back."""

    timeout: float = setting(300.0, "wall-clock seconds for one command", minimum=0.001)
    memory: int = setting(4096 * MIB, "bytes of memory for one command", minimum=16 * MIB)
    tasks: int = setting(512, "processes and threads of one command", minimum=1)
    disk: int = setting(4096 * MIB, "bytes of uncommitted changes and scratch files", minimum=0)
    files: int = setting(200_000, "files among uncommitted changes and scratch files", minimum=0)
    output: int = setting(1_000_000, "characters of a command's output that are kept", minimum=0)
    diff: int = setting(100_000, "characters of one file's diff", minimum=0)
    programs: str = setting(
        "~/.pyenv:~/.cargo/bin:~/.cargo/registry:~/.cargo/git:~/.rustup:~/.nvm:~/.local/bin:~/.local/lib:"
        "~/.local/pipx:~/.local/share/uv:~/.local/share/mise:~/.local/share/pnpm:~/.asdf:~/.volta:~/.rbenv:~/.sdkman:"
        "~/.bun:~/.deno/bin:~/go/bin:~/go/pkg:~/.juliaup:~/.opam:~/.ghcup",
        "directories outside the system's own that hold programs, shown read-only, separated as in PATH",
    )
    undo_commits: int = setting(
        100, "commits of one workspace that can be taken back; all of a running session can", minimum=0
    )
    undo_size: int = setting(
        2048 * MIB, "bytes kept for taking commits back; a change that would need more of a session is held", minimum=0
    )
    level: str = setting("best", "which wall to use", choices=("best", "namespaces", "landlock"))


@dataclass(frozen=True, kw_only=True)
class StoreSettings:
    """Where the ledger lives and how long it waits for a lock."""

    database_url: str = setting("", "PostgreSQL URL; empty means SQLite in the state directory")
    busy_timeout: float = setting(30.0, "seconds to wait for a locked database", minimum=0)
    blob_size: int = setting(64 * MIB, "bytes of one blob", minimum=1)


@dataclass(frozen=True, kw_only=True)
class SchemaSettings:
    """Which database agents extend, with which rights, and what one statement of theirs may take."""

    database_url: str = setting("", "PostgreSQL URL of the database agents extend; empty: the store's")
    role: str = setting("mayfly_agent", "role their statements run as where the server has it")
    readable: str = setting("", "tables besides agent_* that agents may read, separated by commas")
    lock_timeout: float = setting(30.0, "seconds a migration waits for a lock", minimum=0.001)
    statement_timeout: float = setting(30.0, "seconds one statement of an agent may take", minimum=0.001)
    rows: int = setting(1000, "rows that one query of an agent gives", minimum=1)
    bytes: int = setting(1_000_000, "characters of the rows that one query of an agent gives", minimum=1)


@dataclass(frozen=True, kw_only=True)
class GateSettings:
    """What the gates demand, beyond the limits that follow from tier and depth."""

    criteria: str = setting("", "TOML file with the judge's criteria; empty means the shipped ones")
    complexity: float = setting(20.0, "complexity of a function, times the budget", minimum=1)
    arms: float = setting(5.0, "arms of one choice, times the budget, but at least 2", minimum=0)
    import_risk: float = setting(0.5, "sum of the risks of imports, times the budget", minimum=0)
    judge_reject: float = setting(0.3, "weighted pass rate below which the judge refuses", minimum=0)
    source: int = setting(100_000, "bytes of one source", minimum=1, maximum=1_000_000)
    mutants: int = setting(24, "mutants a proof tries to catch", minimum=0)
    inputs: int = setting(60, "inputs of the domain that a program is tried on", minimum=0)
    test_timeout: float = setting(5.0, "seconds for one job of tests", minimum=0.1)
    adversary_seconds: float = setting(5.0, "seconds for the adversarial run", minimum=0)
    adversary_memory: int = setting(100 * MIB, "bytes for the adversarial run", minimum=16 * MIB)
    type_memory: int = setting(400 * MIB, "bytes at which the type server is renewed", minimum=0)
    type_timeout: float = setting(20.0, "seconds for one type check", minimum=0.1)


@dataclass(frozen=True, kw_only=True)
class ForgeSettings:
    """How hard something is tried before help is asked for."""

    attempts: int = setting(3, "attempts at writing one agent; the budget may allow fewer", minimum=1)
    synthesis: float = setting(5.0, "seconds of computing to look for a program by example", minimum=0.01)
    rivals: int = setting(
        1,
        "second programs: 0 none, 1 where nothing else speaks for the first, 2 also where something is open",
        minimum=0,
        maximum=2,
    )
    judge: str = setting("", "'model' asks a model to judge below tier authored, too")
    sample: int = setting(2000, "lines of the input that are looked at before writing", minimum=1)


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Which model writes, and what one run may spend on it."""

    name: str = setting("", "model used where none is named; empty means none, programs by example")
    base_url: str = setting("", "server that speaks OpenAI's chat completions, for a bare NAME")
    calls: int = setting(20, "model calls in one run", minimum=0)
    input_tokens: int = setting(1_000_000, "tokens sent to models in one run", minimum=0)
    output_tokens: int = setting(200_000, "tokens written by models in one run", minimum=0)
    money: float = setting(1.0, "dollars spent on models in one run, where the price is known", minimum=0)
    attempts: int = setting(3, "attempts at one call", minimum=1)
    retry_delay: float = setting(0.5, "seconds before the second attempt", minimum=0)
    retry_factor: float = setting(2.0, "how much longer each further wait is", minimum=1)
    retry_after: float = setting(30.0, "longest wait a server may ask for", minimum=0)
    timeout: float = setting(120.0, "seconds for one call with its retries", minimum=0.01)
    max_output: int = setting(8192, "tokens of one answer", minimum=1)
    max_answer: int = setting(1_000_000, "bytes of one answer", minimum=1)


@dataclass(frozen=True, kw_only=True)
class LibrarySettings:
    """How long something proven is remembered, and what tools of the library may do."""

    ttl: float = setting(3600.0, "seconds a proven agent is found again", minimum=0)
    size: int = setting(100, "proven agents remembered; the least recently used goes first", minimum=0)
    grants: str = setting(
        "net:*,package",
        "what a tool of the library may reach unless it says so itself, separated by commas; none: nothing",
    )
    timeout: float = setting(30.0, "seconds for one call of a tool of the library", minimum=0.1)
    result: int = setting(1_000_000, "bytes of what such a call may give back", minimum=1024)
    retire: float = setting(180.0, "days without a call after which a tool is retired", minimum=0)
    twins: int = setting(25, "tools of the same types that a new one is compared with", minimum=0)
    package_bytes: int = setting(1024 * MIB, "bytes of one installed package with all it needs", minimum=1)
    package_seconds: float = setting(600.0, "seconds for installing one", minimum=1)
    foreign: str = setting(
        "refuse",
        "tools that another machine of the same store has sealed: refused, or proven here before their first call",
        choices=("refuse", "prove"),
    )
    offered: int = setting(12, "tools of the library that an agent is shown for a request", minimum=0)


@dataclass(frozen=True, kw_only=True)
class PromotionSettings:
    """What a capability needs to be kept in git as promoted, and what brings it down again."""

    runs: int = setting(100, "promotion needs more proven runs than this", minimum=0)
    quorum: int = setting(3, "votes of different identities for it, and more than are against it", minimum=1)
    failures: int = setting(3, "so many failures that nobody settled bring a promoted capability down", minimum=1)
    directory: str = setting(
        "",
        "where promoted capabilities lie, in the git repository it is part of; empty means promoted in the state "
        "directory, a repository of its own",
    )


@dataclass(frozen=True, kw_only=True)
class StagingSettings:
    """How long a change of a built-in tool is tried before it is taken in, and watched afterwards."""

    compile: float = setting(120.0, "seconds for syntax, gates and types of the change", minimum=0.1)
    tests: float = setting(120.0, "seconds for the tests of the changed file", minimum=0.1)
    smoke: float = setting(180.0, "seconds for starting the changed product", minimum=0.1)
    health: float = setting(300.0, "seconds in which a crash of a changed tool takes the change back", minimum=0)
    cooldown: float = setting(
        300.0, "seconds after a change was taken back in which its tool is not staged again", minimum=0
    )


@dataclass(frozen=True, kw_only=True)
class PolicySettings:
    """Which rules are in force besides the shipped ones, and what a decision may cost."""

    rules: str = setting("", "further rule files or directories, separated as in PATH")
    packages: str = setting("", "packages that agents install without asking, separated by commas")
    hosts: str = setting("", "hosts that may be reached without asking, separated by commas")
    send_hosts: str = setting("", "hosts that data may be sent to without asking, separated by commas")
    spend_limit: int = setting(0, "cents that may be spent at once without asking", minimum=0)
    spend_session: int = setting(0, "cents one session may spend in all without asking; 0: spend_limit", minimum=0)
    spend_day: int = setting(0, "cents spent on one day (UTC) without asking; 0: ten times spend_limit", minimum=0)
    removals: int = setting(
        100, "files that git tracks that may be deleted or emptied in one session without asking", minimum=0
    )
    facts: int = setting(200_000, "facts one decision may derive", minimum=1)
    seconds: float = setting(2.0, "seconds of processor one decision may take", minimum=0.001)
    approval: float = setting(600.0, "seconds an approval lasts", minimum=1)
    longest_approval: float = setting(86_400.0, "seconds an approval may last at most", minimum=1)
    denials: int = setting(3, "denials of one kind that ask for a look at the rules", minimum=0)
    overrides: int = setting(2, "approvals of one kind that ask for a look at the rules", minimum=0)
    review_window: float = setting(3600.0, "seconds over which these are counted", minimum=1)
    proposals: int = setting(100, "facts a model may propose in one turn", minimum=0)
    debounce: float = setting(0.5, "seconds a rule file has to rest before it is read again", minimum=0)


@dataclass(frozen=True, kw_only=True)
class PersonaSettings:
    """How long a prompt may be, how its atoms are weighed, and what a configuration of the user's may give."""

    budget: int = setting(8192, "tokens of a compiled prompt, the headroom included", minimum=1)
    largest: int = setting(200_000, "tokens a prompt may have, whatever the budget says", minimum=1)
    fallback: int = setting(4096, "tokens of the plain prompt, where the full one fails", minimum=1)
    headroom: int = setting(500, "tokens of the budget that are left free", minimum=0)
    reserve: int = setting(8000, "tokens of a model's window kept for its answer", minimum=0)
    logic_weight: float = setting(0.7, "what an atom's priority counts", minimum=0, maximum=1)
    similarity_weight: float = setting(0.3, "what an atom's nearness to the request counts", minimum=0, maximum=1)
    threshold: float = setting(0.1, "score below which an atom stays out", minimum=0)
    shares: str = setting("", "parts of the budget by kind of atom, as in language=20,framework=5")
    tier: str = setting(
        "authored",
        "tier up to which configurations of the user's may give tools",
        choices=("ephemeral", "memo", "authored", "promoted", "builtin"),
    )
    files: int = setting(5000, "files and directories looked at to see what a workspace is", minimum=0)


@dataclass(frozen=True, kw_only=True)
class PromiseSettings:
    """How large a tree of promises may become, what it may use, and where its leaves run."""

    engine: str = setting("local", "where leaves run: local, ray (what `mayfly ray up` began) or ray://HOST:PORT")
    max_depth: int = setting(3, "levels below the root", minimum=0, maximum=50)
    chaos_threshold: float = setting(0.1, "budget below which nothing is tried", minimum=0, maximum=1)
    max_children: int = setting(64, "children of one promise that is planned or that grows", minimum=0)
    max_nodes: int = setting(20_000, "promises in one tree", minimum=1)
    seconds: float = setting(3600.0, "wall-clock seconds for one tree", minimum=0)
    sandbox_seconds: float = setting(3600.0, "seconds behind the wall for one tree", minimum=0)
    parallel: int = setting(32, "leaves of one tree at once", minimum=1)
    part_size: int = setting(16 * MIB, "bytes of one part of a large file of lines", minimum=4096)
    split_from: int = setting(
        64 * MIB,
        "bytes from which a file of lines is split into parts, and a question about many files into tasks of a cluster",
        minimum=1,
    )
    retries: int = setting(5, "further tries of a leaf whose worker was lost", minimum=0)
    retry_delay: float = setting(1.0, "seconds before the first of them", minimum=0)
    retry_factor: float = setting(2.0, "how much longer each further wait is", minimum=1)
    ray_hosts: str = setting("", "hosts outside private networks whose Ray may be connected to, separated by commas")
    ray_keep: str = setting("", "variables a Ray worker keeps of its machine's environment, separated by commas")
    kill_cache: float = setting(1.0, "seconds a look at the kill switch lasts", minimum=0)


@dataclass(frozen=True, kw_only=True)
class SessionSettings:
    """How far an agent with tools may go in a turn, and how many of them there may be."""

    tool_calls: int = setting(50, "tool calls in one turn", minimum=1)
    tool_timeout: float = setting(300.0, "seconds for one tool call", minimum=0.1)
    result: int = setting(8192, "bytes of a tool's result that the model is given", minimum=1024)
    history: int = setting(50, "turns that are told to the model as they were", minimum=2)
    campaign: int = setting(10, "times an agent in mode Campaign is asked to go on", minimum=0)
    model_calls: int = setting(200, "model calls in one session", minimum=0)
    agents: int = setting(10, "agents at work at the same time", minimum=0)
    agent_seconds: float = setting(1800.0, "seconds one spawned agent works on a task", minimum=1)
    agent_turns: int = setting(100, "turns of one spawned agent", minimum=1)
    agent_idle: float = setting(300.0, "seconds until an idle persistent agent is parked", minimum=0)
    profile: str = setting(
        "asking", "who approves: a person, or the profile up to a number", choices=("asking", "autonomous")
    )
    approvals: int = setting(20, "approvals the profile autonomous gives in one session", minimum=0)
    hosts: str = setting("", "hosts and tcp:HOST:PORT that commands may reach, separated by commas")
    mcp: str = setting("", "JSON file that names MCP servers; empty means mcp.json in the state directory")


@dataclass(frozen=True, kw_only=True)
class ToolSettings:
    """How much the tools of a session take of the web, of a workspace and of other servers."""

    web_seconds: float = setting(30.0, "seconds for one page of the web", minimum=0.1)
    web_bytes: int = setting(4 * MIB, "bytes of one page of the web", minimum=1)
    web_characters: int = setting(400_000, "characters of its text", minimum=1)
    code_files: int = setting(5000, "files read to see who depends on what", minimum=1)
    code_seconds: float = setting(30.0, "seconds of reading them", minimum=0)
    mcp_connect: float = setting(30.0, "seconds until an MCP server has answered", minimum=0.1)
    mcp_call: float = setting(120.0, "seconds for one call of an MCP server's tool", minimum=0.1)
    mcp_tools: int = setting(100, "tools that one MCP server may offer", minimum=0)
