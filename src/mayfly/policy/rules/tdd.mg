# Test-driven work: where in red, green, refactor a session stands, and what comes next.

Decl file_edited(Path)
  descr [doc("a file was changed in this session")]
  bound [/string].

Decl tests_run(Confidence)
  descr [doc("the tests ran after the last change; Confidence is how much of them passed, in percent")]
  bound [/number].

Decl diagnostic(Severity, Path, Line, Code, Message)
  descr [doc("what a compiler, type checker or linter says")]
  bound [/name, /string, /number, /string, /string].

Decl some_test_failed()
  descr [doc("a test failed in its last run")].

Decl test_passed_after_fix()
  descr [doc("the tests ran after the last change and at least 80 percent passed")].

Decl code_modified_recently()
  descr [doc("something was changed in this session")].

Decl tests_run_recently()
  descr [doc("the tests ran after the last change")].

Decl code_quality_issue(Kind, Message)
  descr [doc("something that works but should be better")]
  bound [/name, /string].

Decl tdd_state(State)
  descr [doc("/red, /green or /refactor")]
  bound [/name].

Decl next_action(Action)
  descr [doc("what to do next")]
  bound [/name].

Decl in_tdd_loop()
  descr [doc("the session is inside the loop")].

some_test_failed() :- test_failed(_, _, _).

test_passed_after_fix() :- tests_run(Confidence), Confidence >= 80.

code_modified_recently() :- file_edited(_).

tests_run_recently() :- tests_run(_).

code_quality_issue(/diagnostic, Message) :- diagnostic(_, _, _, _, Message).

tdd_state(/red) :-
  some_test_failed(),
  !test_passed_after_fix().

tdd_state(/green) :-
  code_modified_recently(),
  !some_test_failed().

tdd_state(/refactor) :-
  tdd_state(/green),
  code_quality_issue(_, _).

in_tdd_loop() :- tdd_state(_).

next_action(/fix_code) :- tdd_state(/red).

next_action(/run_tests) :-
  tdd_state(/green),
  !tests_run_recently().

next_action(/refactor_code) :- tdd_state(/refactor).

next_action(/execute_intent) :-
  user_intent(_, _, _, _, _),
  !in_tdd_loop().
