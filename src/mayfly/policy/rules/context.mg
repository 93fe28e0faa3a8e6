# Which files an agent should see first: the higher the number, the sooner.

Decl same_package(Path, Other)
  descr [doc("two files belong to one package")]
  bound [/string, /string].

Decl file_imports(Importer, Imported)
  descr [doc("a file imports another")]
  bound [/string, /string].

Decl test_failed(Path, Test, Reason)
  descr [doc("a test failed in its last run")]
  bound [/string, /string, /string].

Decl intent_file(Path)
  descr [doc("a file that the request names")]
  bound [/string].

Decl context_priority(Path, N)
  descr [doc("a file belongs into the agent's context, with this priority")]
  bound [/string, /number].

intent_file(Path) :-
  user_intent(_, _, _, Path, _),
  file_exists(Path).

context_priority(Path, 100) :- intent_file(Path).

context_priority(Path, 90) :-
  test_failed(Path, _, _),
  persona(/coder).

context_priority(Path, 70) :-
  user_intent(_, _, _, Target, _),
  same_package(Target, Path),
  file_exists(Path).

context_priority(Path, 50) :-
  user_intent(_, _, _, Target, _),
  file_imports(Target, Path),
  file_exists(Path).

context_priority(Path, 20) :-
  file_topology(Path, _, _, _, /true),
  !persona(/tester).
