"""Made files of many kinds, in the state in which files are found."""

import json
import random
from datetime import datetime, timedelta

_START = datetime(2025, 3, 1, 8)
_NAMES = ("alice", "bob", "carol", "dan")


def _when(number: int, layout: str) -> str:
    return (_START + timedelta(minutes=37 * number)).strftime(layout)


def every_kind(seed: int = 7, number: int = 60) -> dict[str, list[object]]:
    """Return the items of one file of each kind."""
    source = random.Random(seed)
    makers = {name: maker for name, maker in globals().items() if name.startswith("make_")}
    return {
        name.removeprefix("make_"): [item for at in range(number) for item in maker(source, at)]
        for name, maker in makers.items()
    }


def make_csv(source: random.Random, at: int) -> list[object]:
    head = ['Order no,When,Customer,"Price ($)",Qty,Paid,Note'] if at == 0 else []
    note = source.choice(["", '"a, b"', '"say ""hi"""', '"two\nlines"', "plain"])
    row = f'{100 + at},{_when(at, "%m/%d/%Y")},{source.choice(_NAMES)},"${source.random() * 5000:,.2f}"'
    number, truth = source.choice(["1", "22", "n/a", ""]), source.choice(["true", "false"])
    return [*head, *f"{row},{number},{truth},{note}".split("\n")]


def make_semicolons(source: random.Random, at: int) -> list[object]:
    head = ["\ufeffDatum;Ort;Betrag;Anteil"] if at == 0 else []
    amount = f"{source.random() * 9000:.2f}".replace(".", ",")
    return [*head, f"{_when(at, '%d.%m.%Y %H:%M')};{source.choice(['Köln', 'Łódź'])};{amount} €;{at % 90}%"]


def make_tabs(source: random.Random, at: int) -> list[object]:
    head = ["id\tlast seen\tsize\ttook\tbalance"] if at == 0 else []
    if at == 20:
        head = ["id\tlast seen\tsize\ttook\tbalance"]
    size, took = source.choice(["12K", "3.4M", "800"]), source.choice(["2d14h", "41m", "5h3m", "9s"])
    balance = source.choice(["(1,234.50)", "12.00", "5.00-", "-3.10"])
    return [*head, f"{at:04}\t{_when(at, '%Y-%m-%dT%H:%MZ')}\t{size}\t{took}\t{balance}"]


def make_access(source: random.Random, at: int) -> list[object]:
    request = source.choice([f"GET /p{at % 5} HTTP/1.1", "POST /a b HTTP/1.1", "-", "\\x16\\x03"])
    return [
        f'192.0.2.{at % 9} - {source.choice(["-", "alice"])} [{_when(at, "%d/%b/%Y:%H:%M:%S")} +0000] "{request}" '
        f'{source.choice([200, 404, 500])} {source.choice(["-", str(at * 10)])} "-" '
        f'"curl/8 (\\"x\\")" rt={source.random():.3f}'
    ]


def make_messages(source: random.Random, at: int) -> list[object]:
    message = source.choice(
        [
            f"job {source.choice(_NAMES)} started (attempt {at % 4})",
            f"job {source.choice(_NAMES)} finished in {source.choice(['1,802 ms', '50 ms'])}",
            f"GET /v1/x{at % 3} -> {source.choice([200, 503])} client=10.0.0.{at % 7} tenant=t{at % 3}",
            f"paid {at}.50 EUR, mail bob@x.example #food",
        ]
    )
    return [f"{_when(at, '%Y-%m-%d %H:%M:%S')},{at:03} [{source.choice(['INFO ', 'ERROR'])}] {message}"]


def make_traces(source: random.Random, at: int) -> list[object]:
    head = f"{_when(at, '%Y-%m-%d %H:%M:%S')} | {source.choice(['INFO    ', 'CRITICAL'])} | runner  | job {at} ran"
    python = ["Traceback (most recent call last):", '  File "a.py", line 3', "    go()", "", f"KeyError: 'k{at % 3}'"]
    java = ["java.lang.IllegalStateException: bad", "\tat a.B.c(B.java:1)", "Caused by: java.io.IOException: full"]
    return [head, *source.choice([[], [], python, java, [""]])]


def make_firewall(source: random.Random, at: int) -> list[object]:
    port = source.choice([f" SPT={at} DPT={source.choice([22, 443])}", ""])
    verdict = source.choice(["BLOCK", "ALLOW"])
    head = f"{_when(at, '%b')} {1 + at % 28:2} {_when(at, '%H:%M:%S')} edge kernel: [{at}.0] [UFW {verdict}]"
    return [f"{head} IN=eth0 OUT= SRC=192.0.2.{at % 9} DST=10.0.0.1 LEN={at} PROTO=TCP{port} SYN"]


def make_pairs(source: random.Random, at: int) -> list[object]:
    more = ' reason="card \\"x\\" declined"' if at % 5 == 0 else ""
    when = _when(at, "%Y-%m-%dT%H:%M:%SZ")
    return [f"ts={when} lvl=info took={at}ms amount={at / 4} user={source.choice(_NAMES)}{more}"]


def make_listing(source: random.Random, at: int) -> list[object]:
    head = ["total 123"] if at == 0 else []
    rights = f"{source.choice('-dl')}rw-r--r--  1 root  {source.choice(_NAMES):8}"
    return [*head, f"{rights} {at * 99:7} {_when(at, '%b')} {at % 28 + 1:2} 10:30 a {at}.txt"]


def make_columns(source: random.Random, at: int) -> list[object]:
    head = ["NAME        STATUS      RESTARTS        AGE"] if at == 0 else []
    again = source.choice(["0", "36 (40m ago)", "2 (3d ago)"])
    status, age = source.choice(["Running", "Pending"]), source.choice(["41m", "2d14h"])
    return [*head, f"pod-{at:<7} {status:11} {again:15} {age}"]


def make_processes(source: random.Random, at: int) -> list[object]:
    head = ["USER   PID %CPU TIME COMMAND"] if at == 0 else []
    name, load, time = source.choice(_NAMES), source.random() * 9, source.choice(["196:55", "0:07"])
    return [*head, f"{name:6} {at:4} {load:.1f} {time} /bin/x --port {at}"]


def make_ruled(source: random.Random, at: int) -> list[object]:
    head = [f"STOCK    page {at // 20 + 1}", "", "Item No Kind         Qty  Amount", "------- ------------ --- -------"]
    kind, qty = source.choice(["hex bolt", "washer", "spring wire"]), source.choice(["-", "7", "120"])
    return [*(head if at % 20 == 0 else []), f"P-{at:04}  {kind:12} {qty:>3} {source.random() * 2000:7.1f}"]


def make_places(source: random.Random, at: int) -> list[object]:
    head = ["Open sockets (all)", "Proto Recv-Q Local Address    State   Program"] if at == 0 else []
    state = source.choice(["LISTEN", ""])
    return [*head, f"tcp   {at:6} 10.0.0.{at % 9}:{80 + at:<6} {state:7} {source.choice(['12/sshd', '9/nginx: x'])}"]


def make_commented(source: random.Random, at: int) -> list[object]:
    head = ["# towing", "# date time | unit | miles | charge"] if at == 0 else []
    miles, charge = source.choice(["17.8 mi", "", "3 mi"]), f"${source.random() * 2000:,.2f}"
    return [*head, f"{_when(at, '%m/%d/%Y %I:%M %p')} | Unit {at % 7} | {miles} | {charge}"]


def make_remarks(source: random.Random, at: int) -> list[object]:
    line = f'{_when(at, "%Y-%m-%d %H:%M")} upper-lock "{source.choice(_NAMES)}" wait={source.choice(["-", "4min"])}'
    return [*(["-- keeper change --"] if at % 13 == 5 else []), f"{line} crew={at % 5}"]


def make_queue(source: random.Random, at: int) -> list[object]:
    head = ["     JOBID  USER ST       TIME NODELIST(REASON)"] if at == 0 else []
    took = source.choice(["0:00", "12:41:52", "2-12:19:06"])
    return [*head, f"    {884000 + at} {source.choice(_NAMES):>5} PD {took:>10} {source.choice(['(Priority)', 'n 1'])}"]


def make_never(source: random.Random, at: int) -> list[object]:
    used = source.choice([_when(at, "%d %b %Y"), "never", "?"])
    return [*(["no;item;last used"] if at == 0 else []), f"{at:04};{source.choice(['phone', '—', 'goblet'])};{used}"]


def make_cards(source: random.Random, at: int) -> list[object]:
    head = ["Trees", "=====", ""] if at == 0 else []
    note = ["Note: prune"] if at % 3 == 0 else []
    return [*head, f"Name: {source.choice(_NAMES)}", f"Height: {at}.5 m", *note, source.choice(["", "-----"])]


def make_packages(source: random.Random, at: int) -> list[object]:
    suite = source.choice(["stable", "backports"])
    head = ["Listing... Done"] if at == 0 else []
    return [*head, f"{source.choice(_NAMES)}{at}/{suite} 1.{at}-1 all [upgradable from: 1.0.{at}]"]


def make_bars(source: random.Random, at: int) -> list[object]:
    return [f"{_when(at, '%Y-%m-%d %H:%M:%S')}|INFO|auth|{source.choice(['login ok', 'slow query'])}|{at * 7}"]


def make_users(source: random.Random, at: int) -> list[object]:
    return [f"{source.choice(_NAMES)}:x:{at}:100:{source.choice(['', 'A B,,'])}:/home/{at}:/bin/sh"]


def make_iis(source: random.Random, at: int) -> list[object]:
    head = ["#Software: x", "#Fields: date time c-ip cs-method sc-status time-taken"] if at == 0 else []
    return [*head, f"{_when(at, '%Y-%m-%d %H:%M:%S')} 10.0.0.{at % 9} GET {source.choice([200, 404])} {at}"]


def make_json_lines(source: random.Random, at: int) -> list[object]:
    record: dict[str, object] = {"at": _when(at, "%Y-%m-%dT%H:%M:%SZ"), "n": at, "price": f"{at / 4:.2f}"}
    record |= {"user": {"name": source.choice(_NAMES), "vip": at % 2 == 0}, "tags": ["a", "b"][: at % 3]}
    return [json.dumps(record)] if at % 9 else [json.dumps(record), '{"at": "2025']


def make_objects(source: random.Random, at: int) -> list[object]:
    lines = [{"sku": source.choice("AB"), "qty": at % 4}] * (at % 3)
    when, ok = 1_740_816_000 + 977 * at, source.random() < 0.5
    record: dict[str, object] = {"id": at, "when": when, "lines": lines, "ok": ok}
    return [record if at % 4 else {**record, "note": "x"}]


def make_text(source: random.Random, at: int) -> list[object]:
    paid = f"Paid $2,{at:03}.75 to bob@x.example on 04.11.2025"
    return [source.choice(["Lunch?", "", paid, "see https://x.example/a, 10.9.8.7"])]


def make_unknown(source: random.Random, at: int) -> list[object]:
    return [f"{source.choice(_NAMES)} <{at}> {source.choice(['LOGIN', 'LOGOUT'])} took {at}ms from 192.0.2.{at % 7}"]
