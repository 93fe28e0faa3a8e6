"""What people do on the pages, in a real browser: ask, watch, answer, understand, approve, take back."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright.sync_api", reason="make browser")
from playwright.sync_api import expect

from mayfly.core import Settings
from mayfly.store import Ledger
from store.money import sale_at

from .conftest import serious_faults
from .scenes import HOSTILE, SAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Page

NewPage = Callable[..., "Page"]
expect.set_options(timeout=20_000)


def api(site: str, path: str) -> Any:
    with urllib.request.urlopen(f"{site}/api{path}") as answer:
        return json.load(answer)


def run_with(site: str, words: str) -> str:
    return str(next(one["id"] for one in api(site, "/runs?limit=200")["runs"] if words in one["intent"]))


def ask(page: Page, site: str, intent: str, file: Path | None = None) -> None:
    page.goto(site)
    page.get_by_label("Your question").fill(intent)
    if file is not None:
        page.get_by_label("About a file").set_input_files(file)
    page.get_by_role("button", name="Ask").click()


def test_a_question_about_a_file_gets_its_answer(site: str, new_page: NewPage) -> None:
    page = new_page()
    ask(page, site, "count requests by method", SAMPLES / "access.log")

    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^GET"))).to_contain_text("120")
    outcome = page.locator("#outcome")
    expect(outcome).to_contain_text("count, by method")
    expect(outcome).to_contain_text("200: 200 used")


def test_an_example_is_one_click_away(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(site)
    page.get_by_role("button", name="count requests by status").click()

    expect(page.get_by_role("row", name=re.compile("^404"))).to_contain_text("31")


def test_a_page_works_without_script(site: str, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    ask(page, site, "count requests by status", SAMPLES / "access.log")

    # Without script the page is loaded again by itself until there is an answer.
    expect(page.get_by_role("row", name=re.compile("^404"))).to_contain_text("31")


def test_a_dropped_file_is_the_one_that_is_asked_about(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(site)
    page.get_by_label("Your question").fill("count lines")
    page.evaluate(
        """() => {
          const given = new DataTransfer();
          given.items.add(new File(["a\\nb\\nc\\n"], "dropped.txt", { type: "text/plain" }));
          const form = document.querySelector("form[data-drop]");
          form.dispatchEvent(new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));
        }"""
    )
    page.get_by_role("button", name="Ask").click()

    expect(page.locator(".answer.big")).to_have_text("3")


def test_an_open_question_is_answered_by_clicking_the_right_one(site: str, new_page: NewPage) -> None:
    page = new_page()
    ask(page, site, "sort it by wonders of the moon", SAMPLES / "access.log")
    choice = page.get_by_role("button", name="count, by method, largest first")
    expect(choice).to_contain_text("gives")
    choice.click()

    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.locator("#outcome")).to_contain_text("count, by method, largest first")


def test_a_question_that_waits_is_answered_in_the_inbox(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/inbox")
    waiting = page.get_by_role("region", name="initials")
    expect(waiting).to_contain_text('what should "Barbara Liskov" give')
    waiting.get_by_role("button", name="B.L.", exact=True).click()

    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.locator(".answer.big")).to_have_text("B.L.")


def test_another_question_about_the_same_file(site: str, new_page: NewPage) -> None:
    page = new_page()
    ask(page, site, "count requests by method", SAMPLES / "access.log")
    page.get_by_role("link", name="Ask something else about access.log").click()
    page.get_by_label("Your question").fill("count requests by status")
    page.get_by_role("button", name="Ask").click()

    expect(page.get_by_role("row", name=re.compile("^404"))).to_contain_text("31")


def test_a_refused_run_says_why_on_the_first_screen(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/runs/{run_with(site, 'magic of the sun')}")

    reason = page.locator(".reason").first
    expect(reason).to_contain_text("nothing was made of 'magic', 'sun'")
    box = reason.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 860
    expect(page.get_by_text("Traceback")).to_have_count(0)


def test_a_run_shows_its_program_beside_its_tests_and_its_story(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/runs/{run_with(site, 'count requests by status')}")

    # This one was found in memory: what proved it is that of the run that wrote it.
    expect(page.get_by_role("region", name="Source of the program")).to_contain_text("import duckdb")
    expect(page.get_by_text("lines from all over the input")).to_be_visible()
    expect(page.locator(".timeline")).to_contain_text("resolved: cached, proof strong")
    expect(page.get_by_role("img", name=re.compile("evidence by kind"))).to_be_visible()


def test_a_story_has_every_gate(site: str, new_page: NewPage) -> None:
    page = new_page()
    ask(page, site, "count requests by path where status = 404", SAMPLES / "access.log")

    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.locator(".timeline")).to_contain_text("gate: proof accept")


def test_runs_are_filtered_by_words_and_status(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/runs")
    page.get_by_label("Words").fill("MAGIC")
    page.get_by_label("Status").select_option("collapsed")
    page.get_by_role("button", name="Show").click()

    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name="sort it by magic of the sun")).to_be_visible()


def test_a_run_is_watched_live(site: str, new_page: NewPage) -> None:
    watching, asking = new_page(), new_page()
    watching.goto(f"{site}/runs?search=bytes+sent")
    expect(watching.get_by_role("heading", name="No such run")).to_be_visible()
    ask(asking, site, "sum of bytes sent by method", SAMPLES / "access.log")

    # Nobody touches the page that watches.
    expect(watching.get_by_role("link", name="sum of bytes sent by method")).to_be_visible()
    expect(watching.locator(".pill").first).not_to_have_text("running")


def test_a_tree_is_shown_promise_by_promise(site: str, new_page: NewPage) -> None:
    page = new_page()
    ask(page, site, "calculate 17 * 23 and then calculate 4 + 5")

    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    promises = page.locator(".promises li")
    expect(promises).to_have_count(3)
    expect(promises.nth(1)).to_contain_text("budget 0.50")
    assert not serious_faults(page)
    promises.nth(1).get_by_role("link").click()
    expect(page.get_by_role("heading", name="Kept")).to_be_visible()
    assert not serious_faults(page)


def test_a_chat_shows_its_changes_and_takes_one_back_and_an_approval_is_given_in_place(
    site: str, scene: Path, new_page: NewPage
) -> None:
    page, work = new_page(), scene.parent / "work"
    page.goto(f"{site}/chat")
    page.get_by_label("Begin a conversation").fill("Create notes.md")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("I wrote your notes down.")).to_be_visible()
    expect(page.get_by_role("region", name="What was changed")).to_contain_text("+- call Ada")
    assert (work / "notes.md").exists()

    page.get_by_role("button", name="Take this back").click()
    expect(page.get_by_role("status")).to_have_text("The change was taken back.")
    assert not (work / "notes.md").exists()

    page.get_by_label("Say something").fill("Create .envrc")
    page.get_by_label("Say something").press("Enter")
    expect(page.get_by_text("The change of .envrc waits for you.")).to_be_visible()
    expect(page.get_by_role("region", name="What would change")).to_contain_text("+export MODE=dev")
    assert not serious_faults(page)
    assert not (work / ".envrc").exists()
    inbox = new_page()
    inbox.goto(f"{site}/inbox")
    expect(inbox.get_by_role("button", name="Approve exactly this")).to_be_visible()

    page.get_by_role("button", name="Approve exactly this").click()
    expect(page.get_by_role("status")).to_have_text("Approved, and done.")
    assert (work / ".envrc").read_text() == "export MODE=dev\n"

    # Whoever else looks at it sees that it does not wait any more.
    expect(inbox.get_by_role("button", name="Approve exactly this")).to_have_count(0)


def test_a_tool_is_called_from_the_form_of_its_schema(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/library")
    page.get_by_label("What it should do").fill("say a text")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="shout_text").click()
    page.get_by_role("textbox", name="text (string)").fill(HOSTILE)
    page.get_by_label("times").fill("two")
    page.get_by_role("button", name="Call").click()
    expect(page.get_by_role("alert")).to_contain_text("times is not integer")

    page.get_by_label("times").fill("2")
    page.get_by_label("loud").select_option("false")
    page.get_by_role("button", name="Call").click()
    expect(page.locator(".answer")).to_contain_text("<script>window.owned=1</script>")
    assert page.evaluate("window.owned") is None


def test_a_tool_is_made_from_examples_and_one_that_cannot_be_keeps_what_was_typed(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/library")
    page.get_by_role("link", name="Make a tool").click()
    page.get_by_label("What it does").fill("initials of a name")
    examples = page.get_by_role("textbox", name="Examples")
    examples.fill("anna lee -> A.L.\nbob stone")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("alert")).to_contain_text("an example needs an arrow")
    assert not serious_faults(page)

    expect(page.get_by_label("What it does")).to_have_value("initials of a name")
    examples.fill("anna lee -> A.L.\nbob stone -> B.S.\ncarl von ossi -> C.V.O.\nd e -> D.E.")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("status")).to_have_text("It is proven, and serves.")

    page.get_by_role("textbox", name=re.compile("string")).fill("kim poe")
    page.get_by_role("button", name="Call").click()
    expect(page.locator(".answer")).to_contain_text("K.P.")


def test_a_tool_is_rolled_back_and_its_versions_compared(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/library/roman_to_int")
    expect(page.get_by_role("region", name="How the versions differ")).to_contain_text("strip().upper()")
    expect(page.get_by_role("img", name=re.compile("milliseconds of the last calls"))).to_be_visible()
    page.get_by_role("button", name="Let it serve (version 1)").click()

    expect(page.get_by_role("status")).to_have_text("That version serves again.")
    assert api(site, "/tools/roman_to_int")["serves"] == 1


def test_the_rules_are_searched_asked_explained_and_tried(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/policy")
    page.get_by_label("Action").fill("write_file")
    page.get_by_label("Target").fill("../../etc/passwd")
    page.get_by_role("button", name="Ask the rules").click()
    status = page.get_by_role("status")
    expect(status.locator(".pill")).to_have_text("deny")
    expect(status.locator(".reasons")).to_be_visible()

    page.get_by_label("Lines with").fill("deny")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("region", name=re.compile("Lines of")).first).to_be_visible()

    page.goto(f"{site}/policy")
    page.get_by_label("Rules", exact=True).fill("this is no rule")
    page.get_by_role("button", name="Try it on past decisions").click()
    expect(page.locator(".flash.bad")).to_contain_text("tried.mg")

    page.goto(f"{site}/policy")
    page.locator("#decided ~ .scroll a").first.click()
    expect(page.get_by_role("heading", name="Decided")).to_be_visible()


def test_a_vote_is_cast_on_the_page_and_counted(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/market")
    row = page.get_by_role("region", name="Worth keeping").get_by_role("row", name=re.compile("roman_to_int"))
    row.get_by_role("button", name=re.compile("^For")).click()

    expect(page.get_by_role("status")).to_have_text("Your vote is signed and counted.")
    expect(row).to_contain_text("+1")
    # Who has voted is not asked again.
    expect(row.get_by_role("button")).to_have_count(0)


def test_the_market_shows_what_was_earned_and_spent_and_what_is_at_risk(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/market")
    told = api(site, "/market?by=tool")
    total = told["pnl"]["totals"][0]
    assert (total["revenue"], total["cost"]) == (75_000, 10_000 + 10_500 + 11_500 + 13_000)

    table = page.get_by_role("region", name="Profit and loss by tool")
    whole = table.get_by_role("row", name=re.compile("^Total"))
    for name in ("revenue", "cost", "profit", "at_risk"):
        expect(whole).to_contain_text(total["shown"][name])
    expect(table.get_by_role("row", name=re.compile("^weather_report"))).to_contain_text("-0.045")
    expect(page.get_by_role("img", name=re.compile("^earned and spent by tool: .*weather_report"))).to_be_visible()

    risk = page.get_by_role("region", name="At risk", exact=True).locator("tbody tr")
    expect(risk).to_have_count(len(told["at_risk"]))
    expect(risk.filter(has_text="weather_report").filter(has_text="unknown")).to_contain_text("timed out")
    payments = page.get_by_role("region", name="Last payments").last.locator("tbody tr")
    expect(payments).to_have_count(8)
    expect(payments.filter(has_text="disputed")).to_contain_text("the seller gives no answer to it")
    expect(payments.filter(has_text="10c0ffee5eed").first).to_contain_text("delivered")
    sales = page.get_by_role("region", name="Last sales").last.locator("tbody tr")
    expect(sales.filter(has_text="failed")).to_contain_text("the tool failed")
    expect(sales.filter(has_text="settled")).to_have_count(3)

    page.get_by_role("link", name="by strategy").click()
    expect(page.get_by_role("region", name="Profit and loss by strategy")).to_contain_text("forecasts")
    assert page.evaluate("window.owned") is None
    assert not serious_faults(page)


def test_the_market_moves_by_itself_when_money_does(site: str, scene: Path, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/market?by=day")
    before = api(site, "/market")["pnl"]["totals"][0]["sold"]
    with Ledger.open(Settings(state_dir=str(scene))) as ledger:
        sale_at(ledger, "settled", tool="roman_to_int")

    whole = page.get_by_role("region", name="Profit and loss by day").get_by_role("row", name=re.compile("^Total"))
    expect(whole.locator("[data-label=sold]")).to_have_text(str(before + 1))


def test_the_market_and_the_doctor_say_how_things_stand(site: str, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{site}/market")
    kept = page.get_by_role("region", name="Worth keeping")
    expect(kept.get_by_role("row", name=re.compile("roman_to_int"))).to_be_visible()
    page.goto(f"{site}/doctor")
    expect(page.get_by_role("heading", name="The wall")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", "mayfly run"),
        ("/runs", "mayfly run"),
        ("/chat", "mayfly chat"),
        ("/library", "mayfly tools write"),
        ("/policy", "mayfly permit"),
        ("/inbox", "mayfly chat"),
        ("/market", "mayfly run"),
        ("/market", "mayfly market demo"),
        ("/market", "mayfly wallet init"),
        ("/doctor", "mayfly doctor --attack"),
    ],
)
def test_an_empty_page_says_what_to_type(bare_site: str, new_page: NewPage, path: str, words: str) -> None:
    page = new_page()
    page.goto(bare_site + path)

    expect(page.get_by_role("main")).to_contain_text(words)
