# Policy of those who test: they write tests and nothing else, and a test that fails is a finding, not a nuisance.

Decl test_path_start(Text)
  descr [doc("a path that begins so is a test's")]
  bound [/string].

Decl test_path_text(Text)
  descr [doc("a path that contains this is a test's")]
  bound [/string].

Decl test_path_end(Text)
  descr [doc("a path that ends so is a test's")]
  bound [/string].

Decl written_path(Id, Path)
  descr [doc("a path that the action would write")]
  bound [/any, /string].

Decl test_path(Path)
  descr [doc("the path is a test's")]
  bound [/string].

policy_tool("test_strategy.mg", /test_exec).
policy_tool("test_strategy.mg", /coverage_analyzer).

test_path_start("test/").
test_path_start("tests/").
test_path_start("spec/").
test_path_start("e2e/").
test_path_start("features/").
test_path_start("cypress/").
test_path_start("test_").
test_path_start("conftest.py").

test_path_text("/test/").
test_path_text("/tests/").
test_path_text("/spec/").
test_path_text("/e2e/").
test_path_text("/test_").
test_path_text("__tests__/").
test_path_text("testdata/").
test_path_text("fixtures/").
test_path_text("_test.").
test_path_text(".test.").
test_path_text(".spec.").
test_path_text("_spec.").

test_path_end("/conftest.py").
test_path_end("Test.java").
test_path_end("Tests.java").
test_path_end("Test.kt").
test_path_end("Tests.cs").
test_path_end("Test.php").
test_path_end("Tests.swift").
test_path_end("Spec.scala").
test_path_end(".bats").
test_path_end(".feature").

written_path(Id, Path) :-
  in_force("test_strategy.mg"),
  !writes_code(),
  writes_file(Id),
  action_path(Id, Path, _).

test_path(Path) :-
  written_path(_, Path),
  test_path_start(Text),
  :string:starts_with(Path, Text).

test_path(Path) :-
  written_path(_, Path),
  test_path_text(Text),
  :string:contains(Path, Text).

test_path(Path) :-
  written_path(_, Path),
  test_path_end(Text),
  :string:ends_with(Path, Text).

policy_denies(Id, Reason) :-
  written_path(Id, Path),
  !test_path(Path),
  Reason = fn:string:concat("who tests writes tests only: ", Path).

policy_denies(Id, "who tests removes no files") :-
  in_force("test_strategy.mg"),
  !writes_code(),
  class_of(Id, /delete).

advice("test_strategy.mg", "first a test that fails, then the finding") :- in_force("test_strategy.mg").
advice("test_strategy.mg", "never weaken a test to make it pass") :- in_force("test_strategy.mg").
