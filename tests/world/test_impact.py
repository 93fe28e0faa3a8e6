"""Who depends on what, in small projects of several languages."""

from __future__ import annotations

import pytest

from mayfly.core import InputError, ToolSettings
from mayfly.world._code import code_tools
from mayfly.world._impact import CodeIndex, is_test, tell

from .places import Here, call

PYTHON = {
    "src/shop/__init__.py": "from ._prices import total as sum_up\nfrom .basket import Basket\n",
    "src/shop/_prices.py": """RATE = 2

def tax(x):
    return x * RATE

def total(items):
    return tax(sum(items))
""",
    "src/shop/basket.py": """from __future__ import annotations
from . import _prices

class Base:
    def clear(self):
        pass

class Basket(Base):
    def price(self):
        return _prices.total(self.items())

    def items(self):
        self.clear()
        return []
""",
    "src/shop/cli.py": "import shop\n\ndef main():\n    print(shop.sum_up([1]), shop.Basket().price())\n",
    "tests/test_shop.py": "from shop import sum_up\n\ndef test_total():\n    assert sum_up([1]) == 2\n",
    "tools/total.py": "def total():\n    pass\n\ntotal()\n",
    "broken.py": "def (",
}


@pytest.fixture
def shop(here: Here) -> Here:
    for path, text in PYTHON.items():
        here.write(path, text)
    return here


def direct(place: Here, target: str) -> list[str]:
    return [f"{one.path}:{one.line}" for one in CodeIndex(place).impact(target).direct]


def test_uses_are_followed_through_the_face_of_a_package(shop: Here) -> None:
    index = CodeIndex(shop)
    found = index.impact("src/shop/_prices.py:total")
    assert [(one.path, one.line, one.told) for one in found.direct] == [
        ("src/shop/basket.py", 10, "called in Basket.price"),
        ("src/shop/cli.py", 4, "called in main"),
        ("tests/test_shop.py", 4, "called in test_total"),
    ]
    assert found.tests == ["tests/test_shop.py"]
    assert index.impact("shop.sum_up").direct == found.direct
    assert index.impact("shop._prices.total").direct == found.direct


def test_what_is_reached_through_others_has_its_distance(shop: Here) -> None:
    found = CodeIndex(shop).impact("tax")
    assert [(one.path, one.line) for one in found.direct] == [("src/shop/_prices.py", 7)]
    assert found.further == {
        "src/shop/basket.py::Basket.price": 2,
        "src/shop/cli.py::main": 2,
        "tests/test_shop.py::test_total": 2,
    }
    assert found.tests == ["tests/test_shop.py"]


def test_a_name_of_the_module_is_a_symbol_too(shop: Here) -> None:
    assert direct(shop, "RATE") == ["src/shop/_prices.py:4"]


def test_methods_by_self_by_class_and_by_name(shop: Here) -> None:
    found = CodeIndex(shop).impact("Basket.items")
    assert ("src/shop/basket.py", 10) in [(one.path, one.line) for one in found.direct]
    assert ("src/shop/cli.py", 4) in [(one.path, one.line) for one in found.direct]
    cleared = CodeIndex(shop).impact("Base.clear")
    assert ("src/shop/basket.py", 13) in [(one.path, one.line) for one in cleared.direct]
    shop.write("other.py", "def f(x):\n    return x.price()\n")
    by_name = CodeIndex(shop).impact("Basket.price").by_name
    assert [(one.path, one.line, one.told) for one in by_name] == [("other.py", 2, "in f")]


def test_a_file_by_its_importers(shop: Here) -> None:
    found = CodeIndex(shop).impact("src/shop/_prices.py")
    assert [one.path for one in found.direct] == [
        "src/shop/__init__.py",
        "src/shop/basket.py",
        "tests/test_shop.py",
    ]
    assert found.further == {"src/shop/cli.py": 2}
    assert CodeIndex(shop).impact("shop._prices").direct == found.direct


def test_a_name_of_several_things_is_asked_back(shop: Here) -> None:
    with pytest.raises(InputError) as raised:
        CodeIndex(shop).impact("total")
    assert "total may be any of 3: tools/total.py, src/shop/_prices.py:total, tools/total.py:total" in str(raised.value)


def test_what_is_not_there_is_said(shop: Here) -> None:
    for target in ("nothing_at_all", "src/nowhere.py", "src/shop/_prices.py:nothing", "../x.py"):
        with pytest.raises(InputError):
            CodeIndex(shop).impact(target)


def test_files_that_are_no_python_are_counted_and_said(shop: Here) -> None:
    assert CodeIndex(shop).notes == ["1 files could not be read, so what they use is not known: broken.py"]


def test_limits_are_said(shop: Here) -> None:
    assert (
        CodeIndex(shop, limits=ToolSettings(code_files=3)).notes[0]
        == "only the first 3 files were read: name a directory"
    )
    assert "were read within 0 s" in CodeIndex(shop, limits=ToolSettings(code_seconds=0)).notes[0]


def test_links_and_directories_of_tools_are_left_out(shop: Here) -> None:
    outside = shop.workspace.parent / "outside"
    outside.mkdir()
    (outside / "x.py").write_text("from shop import sum_up\n")
    (shop.workspace / "link").symlink_to(outside)
    (shop.workspace / "l.py").symlink_to(outside / "x.py")
    shop.write("node_modules/a.py", "import shop\n")
    shop.write(".venv/a.py", "import shop\n")
    assert CodeIndex(shop).paths == set(PYTHON) - {"broken.py"}


def test_imports_in_circles_end(here: Here) -> None:
    here.write("a.py", "from b import x\nfrom c import *\n")
    here.write("b.py", "from a import x\n")
    here.write("c.py", "from a import *\nclass A(A): pass\nclass B(C): pass\nclass C(B):\n    def f(self): self.g()\n")
    index = CodeIndex(here)
    assert {one.path for one in index.impact("a.py").direct} == {"b.py", "c.py"}
    assert index.used_by


OTHERS = {
    "package.json": '{"name": "@me/app"}',
    "web/util.ts": "export const a = 1\n",
    "web/page.tsx": 'import {\n  a,\n} from "./util.js"\n',
    "web/index.js": "const p = require('./page')\n",
    "web/page.test.tsx": 'const { x } = await import("./page")\n',
    "src/lib/deep.ts": "",
    "web/alias.ts": 'export * from "@/lib/deep"\nimport "@me/app/web/util"\n',
    "go.mod": "module example.org/app\n",
    "pkg/store/store.go": 'package store\nimport "fmt"\n',
    "pkg/store/more.go": "package store\n",
    "pkg/store/store_test.go": "package store\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\ts "example.org/app/pkg/store"\n)\n',
    "crate/Cargo.toml": '[package]\nname = "my-crate"\n',
    "crate/src/lib.rs": "pub mod parse;\nmod util;\n",
    "crate/src/parse.rs": "use crate::util::{self, trim};\n",
    "crate/src/util.rs": "",
    "crate/tests/all.rs": "use my_crate::parse::run;\n",
    "c/list.h": "",
    "c/list.c": '#include "list.h"\n',
    "c/main.c": '#include <stdio.h>\n#include "c/list.h"\n',
}


@pytest.mark.parametrize(
    ("target", "users", "further", "tests"),
    [
        (
            "web/util.ts",
            ["web/alias.ts:2", "web/page.tsx:3"],
            ["web/index.js", "web/page.test.tsx"],
            ["web/page.test.tsx"],
        ),
        ("src/lib/deep.ts", ["web/alias.ts:1"], [], []),
        (
            "pkg/store/store.go",
            ["main.go:5", "pkg/store/more.go:1", "pkg/store/store_test.go:1"],
            [],
            ["pkg/store/store_test.go"],
        ),
        (
            "crate/src/util.rs",
            ["crate/src/lib.rs:2", "crate/src/parse.rs:1"],
            ["crate/tests/all.rs"],
            ["crate/tests/all.rs"],
        ),
        ("c/list.c", ["c/main.c:2"], [], []),
        ("c/list.h", ["c/list.c:1", "c/main.c:2"], [], []),
    ],
)
def test_other_languages_by_their_imports(
    here: Here, target: str, users: list[str], further: list[str], tests: list[str]
) -> None:
    for path, text in OTHERS.items():
        here.write(path, text)
    found = CodeIndex(here).impact(target)
    assert [f"{one.path}:{one.line}" for one in found.direct] == users
    assert list(found.further) == further
    assert found.tests == tests


def test_a_name_in_another_language_is_looked_for_as_a_word(here: Here) -> None:
    here.write("a.go", "package a\nfunc Store() {}\nfunc Restore() { Store() }\n")
    assert [one.line for one in CodeIndex(here).impact("Store").by_name] == [2, 3]


def test_the_tool_tells_it_in_lines(shop: Here) -> None:
    said = call(code_tools(shop), "impact_analysis", target="tax", limit=1)
    assert said.splitlines()[:3] == [
        "tax: src/shop/_prices.py:3 function tax",
        "used directly (1):",
        "  src/shop/_prices.py:7 called in total",
    ]
    assert "  [2 more]" in said
    assert "nothing in the workspace uses it" in tell(CodeIndex(shop).impact("src/shop/cli.py"), most=5)


@pytest.mark.parametrize(
    "path", ["tests/a.py", "a/test_b.py", "b_test.go", "x.spec.ts", "y.test.jsx", "src/__tests__/a.js"]
)
def test_tests_are_known_by_name(path: str) -> None:
    assert is_test(path)
    assert not is_test("src/contest.py")
    assert not is_test("src/latest/a.py")
