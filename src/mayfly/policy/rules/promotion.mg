# When a capability may move up: it ran often enough, proved itself, people voted for it, and nothing is outstanding.

Decl invocation_count(Capability, N)
  descr [doc("proven runs of the capability")]
  bound [/any, /number].

Decl capability_tier(Capability, Tier)
  descr [doc("the tier the capability has now")]
  bound [/any, /name].

Decl capability_proof(Capability, Strength)
  descr [doc("the strength of its newest proof: /strong, /weak or /none")]
  bound [/any, /name].

Decl failure_outstanding(Capability, Failure)
  descr [doc("a failure of the capability that nobody has settled")]
  bound [/any, /any].

Decl vote(Capability, Voter, Choice)
  descr [doc("a signed vote, one for each voter; Choice is /for or /against")]
  bound [/any, /any, /name].

Decl promotion_paused()
  descr [doc("an operator has paused promotion")].

Decl runs_needed(N)
  descr [doc("promotion needs more proven runs than this")]
  bound [/number].

Decl quorum(N)
  descr [doc("promotion needs at least this many votes for it")]
  bound [/number].

Decl failures_borne(N)
  descr [doc("so many failures that nobody has settled bring a promoted capability down")]
  bound [/number].

Decl promotable_tier(Tier)
  descr [doc("a tier from which a capability can be promoted")]
  bound [/name].

Decl votes(Capability, Choice, N)
  descr [doc("how many voters chose so")]
  bound [/any, /name, /number].

Decl run_enough(Capability)
  descr [doc("the capability has more proven runs than are needed")]
  bound [/any].

Decl voted_in(Capability)
  descr [doc("enough voters are for it, and more than are against it")]
  bound [/any].

Decl outvoted(Capability)
  descr [doc("at least as many voters are against it as for it")]
  bound [/any].

Decl quorum_reached(Capability)
  descr [doc("enough voters are for it")]
  bound [/any].

Decl promotion_blocked(Capability, Reason)
  descr [doc("why a capability cannot be promoted now")]
  bound [/any, /string].

Decl is_blocked(Capability)
  descr [doc("something stands against its promotion")]
  bound [/any].

Decl proposed(Capability)
  descr [doc("it ran often enough and proved itself: votes decide now")]
  bound [/any].

Decl failures_left(Capability, N)
  descr [doc("how many failures nobody has settled")]
  bound [/any, /number].

Decl demotable(Capability)
  descr [doc("a promoted capability that has failed too often")]
  bound [/any].

Decl promotable(Capability)
  descr [doc("the capability may be promoted")]
  bound [/any].

# runs_needed, quorum and failures_borne are settings: promotion.runs, promotion.quorum and promotion.failures.
promotable_tier(/memo).
promotable_tier(/authored).

votes(Capability, Choice, N) :-
  vote(Capability, Voter, Choice)
  |> do fn:group_by(Capability, Choice), let N = fn:count().

run_enough(Capability) :-
  invocation_count(Capability, N),
  runs_needed(Needed),
  N > Needed.

quorum_reached(Capability) :-
  votes(Capability, /for, N),
  quorum(Needed),
  N >= Needed.

outvoted(Capability) :-
  votes(Capability, /for, For),
  votes(Capability, /against, Against),
  Against >= For.

voted_in(Capability) :-
  quorum_reached(Capability),
  !outvoted(Capability).

promotion_blocked(Capability, "it has too few proven runs") :-
  capability_tier(Capability, _),
  !run_enough(Capability).

promotion_blocked(Capability, "its newest proof is not strong") :-
  capability_tier(Capability, _),
  !capability_proof(Capability, /strong).

promotion_blocked(Capability, "a failure is outstanding") :-
  capability_tier(Capability, _),
  failure_outstanding(Capability, _).

promotion_blocked(Capability, "too few votes for it, or too many against it") :-
  capability_tier(Capability, _),
  !voted_in(Capability).

promotion_blocked(Capability, "its tier is not one that is promoted from") :-
  capability_tier(Capability, Tier),
  !promotable_tier(Tier).

promotion_blocked(Capability, "promotion is paused") :-
  capability_tier(Capability, _),
  promotion_paused().

is_blocked(Capability) :- promotion_blocked(Capability, _).

promotable(Capability) :-
  capability_tier(Capability, _),
  !is_blocked(Capability).

proposed(Capability) :-
  run_enough(Capability),
  capability_proof(Capability, /strong),
  capability_tier(Capability, Tier),
  promotable_tier(Tier).

failures_left(Capability, N) :-
  failure_outstanding(Capability, Failure)
  |> do fn:group_by(Capability), let N = fn:count().

demotable(Capability) :-
  capability_tier(Capability, /promoted),
  failures_left(Capability, N),
  failures_borne(Most),
  N >= Most.
