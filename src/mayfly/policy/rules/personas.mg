# What the one who acts may ask for at all. An agent comes with its configuration, which names its tools and policies; who
# has which is said by the files of the personas, and only there.

Decl core_tool(Tool)
  descr [doc("a tool that nobody is ever without")]
  bound [/name].

Decl unknown_persona()
  descr [doc("somebody acts who has no configuration, or half of one")].

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

Decl in_force(File)
  descr [doc("the policy governs the pending action")]
  bound [/string].

Decl writes_code()
  descr [doc("the one who acts was asked to write code, whatever else it does")].

Decl may_use(Tool)
  descr [doc("the one who acts has the tool")]
  bound [/name].

Decl may_do(Class)
  descr [doc("the one who acts may ask for actions of the class")]
  bound [/name].

core_tool(/ask_user).

# Who an agent is says nothing by itself: its configuration does, with its tools and at least the policy for all. Where
# either is missing, something went wrong before the question.
unknown_persona() :-
  acting(_),
  !tools_granted().

unknown_persona() :-
  acting(_),
  !policies_granted().

tools_granted() :- granted_tool(_).

policies_granted() :- granted_policy(_).

persona_acts() :- acting(_).

tier_named() :- tier(_).

person_asks() :-
  asked_by(/person),
  !persona_acts(),
  !tier_named(),
  !tools_granted().

in_force(File) :- granted_policy(File).

# A role's limits are for who has that role alone: who was also asked to write code writes code.
writes_code() :- in_force("code_safety.mg").

may_use(Tool) :- core_tool(Tool).

may_use(Tool) :- granted_tool(Tool).

# A policy brings its tools to an agent, and makes none of somebody unknown.
may_use(Tool) :-
  tools_granted(),
  in_force(File),
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
