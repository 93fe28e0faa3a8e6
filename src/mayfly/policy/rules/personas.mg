# What each persona brings: its tools and its policies. From these follows what the one who acts may ask for at all.

Decl persona_tool(Persona, Tool)
  descr [doc("a tool of the persona; tools are named as actions are")]
  bound [/name, /name].

Decl persona_policy(Persona, File)
  descr [doc("a policy file that governs the persona")]
  bound [/name, /string].

Decl core_tool(Tool)
  descr [doc("a tool that every persona has")]
  bound [/name].

Decl persona_known(Persona)
  descr [doc("some rule says something of the persona")]
  bound [/name].

Decl unknown_persona()
  descr [doc("somebody acts of whom no rule says anything")].

Decl tools_granted()
  descr [doc("the acting agent has a configuration of its own, which says its tools")].

Decl policies_granted()
  descr [doc("the acting agent has a configuration of its own, which says its policies")].

Decl persona_acts()
  descr [doc("somebody acts")].

Decl person_asks()
  descr [doc("neither a persona nor an artifact acts: a person asks what the rules say of the action itself")].

Decl tier_named()
  descr [doc("an artifact acts, of whatever tier")].

Decl governed(Persona)
  descr [doc("the persona has policies")]
  bound [/name].

Decl policy_file(File)
  descr [doc("a policy that some persona has")]
  bound [/string].

Decl policy_given(File)
  descr [doc("the acting agent's configuration or persona names the policy")]
  bound [/string].

Decl in_force(File)
  descr [doc("the policy governs the pending action")]
  bound [/string].

Decl may_use(Tool)
  descr [doc("the one who acts has the tool")]
  bound [/name].

Decl may_do(Class)
  descr [doc("the one who acts may ask for actions of the class")]
  bound [/name].

core_tool(/file_read).
core_tool(/search_code).
core_tool(/ask_user).

persona_tool(/coder, /file_read).
persona_tool(/coder, /file_write).
persona_tool(/coder, /shell_exec).
persona_tool(/coder, /git).
persona_tool(/coder, /build_check).
persona_tool(/coder, /test_exec).
persona_tool(/coder, /tool_write).
persona_tool(/coder, /schema_apply).
persona_tool(/coder, /spawn_agent).

persona_tool(/tester, /test_exec).
persona_tool(/tester, /coverage_analyzer).
persona_tool(/tester, /file_read).
persona_tool(/tester, /file_write).
persona_tool(/tester, /shell_exec).
persona_tool(/tester, /build_check).
persona_tool(/tester, /git_diff).

persona_tool(/reviewer, /file_read).
persona_tool(/reviewer, /hypothesis_gen).
persona_tool(/reviewer, /impact_analysis).
persona_tool(/reviewer, /preflight).
persona_tool(/reviewer, /git_diff).
persona_tool(/reviewer, /git_log).

persona_tool(/researcher, /file_read).
persona_tool(/researcher, /file_write).
persona_tool(/researcher, /web_fetch).
persona_tool(/researcher, /web_search).
persona_tool(/researcher, /doc_parse).
persona_tool(/researcher, /kb_ingest).
persona_tool(/researcher, /context7).

persona_tool(/adversary, /file_read).
persona_tool(/adversary, /hypothesis_gen).
persona_tool(/adversary, /test_exec).
persona_tool(/adversary, /git_diff).

persona_tool(/toolgen, /file_read).
persona_tool(/toolgen, /tool_write).
persona_tool(/toolgen, /test_exec).

persona_tool(/general, /file_read).

persona_policy(/coder, "code_safety.mg").
persona_policy(/coder, "git_workflow.mg").
persona_policy(/tester, "test_strategy.mg").
persona_policy(/tester, "framework_detection.mg").
persona_policy(/reviewer, "review_policy.mg").
persona_policy(/reviewer, "hypothesis_rules.mg").
persona_policy(/researcher, "research_strategy.mg").
persona_policy(/adversary, "hypothesis_rules.mg").
persona_policy(/adversary, "test_strategy.mg").
persona_policy(/toolgen, "code_safety.mg").

persona_known(Persona) :- persona_tool(Persona, _).

persona_known(Persona) :- persona_policy(Persona, _).

# A rule that says who takes a verb makes a persona; until it has tools, it has those that all have.
persona_known(Persona) :- verb_persona(_, Persona).

# Where the configuration of an agent says its tools, its persona is only a name.
unknown_persona() :-
  acting(Persona),
  !persona_known(Persona),
  !tools_granted().

tools_granted() :- granted_tool(_).

policies_granted() :- granted_policy(_).

persona_acts() :- acting(_).

tier_named() :- tier(_).

person_asks() :-
  asked_by(/person),
  !persona_acts(),
  !tier_named(),
  !tools_granted().

governed(Persona) :- persona_policy(Persona, _).

policy_file(File) :- persona_policy(_, File).

policy_given(File) :- granted_policy(File).

policy_given(File) :-
  acting(Persona),
  persona_policy(Persona, File),
  !policies_granted().

in_force(File) :- policy_given(File).

# Of a persona nobody has said anything about, every policy is true; but none of them gives it a tool.
in_force(File) :-
  acting(Persona),
  policy_file(File),
  !governed(Persona),
  !policies_granted().

may_use(Tool) :- core_tool(Tool).

may_use(Tool) :- granted_tool(Tool).

may_use(Tool) :-
  acting(Persona),
  persona_tool(Persona, Tool),
  !tools_granted().

may_use(Tool) :-
  policy_given(File),
  policy_tool(File, Tool).

may_do(Class) :-
  may_use(Tool),
  action_class(Tool, Class).

may_do(Class) :-
  may_use(Tool),
  action_class(Tool, Held),
  class_covers(Held, Class).

may_do(Class) :-
  person_asks(),
  known_class(Class).

# What an artifact may do is said by its grants.
may_do(Class) :-
  tier_named(),
  known_class(Class),
  !persona_acts(),
  !tools_granted().
