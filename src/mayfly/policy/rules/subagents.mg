# When work is handed to a sub-agent instead of being done in line.

Decl target_word_count(Target, N)
  descr [doc("how many words a request's target has")]
  bound [/string, /number].

Decl target_contains_multiple_files(Target)
  descr [doc("a request's target names more than one file")]
  bound [/string].

Decl test_scope(Scope)
  descr [doc("what is to be tested: /full_suite, /impacted or /single")]
  bound [/name].

Decl review_type(Type)
  descr [doc("what a review looks for, such as /security or /style")]
  bound [/name].

Decl complex_target(Target)
  descr [doc("too much for one agent's context")]
  bound [/string].

Decl spawn_subagent(Persona)
  descr [doc("a sub-agent of this persona is to be spawned")]
  bound [/name].

complex_target(Target) :-
  target_word_count(Target, N),
  N > 50.

complex_target(Target) :- target_contains_multiple_files(Target).

spawn_subagent(/researcher) :-
  persona_for(Id, /researcher),
  user_intent(Id, _, _, Target, _),
  complex_target(Target).

spawn_subagent(/tester) :-
  persona(/tester),
  test_scope(/full_suite).

spawn_subagent(/adversary) :-
  persona(/reviewer),
  review_type(/security).
