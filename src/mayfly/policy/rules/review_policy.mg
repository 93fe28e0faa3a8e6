# Policy of those who review: they read and judge; they write nothing and run nothing.

Decl review_forbids(Class, Reason)
  descr [doc("what a reviewer does not do")]
  bound [/name, /string].

policy_tool("review_policy.mg", /hypothesis_gen).
policy_tool("review_policy.mg", /impact_analysis).
policy_tool("review_policy.mg", /preflight).

review_forbids(/write, "who reviews writes nothing").
review_forbids(/delete, "who reviews writes nothing").
review_forbids(/product, "who reviews writes nothing").
review_forbids(/git_state, "who reviews writes nothing").
review_forbids(/git_commit, "who reviews writes nothing").
review_forbids(/git_push, "who reviews writes nothing").
review_forbids(/git_force, "who reviews writes nothing").
review_forbids(/git_merge, "who reviews writes nothing").
review_forbids(/ddl, "who reviews writes nothing").
review_forbids(/tool, "who reviews writes nothing").
review_forbids(/promote, "who reviews writes nothing").
review_forbids(/config, "who reviews writes nothing").
review_forbids(/library, "who reviews runs nothing").
review_forbids(/run, "who reviews runs nothing").
review_forbids(/arbitrary, "who reviews runs nothing").
review_forbids(/system, "who reviews runs nothing").
review_forbids(/test, "who reviews runs nothing").
review_forbids(/build, "who reviews runs nothing").
review_forbids(/package, "who reviews runs nothing").
review_forbids(/spend, "who reviews spends nothing").
review_forbids(/send, "who reviews sends nothing").

policy_denies(Id, Reason) :-
  in_force("review_policy.mg"),
  !writes_code(),
  class_of(Id, Class),
  review_forbids(Class, Reason).

advice("review_policy.mg", "name the file and the line of every finding") :- in_force("review_policy.mg").
advice("review_policy.mg", "say what would go wrong, and how it could be shown") :- in_force("review_policy.mg").
