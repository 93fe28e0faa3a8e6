# What kind of work was asked for: create, modify, delete or query.

Decl verb_action(Verb, Type)
  descr [doc("a command with this verb is that kind of work")]
  bound [/name, /name].

Decl action_type_for(Id, Type)
  descr [doc("the kind of work of one of the intents")]
  bound [/any, /name].

Decl intent_guessed(Id)
  descr [doc("nobody said what to do: its verb was guessed")]
  bound [/any].

Decl action_type(Type)
  descr [doc("a kind of work that the request needs")]
  bound [/name].

verb_action(/create, /create).
verb_action(/implement, /create).
verb_action(/add, /create).
verb_action(/new, /create).
verb_action(/generate, /create).
verb_action(/copy, /create).

verb_action(/fix, /modify).
verb_action(/refactor, /modify).
verb_action(/update, /modify).
verb_action(/change, /modify).
verb_action(/edit, /modify).
verb_action(/patch, /modify).
verb_action(/modify, /modify).
verb_action(/debug, /modify).
verb_action(/optimize, /modify).
verb_action(/migrate, /modify).
verb_action(/rename, /modify).
verb_action(/configure, /modify).
verb_action(/revert, /modify).
verb_action(/format, /modify).

verb_action(/remove, /delete).
verb_action(/delete, /delete).

verb_action(/find, /query).
verb_action(/search, /query).
verb_action(/explain, /query).
verb_action(/read, /query).

# A question changes nothing, whatever its verb.
action_type_for(Id, /query) :- user_intent(Id, /question, _, _, _).

# A guess may say who looks at it, but what changes something has to be said.
action_type_for(Id, Type) :-
  user_intent(Id, /command, Verb, _, _),
  !intent_guessed(Id),
  verb_action(Verb, Type).

# "Add a test", "write a docstring": the verb is that of the thing, and still something is made.
action_type_for(Id, /create) :-
  user_intent(Id, /command, _, _, _),
  intent_makes(Id).

intent_guessed(Id) :- intent_guess(Id, _, _).

action_type_for(Id, Type) :-
  user_intent(Id, /instruction, Verb, _, _),
  verb_action(Verb, Type).

action_type(Type) :- action_type_for(_, Type).
