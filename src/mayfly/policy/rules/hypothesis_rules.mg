# Policy of those who look for faults: a suspicion is kept apart from a finding until there is evidence for it.

Decl hypothesis_gen(Path, Claim)
  descr [doc("what the tool of this name suspects of a file")]
  bound [/string, /string].

Decl evidence(Path, Claim)
  descr [doc("something that shows the claim: a test that fails, a trace, a line of code")]
  bound [/string, /string].

Decl counter_evidence(Path, Claim)
  descr [doc("something that shows the contrary")]
  bound [/string, /string].

Decl supported(Path, Claim)
  descr [doc("there is evidence for the claim and none against it")]
  bound [/string, /string].

Decl rejected(Path, Claim)
  descr [doc("there is evidence against the claim")]
  bound [/string, /string].

Decl open_claim(Path, Claim)
  descr [doc("nobody has looked for evidence yet")]
  bound [/string, /string].

Decl suspect(Path)
  descr [doc("a file to look at first: a test of it fails")]
  bound [/string].

policy_tool("hypothesis_rules.mg", /hypothesis_gen).

rejected(Path, Claim) :-
  hypothesis_gen(Path, Claim),
  counter_evidence(Path, Claim).

supported(Path, Claim) :-
  hypothesis_gen(Path, Claim),
  evidence(Path, Claim),
  !rejected(Path, Claim).

open_claim(Path, Claim) :-
  hypothesis_gen(Path, Claim),
  !supported(Path, Claim),
  !rejected(Path, Claim).

suspect(Path) :- test_failed(Path, _, _).

advice("hypothesis_rules.mg", Text) :-
  in_force("hypothesis_rules.mg"),
  open_claim(Path, Claim),
  Text = fn:string:concat("look for evidence in ", Path, ": ", Claim).
