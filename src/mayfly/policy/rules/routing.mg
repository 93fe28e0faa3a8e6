# Who does what was asked: each verb belongs to a persona, and a verb that belongs to nobody goes to the default.
#
# A new persona is one fact, verb_persona(/verb, /persona). The default looks at these facts and never at persona/1,
# so the rules can be stratified and a claimed verb never reaches the default as well.

Decl default_persona(Category, Persona)
  descr [doc("who takes a request whose verb belongs to nobody")]
  bound [/name, /name].

Decl verb_claimed(Verb)
  descr [doc("the verb belongs to some persona")]
  bound [/name].

Decl persona_for(Id, Persona)
  descr [doc("the persona for one of the intents")]
  bound [/any, /name].

Decl persona(Persona)
  descr [doc("a persona that the request needs")]
  bound [/name].

verb_persona(/fix, /coder).
verb_persona(/implement, /coder).
verb_persona(/refactor, /coder).
verb_persona(/create, /coder).
verb_persona(/modify, /coder).
verb_persona(/add, /coder).
verb_persona(/update, /coder).
verb_persona(/new, /coder).
verb_persona(/generate, /coder).
verb_persona(/change, /coder).
verb_persona(/edit, /coder).
verb_persona(/patch, /coder).
verb_persona(/remove, /coder).
verb_persona(/delete, /coder).

verb_persona(/test, /tester).
verb_persona(/cover, /tester).
verb_persona(/verify, /tester).
verb_persona(/validate, /tester).

verb_persona(/review, /reviewer).
verb_persona(/audit, /reviewer).
verb_persona(/check, /reviewer).
verb_persona(/analyze, /reviewer).
verb_persona(/inspect, /reviewer).

verb_persona(/research, /researcher).
verb_persona(/learn, /researcher).
verb_persona(/document, /researcher).
verb_persona(/understand, /researcher).
verb_persona(/explore, /researcher).
verb_persona(/find, /researcher).
verb_persona(/search, /researcher).
verb_persona(/explain, /researcher).

default_persona(/command, /coder).
default_persona(/instruction, /coder).
default_persona(/question, /general).

verb_claimed(Verb) :- verb_persona(Verb, _).

persona_for(Id, Persona) :-
  user_intent(Id, _, Verb, _, _),
  verb_persona(Verb, Persona).

persona_for(Id, Persona) :-
  user_intent(Id, Category, Verb, _, _),
  default_persona(Category, Persona),
  !verb_claimed(Verb).

persona(Persona) :- persona_for(_, Persona).
