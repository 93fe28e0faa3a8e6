import pytest

from mayfly.core import Intent
from mayfly.promise import IntentKind, classify

CAPABILITIES = (
    ("read_file", "Read a file of the workspace and return its text"),
    ("parse_json", "Parse JSON text into a value"),
    ("format_json", "Format JSON with indentation"),
    ("calculate", "Evaluate an arithmetic expression"),
    ("return_constant", "Return a constant value"),
)
BARE = tuple((name, "") for name, _ in CAPABILITIES)
KINDS = {"D": IntentKind.DETERMINISTIC, "P": IntentKind.PROBABILISTIC, "C": IntentKind.CHAOTIC}

# The specification's own table.
GOLDEN = [
    ("Return 42", "D"),
    ("Read config.yaml", "D"),
    ("Parse JSON and extract name", "D"),
    ("Add 2 + 2", "D"),
    ("Format this JSON", "D"),
    ("Find all Python files with TODO", "P"),
    ("Refactor auth module", "P"),
    ("Debug the crash", "P"),
    ("Analyze these logs for errors", "P"),
    ("Design an API for user management", "P"),
    ("Make everything better", "C"),
    ("Generate all possibilities", "C"),
    ("Improve this forever", "C"),
]
# Phrasings of our own: written before the classifier was tried on them.
OWN = [
    ("Install the package", "P"),
    ("Call the API", "P"),
    ("Show the postal address", "P"),
    ("Parse NGINX access logs and extract 4xx error patterns", "P"),
    ("Parse the Java log and find the OOM errors", "P"),
    ("Delete all temporary files in build/", "P"),
    ("Format everything in src/ with black", "P"),
    ("keep optimising until it is perfect", "C"),
    ("watch the log for ever", "C"),
    ("Read the file notes.txt", "D"),
    ("Please read /etc/hosts", "D"),
    ("Open README.md", "D"),
    ("Calculate 3 * (4 + 5)", "D"),
    ("Multiply 6 by 7", "D"),
    ("Compute the sum of 3 and 4", "D"),
    ("Return true", "D"),
    ("Return 'hello'", "D"),
    ("Prettify the JSON", "D"),
    ("Parse this JSON string", "D"),
    ("Add a user to the database", "P"),
    ("Add logging", "P"),
    ("Return the list of users", "P"),
    ("Read my mind", "P"),
    ("Format the hard disk", "P"),
    ("Parse the YAML file", "P"),
    ("Calculate the churn of our customers", "P"),
    ("Read https://example.com/index.html", "P"),
    ("Keep improving the code", "C"),
    ("Run forever", "C"),
    ("Loop endlessly over the queue", "C"),
    ("Generate infinite variations of the logo", "C"),
    ("Create unlimited accounts", "C"),
    ("Do everything", "C"),
    ("Fix everything", "C"),
    ("Solve all problems", "C"),
    ("List all prime numbers", "C"),
    ("Enumerate every possible program", "C"),
    ("Download the whole internet", "C"),
    ("Make the code perfect", "C"),
    ("Write flawless software", "C"),
    ("Poll the server continuously", "C"),
    ("Improve yourself over and over", "C"),
    ("Try again and again", "C"),
    ("Never stop learning", "C"),
    ("", "C"),
    ("   ", "C"),
    ("Fix the infinite loop in worker.py", "P"),
    ("Explain why the job runs forever", "P"),
    ("Implement infinite scroll", "P"),
    ("Write a service that polls the queue continuously", "P"),
    ("Poll the server for 5 minutes", "P"),
    ("Generate the first 10 of all prime numbers", "P"),
    ("List all users", "P"),
    ("Rename all tests in tests/unit", "P"),
    ("Fix everything that the linter reports", "P"),
    ("Check that everything works", "P"),
    ("Find the perfect squares below 100", "P"),
    ("List all possible values of the enum Color", "P"),
    ("Retry the request 3 times", "P"),
    ("Clean everything in the build directory", "P"),
    ("Do not run forever, just test once", "P"),
    ("Avoid infinite recursion in the parser", "P"),
    ("Read config.yaml and fix the bug", "P"),
    ("Read config.yaml, then deploy the service", "P"),
    ("Install all dependencies", "P"),
    ("Recall the small wall address", "P"),
    ("Summarise the complete report", "P"),
    ("Translate all messages to German", "P"),
    ("Count the words in 'to be or not to be'", "P"),
    ("Find 'forever' in lyrics.txt", "P"),
    ("Convert 10 miles to kilometres", "P"),
    ("Keep the API stable and refactor the store", "P"),
    ("修复登录错误", "P"),
]
# Written later still, to see what it is worth on unseen intents.
LATER = [
    ("Get the contents of settings.ini", "D"),
    ("Load data.csv", "D"),
    ("Subtract 5 from 12", "D"),
    ("Divide 10 by 4", "D"),
    ("Give 7", "D"),
    ("Decode the JSON", "D"),
    ("What is 2 + 2?", "P"),
    ("Evaluate 2 ** 10", "D"),
    ("read notes.md please", "D"),
    ("Pretty-print JSON", "D"),
    ("Output 3.14", "D"),
    ("Parse the JSON in data.json", "D"),
    ("Read all files", "P"),
    ("Read the news", "P"),
    ("Format the date", "P"),
    ("Parse the email", "P"),
    ("Multiply our revenue", "P"),
    ("Sum up the meeting", "P"),
    ("Return to the office", "P"),
    ("Evaluate the candidates", "P"),
    ("Add JSON support", "P"),
    ("Compute pi forever", "C"),
    ("Learn all there is to know", "C"),
    ("Keep trying", "C"),
    ("Answer every possible question", "C"),
    ("Optimise the code as long as possible", "C"),
    ("Run tests 100 times", "P"),
    ("Be perfect", "C"),
    ("Solve the halting problem for all programs", "P"),
    ("Create a never-ending story", "C"),
    ("Write an essay about infinity", "P"),
    ("Add an infinite loop detector", "P"),
    ("Describe the unlimited plan", "P"),
    ("Explore all options", "C"),
    ("Consider all options in options.toml", "P"),
    ("Delete everything", "C"),
    ("Delete everything older than 30 days", "P"),
    ("Back up everything under /home", "P"),
    ("Make it work", "P"),
    ("Monitor CPU usage indefinitely", "C"),
    ("Monitor CPU usage for 10 seconds", "P"),
    ("Simulate the entire universe", "C"),
    ("Install everything listed in requirements.txt", "P"),
    ("Test everything thoroughly", "C"),
    ("Migrate the whole database", "P"),
    ("Stop the endless recursion", "P"),
    ("Rerun the job until it passes", "P"),
    ("Recommend the best possible laptop", "P"),
    ("Fetch page after page without end", "C"),
    ("Print the file LICENSE", "D"),
    ("Show me README.md", "D"),
    ("Could you read data/input.txt?", "D"),
    ("I want you to calculate 17 * 23", "D"),
    ("what's in config.yaml", "P"),
    ("Parse JSON", "D"),
    ("Parse the JSON response", "P"),
    ("Indent the JSON", "D"),
    ("Sum 1, 2 and 3", "D"),
    ("Compute 2+2", "D"),
    ("Calculate 15% of 80", "D"),
    ("Return null", "D"),
    ("Return an error", "P"),
    ("Read the manual", "P"),
    ("Open the door", "P"),
    ("Load the model weights", "P"),
    ("Divide the team into two groups", "P"),
    ("Give up", "P"),
    ("Never finish", "C"),
    ("Work on this till the end of days", "C"),
    ("Write all the books", "P"),
    ("Know everything about physics", "C"),
    ("Improve the performance continuously", "C"),
    ("Set up continuous integration", "P"),
    ("Answer everything", "C"),
    ("Think about anything", "C"),
    ("Iterate until convergence", "P"),
    ("Refine the text until nobody can improve it", "P"),
    ("Make me happy", "P"),
    ("Always respond", "P"),
    ("Do it always", "C"),
    ("Optimize this to perfection", "C"),
    ("Explore every possible move in chess", "C"),
    ("Translate everything on the page to French", "P"),
    ("Rename everything named foo to bar", "P"),
    ("Repeat this 5 times", "P"),
    ("Keep running the server", "C"),
    ("Keep a list of errors", "P"),
    ("Write a program that runs forever", "P"),
    ("Fix the button that never works", "P"),
    ("Solve P vs NP", "P"),
    ("Predict all future stock prices", "P"),
    ("Generate every permutation of [1, 2, 3]", "P"),
    ("Test all combinations of flags", "P"),
    ("Draw an endless line", "C"),
    ("Install", "P"),
    ("Recalculate totals", "P"),
    ("Get everything from S3", "P"),
    ("Read a.txt and b.txt", "P"),
    ("Read a.txt then summarise it", "P"),
]


@pytest.mark.parametrize("table", [GOLDEN, OWN, LATER], ids=["golden", "own", "later"])
def test_intents_are_classified_with_the_capabilities_of_the_table(table: list[tuple[str, str]]) -> None:
    found = {intent: classify(intent, capabilities=CAPABILITIES).kind for intent, _ in table}
    assert found == {intent: KINDS[kind] for intent, kind in table}


def test_names_alone_are_enough_for_the_golden_table() -> None:
    found = {intent: classify(intent, capabilities=BARE).kind for intent, _ in GOLDEN}
    assert found == {intent: KINDS[kind] for intent, kind in GOLDEN}


@pytest.mark.parametrize("table", [GOLDEN, OWN, LATER], ids=["golden", "own", "later"])
def test_without_capabilities_nothing_is_deterministic(table: list[tuple[str, str]]) -> None:
    found = {intent: classify(intent).kind for intent, _ in table}
    assert found == {intent: KINDS[kind.replace("D", "P")] for intent, kind in table}


def test_everything_is_chaotic_below_the_deepest_level() -> None:
    found = [(intent, classify(intent, depth=4, capabilities=CAPABILITIES)) for intent, _ in GOLDEN]
    assert [case for case in found if (case[1].kind, case[1].confidence) != (IntentKind.CHAOTIC, 1.0)] == []


def test_the_deepest_level_itself_is_still_classified() -> None:
    assert classify("Read config.yaml", depth=3, capabilities=CAPABILITIES).kind is IntentKind.DETERMINISTIC


def test_a_budget_below_the_threshold_is_chaotic_whatever_the_depth_allowed() -> None:
    assert classify("Read config.yaml", depth=10, max_depth=20, capabilities=CAPABILITIES).kind is IntentKind.CHAOTIC
    assert (
        classify("Read config.yaml", depth=9, max_depth=20, capabilities=CAPABILITIES).kind is IntentKind.DETERMINISTIC
    )


@pytest.mark.parametrize(
    ("intent", "confidence"),
    [
        ("Read config.yaml", 0.8),
        ("Parse NGINX access logs and extract 4xx error patterns", 0.7),
        ("Refactor auth module", 0.7),
        ("Improve this forever", 0.9),
        ("Find all Python files with TODO", 0.6),
    ],
)
def test_each_test_has_its_confidence(intent: str, confidence: float) -> None:
    assert classify(intent, capabilities=CAPABILITIES).confidence == confidence


def test_a_new_capability_makes_the_same_intent_deterministic() -> None:
    intent = "Translate the message to Latin"
    tool = ("translate_message", "Translate a message to Latin")
    assert classify(intent).kind is IntentKind.PROBABILISTIC
    assert classify(intent, capabilities=[tool]).kind is IntentKind.DETERMINISTIC


@pytest.mark.parametrize(
    ("intent", "name", "description"),
    [
        (
            "Parse NGINX access logs and extract 4xx error patterns",
            "nginx_4xx",
            "Parse NGINX access logs and extract 4xx errors patterns",
        ),
        ("Convert roman numerals to integers", "convert_roman", "Convert roman numerals to integers"),
        ("Download https://example.com/a.csv", "download_url", "Download a web resource"),
        ("Count the words", "count_words", "Count the words of a text"),
        ("Send an email", "send_mail", "Send an email to an address"),
        ("Compress report.pdf", "zip_file", "Compress a file"),
        ("Sort the invoices", "sortInvoices", ""),
    ],
)
def test_a_fitting_capability_is_found_by_its_words(intent: str, name: str, description: str) -> None:
    assert classify(intent, capabilities=[(name, description)]).kind is IntentKind.DETERMINISTIC


@pytest.mark.parametrize(
    ("intent", "name", "description"),
    [
        ("Parse NGINX access logs", "parse_json", "Parse JSON text into a value"),
        ("Parse NGINX access logs", "parse_logs", "Parse log lines of syslog"),
        ("Delete the user", "delete_file", "Delete a file"),
        ("Sort the invoices", "sort_numbers", "Sort a list of numbers"),
        ("Send the invoice", "send_mail", "Send an email to an address"),
        ("Format the disk", "format_json", "Format JSON with indentation"),
        ("Summarise report.pdf", "read_file", "Read a file and return its text"),
    ],
)
def test_another_operation_or_another_thing_does_not_fit(intent: str, name: str, description: str) -> None:
    assert classify(intent, capabilities=[(name, description)]).kind is IntentKind.PROBABILISTIC


@pytest.mark.parametrize(
    ("intent", "name", "description", "kind"),
    [
        ("Find overdue invoices", "find_invoices", "Find the invoices of a customer", "P"),
        ("Find invoices", "find_overdue_invoices", "Find the overdue invoices", "P"),
        ("Find the overdue invoices", "find_overdue_invoices", "Find the overdue invoices", "D"),
        ("Hash a.bin with md5", "hash_file", "Compute the SHA-256 hash of a file", "P"),
        ("Compute the MD5 hash of a.bin", "hash_file", "Compute the MD5 hash of a file", "D"),
        ("Count the words of each line", "count_words", "Count the words of a text", "P"),
        ("Send all emails", "send_mail", "Send an email to an address", "P"),
        ("Fetch two pages", "fetch", "Fetch a page", "P"),
        ("Copy a.txt to b.txt", "copy_file", "Copy a file to another path", "D"),
        ("Copy a.txt to b.txt and c.txt", "copy_file", "Copy a file to another path", "P"),
        ("Get the weather for Bern", "weather", "Get the weather for a city", "D"),
        ("Get the weather for tomorrow", "weather", "Get the weather for a city", "P"),
    ],
)
def test_whatever_narrows_down_has_to_be_told_and_asked_for(
    intent: str, name: str, description: str, kind: str
) -> None:
    assert classify(intent, capabilities=[(name, description)]).kind is KINDS[kind]


@pytest.mark.parametrize(
    ("intent", "kind"),
    [
        ("Read a.txt, then read b.txt", "P"),
        ("Read a.txt. Read b.txt.", "P"),
        ("Return 1 and return 2", "P"),
        ("Parse JSON and extract names and ages", "P"),
        ("Parse JSON and extract every name", "P"),
        ("Read a.json and extract name", "P"),
        ("Parse JSON and extract 'name'", "D"),
        ("Read a.txt and return it", "D"),
    ],
)
def test_only_a_choice_from_the_result_may_follow(intent: str, kind: str) -> None:
    assert classify(intent, capabilities=CAPABILITIES).kind is KINDS[kind]


def test_two_fitting_capabilities_are_no_single_one() -> None:
    twins = [("read_file", "Read a file"), ("load_file", "Load a file")]
    assert classify("Read config.yaml", capabilities=twins).kind is IntentKind.PROBABILISTIC


@pytest.mark.parametrize("context", [{"requires_multiple_steps": True}, {"subtasks": ["a", "b"]}])
def test_the_context_decides_anew_each_time(context: dict[str, object]) -> None:
    assert classify("Read config.yaml", capabilities=CAPABILITIES).kind is IntentKind.DETERMINISTIC
    assert classify("Read config.yaml", context=context, capabilities=CAPABILITIES).kind is IntentKind.PROBABILISTIC
    assert classify("Read config.yaml", capabilities=CAPABILITIES).kind is IntentKind.DETERMINISTIC


@pytest.mark.parametrize(("budget", "kind"), [(0.05, "C"), (0.1, "D"), (0, "C"), (5, "D"), (True, "D"), ("0", "D")])
def test_a_context_may_leave_less_budget_than_the_depth_does(budget: object, kind: str) -> None:
    found = classify("Read config.yaml", context={"entropy_budget": budget}, capabilities=CAPABILITIES)
    assert found.kind is KINDS[kind]


def test_a_context_leaves_no_more_budget_than_the_depth_does() -> None:
    found = classify("Read config.yaml", context={"entropy_budget": 1.0}, depth=10, max_depth=20)
    assert (found.kind, found.confidence) == (IntentKind.CHAOTIC, 1.0)


def test_a_context_that_denies_several_steps_changes_nothing() -> None:
    context = {"requires_multiple_steps": False, "subtasks": []}
    assert classify("Read config.yaml", context=context, capabilities=CAPABILITIES).kind is IntentKind.DETERMINISTIC


def test_no_context_tames_an_endless_intent() -> None:
    assert classify("Improve this forever", context={"subtasks": ["a"]}).kind is IntentKind.CHAOTIC


def test_the_reasoning_names_what_decided() -> None:
    assert "read_file" in classify("Read config.yaml", capabilities=CAPABILITIES).reasoning
    assert "forever" in classify("Improve this forever").reasoning
    assert "depth 4 of 3" in classify("Read config.yaml", depth=4).reasoning


@pytest.mark.first(1)
@pytest.mark.parametrize("intent", ["a" * 1_000_000, "fix, " * 200_000, "\x00\ud800", "🙂" * 1000, '"' * 100_000])
def test_no_text_is_too_odd(intent: str) -> None:
    assert classify(intent, capabilities=CAPABILITIES).kind in IntentKind


def test_an_intent_that_was_perceived_is_classified_by_its_text() -> None:
    assert (
        classify(Intent(text="Read config.yaml", verb="read"), capabilities=CAPABILITIES).kind
        is IntentKind.DETERMINISTIC
    )
