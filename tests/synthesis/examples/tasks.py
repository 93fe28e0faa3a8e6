"""Tasks made up for these tests: what is given, what it leads to, and inputs that were not shown."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """Examples, and further inputs with the outputs a person would expect."""

    name: str
    shown: tuple[tuple[object, object], ...]
    hidden: tuple[tuple[object, object], ...]


def case(name: str, *pairs: tuple[object, object], hidden: int = 1) -> Case:
    return Case(name, pairs[:-hidden], pairs[-hidden:])


TEXTS = (
    case(
        "last name",
        ("Ada Byron", "Byron"),
        ("Alan Mathison", "Mathison"),
        ("Grace Brewster", "Brewster"),
        ("Kurt Friedrich", "Friedrich"),
    ),
    case("initials", ("Ada King", "A.K."), ("Alan Moor", "A.M."), ("Grace Bell", "G.B."), ("Kurt Lang", "K.L.")),
    case(
        "swap",
        ("Ada King", "King, Ada"),
        ("Alan Moor", "Moor, Alan"),
        ("Grace Bell", "Bell, Grace"),
        ("Kurt Lang", "Lang, Kurt"),
    ),
    case("user", ("ada@host.org", "ada"), ("m.moor@site.net", "m.moor"), ("gb7@mail.example", "gb7"), ("x@y.z", "x")),
    case("bracket", ("part (A7) new", "A7"), ("bolt (K12)", "K12"), ("old nut (Z3) x", "Z3"), ("a (B44) b c", "B44")),
    case(
        "slug",
        ("Fresh Green Tea", "fresh-green-tea"),
        ("Old Oak", "old-oak"),
        ("A b C", "a-b-c"),
        ("One Two Three Four", "one-two-three-four"),
    ),
    case(
        "acronym",
        ("central heating unit", "CHU"),
        ("wide area", "WA"),
        ("one two three four", "OTTF"),
        ("red blue green", "RBG"),
    ),
    case("pad", ("7", "0007"), ("42", "0042"), ("138", "0138"), ("9001", "9001")),
    case("backwards", ("one two", "two one"), ("a b c", "c b a"), ("x y z w", "w z y x"), ("p q", "q p")),
    case(
        "camel",
        ("hello_big_world", "helloBigWorld"),
        ("my_name", "myName"),
        ("a_b_c_d", "aBCD"),
        ("first_second", "firstSecond"),
    ),
    case(
        "path",
        ("/usr/lib/x.so", "x.so"),
        ("/etc/passwd", "passwd"),
        ("/a/b/c/d.txt", "d.txt"),
        ("/home/u/file", "file"),
    ),
    case(
        "code",
        ("order 12-7781-x", "7781"),
        ("order 9-1002-yy", "1002"),
        ("order 144-8765-z", "8765"),
        ("order 1-4321-q", "4321"),
    ),
    case(
        "without vowels",
        ("banana bread", "bnn brd"),
        ("hello there", "hll thr"),
        ("quick union", "qck nn"),
        ("alpha", "lph"),
    ),
    case(
        "two columns",
        (["Ada", "7"], "Ada #7"),
        (["Moor", "31"], "Moor #31"),
        (["Bell", "2"], "Bell #2"),
        (["Lang", "99"], "Lang #99"),
    ),
    case(
        "extract code",
        ("ref AB-123-X ok", "AB-123"),
        ("see CD-456-Y", "CD-456"),
        ("EF-789-Z and more", "EF-789"),
        ("x GH-012-W y", "GH-012"),
    ),
)
NUMBERS = (
    case("thousands", ("1234", "1,234"), ("980", "980"), ("7654321", "7,654,321"), ("10000", "10,000")),
    case("two places", ("3.14159", "3.14"), ("2.5", "2.50"), ("10", "10.00"), ("0.007", "0.01")),
    case("nearest ten", ("112", "110"), ("117", "120"), ("8", "10"), ("243", "240"), ("96", "100")),
    case("down to 25", ("30", "25"), ("99", "75"), ("101", "100"), ("149", "125"), ("26", "25")),
    case("range", ("7", "0-9"), ("23", "20-29"), ("48", "40-49"), ("85", "80-89")),
    case("thousand times", ("1.5", "1500"), ("0.25", "250"), ("12", "12000"), ("3.75", "3750")),
    case("percent", ("0.5", "50%"), ("0.25", "25%"), ("0.08", "8%"), ("0.9", "90%")),
    case("money", (1234.5, "$1,234.50"), (99, "$99.00"), (1000000.25, "$1,000,000.25"), (7, "$7.00")),
    case("roman", (4, "IV"), (9, "IX"), (14, "XIV"), (1990, "MCMXC")),
)
DATES = (
    case(
        "long date",
        ("2021-03-07", "7 March 2021"),
        ("1999-12-25", "25 December 1999"),
        ("2010-06-30", "30 June 2010"),
        ("2000-01-01", "1 January 2000"),
    ),
    case(
        "order",
        ("25/12/1999", "12/25/1999"),
        ("07/03/2021", "03/07/2021"),
        ("30/06/2010", "06/30/2010"),
        ("01/02/2003", "02/01/2003"),
    ),
    case(
        "weekday",
        ("2024-02-29", "Thursday"),
        ("2023-01-01", "Sunday"),
        ("2021-07-14", "Wednesday"),
        ("2000-01-01", "Saturday"),
    ),
    case(
        "quarter",
        ("2021-03-07", "Q1 2021"),
        ("1999-12-25", "Q4 1999"),
        ("2010-06-30", "Q2 2010"),
        ("2015-08-09", "Q3 2015"),
    ),
    case("clock", ("13:05", "1:05 PM"), ("00:30", "12:30 AM"), ("09:45", "9:45 AM"), ("12:00", "12:00 PM")),
    case("half hours", ("10:12", "10:00"), ("11:47", "11:30"), ("08:31", "08:30"), ("14:29", "14:00")),
    case("hours between", ("10:12", "10AM-12PM"), ("15:47", "2PM-4PM"), ("08:31", "8AM-10AM"), ("23:29", "10PM-12AM")),
    case(
        "year of many", ("4 May 1970", "1970"), ("2001-02-03", "2001"), ("Mar 9 1988", "1988"), ("12 June 2020", "2020")
    ),
    case("month", ("March", "03"), ("July", "07"), ("December", "12"), ("January", "01")),
)
DATA = (
    case("sum", ([1, 2, 3], 6), ([4, 5], 9), ([10], 10), ([2, 2, 2, 2], 8)),
    case("span", ([1, 5, 3], 4), ([4, 9], 5), ([10, 2, 8], 8), ([7, 7], 0)),
    case("mean", ([1, 2, 3], 2.0), ([4, 5], 4.5), ([10], 10.0), ([1, 2], 1.5)),
    case("even ones", ([1, 2, 3, 4], [2, 4]), ([5, 6], [6]), ([8, 9, 10], [8, 10]), ([1, 3], [])),
    case("doubled", ([1, 2, 3], [2, 4, 6]), ([4, 5], [8, 10]), ([0, 7], [0, 14]), ([9], [18])),
    case("falling", ([3, 1, 2], [3, 2, 1]), ([4, 9, 5], [9, 5, 4]), ([1, 2, 2], [2, 2, 1]), ([6, 8], [8, 6])),
    case("joined", (["a", "b"], "a, b"), (["x", "y", "z"], "x, y, z"), (["one"], "one"), (["p", "q"], "p, q")),
    case("upper", (["ab", "c"], ["AB", "C"]), (["x"], ["X"]), (["Qr", "st"], ["QR", "ST"]), (["no"], ["NO"])),
    case("words", ("a b c", 3), ("hello there", 2), ("one", 1), ("w x y z", 4)),
    case("longest", ("the quick fox", "quick"), ("a bb", "bb"), ("hello to you", "hello"), ("one three two", "three")),
    case(
        "counts",
        (["a", "b", "a"], {"a": 2, "b": 1}),
        (["x"], {"x": 1}),
        (["q", "q"], {"q": 2}),
        (["m", "n"], {"m": 1, "n": 1}),
    ),
    case(
        "total",
        ({"price": 3, "count": 2}, 6),
        ({"price": 5, "count": 4}, 20),
        ({"price": 1, "count": 7}, 7),
        ({"price": 9, "count": 9}, 81),
    ),
    case(
        "full name",
        ({"first": "Ann", "last": "Lee", "age": 3}, "Lee, Ann"),
        ({"first": "Bob", "last": "Ray", "age": 40}, "Ray, Bob"),
        ({"first": "Cleo", "last": "Moss", "age": 12}, "Moss, Cleo"),
        ({"first": "Dan", "last": "Orr", "age": 7}, "Orr, Dan"),
    ),
    case(
        "log line",
        ("2024-01-02 ERROR disk full", {"date": "2024-01-02", "level": "ERROR", "message": "disk full"}),
        ("2024-01-03 INFO all is well", {"date": "2024-01-03", "level": "INFO", "message": "all is well"}),
        ("2024-02-11 WARN hot", {"date": "2024-02-11", "level": "WARN", "message": "hot"}),
        ("2023-12-31 INFO bye now all", {"date": "2023-12-31", "level": "INFO", "message": "bye now all"}),
    ),
    case(
        "names of records",
        ([{"n": "a", "v": 1}, {"n": "b", "v": 2}], ["a", "b"]),
        ([{"n": "z", "v": 5}], ["z"]),
        ([{"n": "k", "v": 0}, {"n": "c", "v": 9}], ["k", "c"]),
        ([{"n": "q", "v": 1}], ["q"]),
    ),
    case(
        "sum of field",
        ([{"n": "a", "v": 1}, {"n": "b", "v": 2}], 3),
        ([{"n": "z", "v": 5}], 5),
        ([{"n": "k", "v": 0}, {"n": "c", "v": 9}], 9),
        ([{"n": "q", "v": 4}, {"n": "r", "v": 4}], 8),
    ),
    case("numbers", ("1,2,3", [1, 2, 3]), ("4,5", [4, 5]), ("60,7", [60, 7]), ("8", [8])),
    case("celsius", (32, 0.0), (212, 100.0), (50, 10.0), (104, 40.0)),
    case(
        "days",
        (["2020-01-01", "2020-01-31"], 30),
        (["2021-03-01", "2021-03-08"], 7),
        (["2019-12-31", "2020-01-02"], 2),
        (["2020-02-28", "2020-03-01"], 2),
    ),
    case("from roman", ("MCMXC", 1990), ("XIV", 14), ("III", 3), ("LIX", 59)),
    case(
        "key and value",
        ("a=1", {"key": "a", "value": 1}),
        ("bc=22", {"key": "bc", "value": 22}),
        ("x=7", {"key": "x", "value": 7}),
        ("yy=10", {"key": "yy", "value": 10}),
    ),
    case(
        "grown up",
        ({"name": "A", "age": 30}, True),
        ({"name": "B", "age": 12}, False),
        ({"name": "C", "age": 18}, True),
        ({"name": "D", "age": 17}, False),
        ({"name": "E", "age": 65}, True),
    ),
)
BRANCHES = (
    case("empty or number", ("30+", "30"), ("", "0"), ("43", "43"), ("9", "9"), ("12+", "12")),
    case(
        "kind of phone",
        ("0123 4567", "+49 123 4567"),
        ("+1 555 1234", "+1 555 1234"),
        ("0876 5432", "+49 876 5432"),
        ("+44 20 79", "+44 20 79"),
        ("0999 1111", "+49 999 1111"),
    ),
)
EVERYTHING = (*TEXTS, *NUMBERS, *DATES, *DATA, *BRANCHES)
