# What each trust tier may be granted at all, and whether the acting artifact holds the grants its action needs.
#
# A grant is said by the artifact's manifest; the tier says which grants may be given. An artifact below /authored has
# no effects, whatever it was granted; a built-in is part of the project and needs no grants of its own.

Decl tier_known(Tier)
  descr [doc("a trust tier, lowest first in the order of the file")]
  bound [/name].

Decl project_tier(Tier)
  descr [doc("artifacts of the tier are part of the project and need no grants")]
  bound [/name].

Decl effect(Effect)
  descr [doc("something that reaches beyond the artifact's own process")]
  bound [/name].

Decl grant_allowed(Tier, Effect)
  descr [doc("an artifact of the tier may hold the grant")]
  bound [/name, /name].

Decl class_effect(Class, Effect)
  descr [doc("actions of the class have the effect")]
  bound [/name, /name].

Decl action_effect(Id, Effect)
  descr [doc("the pending action has the effect")]
  bound [/any, /name].

Decl artifact_acts()
  descr [doc("a generated artifact acts, of whatever tier but built-in")].

Decl effect_granted(Id, Effect)
  descr [doc("the acting artifact holds a grant that covers the effect of the action")]
  bound [/any, /name].

Decl net_granted(Id)
  descr [doc("a net grant of the acting artifact covers the host of the action")]
  bound [/any].

Decl buy_granted(Id)
  descr [doc("a buy grant of the acting artifact covers the host of the action")]
  bound [/any].

Decl effect_missing(Id, Effect)
  descr [doc("the acting artifact lacks the grant for an effect of the action")]
  bound [/any, /name].

tier_known(/ephemeral).
tier_known(/memo).
tier_known(/authored).
tier_known(/promoted).
tier_known(/builtin).

project_tier(/builtin).

effect(/net).
effect(/fs).
effect(/exec).
effect(/package).
effect(/data).
effect(/ddl).
effect(/git).
effect(/spend).
effect(/spawn).

grant_allowed(/authored, Effect) :- effect(Effect).
grant_allowed(/promoted, Effect) :- effect(Effect).
grant_allowed(/builtin, Effect) :- effect(Effect).

# A query over the files it is given, which it cannot change, reaches nothing else.
grant_allowed(/memo, /data).

# `buy` is how the sandbox calls the grant for /spend, through a wallet outside: whoever may spend may hold it.
grant_allowed(Tier, /buy) :- grant_allowed(Tier, /spend).

class_effect(/read, /fs).
class_effect(/search, /fs).
class_effect(/write, /fs).
class_effect(/delete, /fs).
class_effect(/product, /fs).
class_effect(/run, /exec).
class_effect(/test, /exec).
class_effect(/build, /exec).
class_effect(/git, /git).
class_effect(/git_read, /git).
class_effect(/git_state, /git).
class_effect(/git_commit, /git).
class_effect(/git_push, /git).
class_effect(/git_force, /git).
class_effect(/git_merge, /git).
class_effect(/package, /package).
class_effect(/net, /net).
class_effect(/lookup, /net).
class_effect(/send, /net).
class_effect(/spend, /spend).
class_effect(/spawn, /spawn).
class_effect(/ddl, /ddl).
class_effect(/arbitrary, /exec).
class_effect(/system, /exec).
class_effect(/promote, /git).
class_effect(/tool, /spawn).
class_effect(/library, /spawn).
class_effect(/memory, /fs).

action_effect(Id, Effect) :-
  tier(_),
  class_of(Id, Class),
  class_effect(Class, Effect).

artifact_acts() :- tier(Tier), !project_tier(Tier).

effect_granted(Id, Effect) :-
  action_effect(Id, Effect),
  tier(Tier),
  Effect != /net,
  grant_allowed(Tier, Effect),
  grant(Effect, _).

effect_granted(Id, /net) :-
  action_effect(Id, /net),
  tier(Tier),
  grant_allowed(Tier, /net),
  net_granted(Id).

# `*` is every public host; loopback and private ones are covered only by their own name.
net_granted(Id) :-
  grant(/net, "*"),
  pending_action(Id, _, _, _, _).

net_granted(Id) :-
  grant(/net, Host),
  action_host_within(Id, Host).

net_granted(Id) :-
  grant(/net, Host),
  action_host(Id, Host, _).

effect_granted(Id, /spend) :-
  action_effect(Id, /spend),
  tier(Tier),
  grant_allowed(Tier, /buy),
  buy_granted(Id).

# `*` is whomever the wallet may pay at all; a host is that one alone, not the domains below it.
buy_granted(Id) :-
  grant(/buy, "*"),
  pending_action(Id, _, _, _, _).

buy_granted(Id) :-
  grant(/buy, Host),
  action_host(Id, Host, _).

effect_granted(Id, Effect) :-
  action_effect(Id, Effect),
  tier(Tier),
  project_tier(Tier).

effect_missing(Id, Effect) :-
  artifact_acts(),
  action_effect(Id, Effect),
  !effect_granted(Id, Effect).

# What a configuration of a persona that somebody wrote himself may give.

Decl reserved_class(Class)
  descr [doc("actions of the class change the project itself or its rules")]
  bound [/name].

Decl tool_above(Tier, Tool)
  descr [doc("nobody of the tier may give the tool to a persona of his own")]
  bound [/name, /name].

reserved_class(/config).
reserved_class(/promote).
reserved_class(/system).

tool_above(Tier, Tool) :-
  tier_known(Tier),
  action_class(Tool, Class),
  class_effect(Class, Effect),
  !grant_allowed(Tier, Effect).

tool_above(Tier, Tool) :-
  tier_known(Tier),
  action_class(Tool, Class),
  reserved_class(Class),
  !project_tier(Tier).
