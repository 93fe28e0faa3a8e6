"""One way to talk to either database: a few connections, transactions, and faults as one clear line.

Statements are written once, with `?` for values; what SQLite and PostgreSQL do not share is in the class of each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from weakref import WeakSet

from mayfly.core import Settings, StoreError

if TYPE_CHECKING:
    from mayfly.store._claim import Right

Row: TypeAlias = tuple[Any, ...]

# So many threads of a process may be inside at once; a server has a hundred places for everybody.
MOST = 8
# Rows fetched at a time where a whole table is read.
_PAGE = 5000
# Both databases take a wait in milliseconds that fits 32 bits.
LONGEST_WAIT = 1_000_000.0
ELSEWHERE = "set MAYFLY_STATE_DIR to a directory you can write to"


def where(*conditions: tuple[str, object]) -> tuple[str, list[object]]:
    """Return the WHERE of conditions, and its values: None, and a list with nothing in it, is no condition.

    In one about a list, ``IN ?`` stands for one of its values.
    """
    given = [(text, value) for text, value in conditions if value is not None and value != []]
    texts, values = [], list[object]()
    for text, value in given:
        several = value if isinstance(value, list) else [value]
        texts.append(text.replace("IN ?", f"IN ({', '.join('?' * len(several))})"))
        values += several
    return f"WHERE {' AND '.join(texts)}" if texts else "", values


class Connection:
    """Carry out statements inside one transaction."""

    def __init__(self, database: Database, driver: Any, pipe: Any = None) -> None:
        """*pipe* is what statements wait in until one is answered, where there is such a thing."""
        self.database = database
        self.driver = driver
        self._pipe = pipe

    def run(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Carry out one statement and return its rows, none where it gives none."""
        cursor = self.database.send(self.driver, sql, values)
        if self._pipe is not None:
            self._pipe.sync()
        return cursor.fetchall() if cursor.description else []

    def send(self, sql: str, values: Sequence[object] = ()) -> None:
        """Carry out one statement of which nothing is wanted back; what is wrong with it is said at the latest by the
        next one that is answered, or by the commit."""
        self.database.send(self.driver, sql, values)

    def ask(self, sql: str, values: Sequence[object] = ()) -> Callable[[], list[Row]]:
        """Carry out one statement and return what gives its rows: several may be asked before one is awaited."""
        fetch: Callable[[], list[Row]] = self.database.send(self.driver, sql, values).fetchall
        return fetch

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """Return the first column of the first row, None where there is no row."""
        rows = self.run(sql, values)
        return rows[0][0] if rows else None

    def each(self, table: str, columns: Sequence[str], key: Sequence[str]) -> Iterator[Row]:
        """Yield every row of a table in the order of its key, a page at a time."""
        names, marks = ", ".join(key), ", ".join("?" * len(key))
        query, end = f"SELECT {', '.join(columns)} FROM {table}", f"ORDER BY {names} LIMIT {_PAGE}"
        rows = self.run(f"{query} {end}")
        while rows:
            yield from rows
            after = [rows[-1][columns.index(name)] for name in key]
            rows = self.run(f"{query} WHERE ({names}) > ({marks}) {end}", after)

    def run_many(self, sql: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one statement for each of the rows."""
        self.driver.cursor().executemany(self.database.written(sql), rows)

    def lock(self, table: str) -> None:
        """Wait for the right to append to *table*, until the transaction ends."""
        if self.database.lock is not None:
            self.send(self.database.lock, [table])


class Ear(ABC):
    """Something that says when there may be more, on a connection of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._driver: Any = None

    @abstractmethod
    def wait(self) -> None:
        """Return after a short while, or as soon as something is heard."""

    @abstractmethod
    def heard(self) -> bool:
        """Whether there may be something new since the last call; uses the connection, so no fork may be under way."""

    def close(self) -> None:
        """Let go of the connection; the next call makes another."""
        driver, self._driver = self._driver, None
        self._database.close(driver)


class Database(ABC):
    """Hold the connections to one database, made when they are first needed."""

    dialect: ClassVar[str]
    # How a transaction begins that reads, and one that writes.
    read: ClassVar[str]
    write: ClassVar[str]
    snapshot: ClassVar[str]
    # How many tables of one name there are.
    has_table: ClassVar[str]
    # Whether the table of strategies is ours; where an application shares the database it may have one of its own.
    has_strategies: ClassVar[str]
    # How to wait for the right to append to a table; None where beginning to write gave it.
    lock: ClassVar[str | None]
    # Whether nothing is kept for certain where a commit is answered by an error; a lost connection leaves it open.
    undoes_failed_commit: ClassVar[bool]

    def __init__(self, settings: Settings, *, name: str, errors: type[Exception]) -> None:
        self.name = name
        self.errors = errors
        self.wait = min(settings.store.busy_timeout, LONGEST_WAIT)
        # A place without a connection holds None; the one given back last is taken first.
        self._places: LifoQueue[Any] = LifoQueue()
        for _ in range(MOST):
            self._places.put(None)
        # Those who listen for more hold a connection each, which no fork may see open either.
        self._ears: WeakSet[Ear] = WeakSet()

    @abstractmethod
    def connect(self) -> Any:
        """Return a fresh connection of the driver that commits each statement unless told otherwise."""

    @abstractmethod
    def fault(self, error: Exception) -> StoreError:
        """Say in one line what went wrong, without any secret."""

    @abstractmethod
    def right(self, name: str, settings: Settings) -> Right:
        """Return a way to hold the right to *name* that ends with the process."""

    @abstractmethod
    def claimed(self, connection: Connection, names: Collection[str], settings: Settings) -> set[str]:
        """Return which of the names some process has the right to at this moment, without taking any."""

    @abstractmethod
    def ear(self) -> Ear:
        """Return something that says when another process may have appended."""

    @abstractmethod
    def unguarded(self, connection: Connection) -> AbstractContextManager[None]:
        """Let events be deleted in the body, by this transaction alone, as only the owner of the tables can."""

    def listen(self) -> Ear:
        """Return an `ear` whose connection is closed with the others."""
        made = self.ear()
        self._ears.add(made)
        return made

    def turn(self) -> AbstractContextManager[None]:
        """Wait for the turn to write, where the database itself is not fair about it."""
        return nullcontext()

    def written(self, sql: str) -> str:
        """Return a statement as the driver wants it."""
        return sql

    def pipe(self, driver: Any) -> AbstractContextManager[Any]:
        """Let statements be sent in the body before those before them are answered, where that saves time."""
        return nullcontext()

    def is_lost(self, driver: Any) -> bool:
        """Whether a connection broke while nobody used it."""
        return False

    def statements(self, script: str) -> Iterator[str]:
        """Split a script where the driver takes one statement at a time."""
        yield script

    def send(self, driver: Any, sql: str, values: Sequence[object] = ()) -> Any:
        """Carry out a statement on a connection of the driver; return its cursor."""
        # Without values a percent sign is a percent sign.
        return driver.execute(self.written(sql), values) if values else driver.execute(sql)

    @contextmanager
    def transaction(
        self, *, writing: bool = False, snapshot: bool = False, piped: bool = False
    ) -> Iterator[Connection]:
        """Run the body in one transaction: committed at its end, undone where it raises.

        In a *snapshot* every statement sees the database as it was at the first one. Where it is *piped* the beginning
        and the end go to a server together with what is between; a script of several statements cannot.
        """
        begin = self.write if writing else self.snapshot if snapshot else self.read
        try:
            driver = self._places.get(timeout=max(self.wait, 1.0))
        except Empty:
            raise StoreError(f"{self.name} is busy: no connection came free in time") from None
        try:
            with self.translated(), self.turn() if writing else nullcontext():
                driver = self._usable(driver)
                with self.pipe(driver) if piped else nullcontext() as pipe:
                    driver.execute(begin)
                    yield Connection(self, driver, pipe)
                    driver.execute("COMMIT")
        except BaseException:
            failed, driver = driver, None
            driver = self._undone(failed)
            raise
        finally:
            self._places.put(driver)

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise `StoreError` for whatever the driver raises in the body."""
        try:
            yield
        except self.errors as error:
            raise self.fault(error) from None
        except OSError as error:
            raise StoreError(f"{self.name}: {error.strerror or error}") from None

    def disconnect(self) -> None:
        """Close every connection; nobody may be using one."""
        for driver in [self._places.get_nowait() for _ in range(MOST)]:
            self.close(driver)
            self._places.put(None)
        for ear in list(self._ears):
            ear.close()

    def close(self, driver: Any) -> None:
        """Close a connection in whatever state it is, which undoes what it has not committed."""
        if driver is not None:
            with suppress(self.errors, OSError):
                driver.close()

    def _usable(self, driver: Any) -> Any:
        if driver is not None and self.is_lost(driver):
            self.close(driver)
            driver = None
        return self.connect() if driver is None else driver

    def _undone(self, driver: Any) -> Any:
        """End a transaction that failed; a connection that cannot even do that is given up."""
        try:
            if driver is not None:
                driver.execute("ROLLBACK")
        except self.errors:
            self.close(driver)
            return None
        return driver
