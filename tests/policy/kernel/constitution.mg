# A small constitution for the kernel's own tests: the shape of the shipped one, with few rules.

Decl policy_allows(Action, Target, Payload).
Decl policy_denies(Id, Reason).
Decl policy_needs_approval(Id, Reason).
Decl policy_tool(Policy, Tool).
Decl granted_policy(File).
Decl persona(Persona).
Decl verb_persona(Verb, Persona).

action_class(/ask_user, /ask).
action_class(/file_read, /read).
action_class(/file_write, /write).
action_class(/shell_exec, /run).
action_class(/spend, /spend).

class_of(Id, Class) :- pending_action(Id, Action, _, _, _), action_class(Action, Class).

refused(Id, "a removal of everything below a directory") :-
  pending_action(Id, _, Target, _, _), :string:contains(Target, "rm -r").
refused(Id, "a path outside the workspace") :-
  class_of(Id, /write), action_path(Id, _, Where), Where != /inside .
refused(Id, Reason) :- policy_denies(Id, Reason).

needs_approval(Id, "it runs a command") :- class_of(Id, /run).
needs_approval(Id, "it is more than may be spent") :-
  class_of(Id, /spend), action_amount(Id, Cents), spend_limit(Limit), Cents > Limit.
needs_approval(Id, Reason) :- policy_needs_approval(Id, Reason).

usual(Id) :- class_of(Id, _).
usual(Id) :- policy_tool(File, Action), granted_policy(File), pending_action(Id, Action, _, _, _).

permitted(Action, Target, Payload) :-
  pending_action(Id, Action, Target, Payload, _), usual(Id), !refused(Id, _), !needs_approval(Id, _).
permitted(Action, Target, Payload) :-
  pending_action(Id, Action, Target, Payload, _), policy_allows(Action, Target, Payload),
  !refused(Id, _), !needs_approval(Id, _).
permitted(Action, Target, Payload) :-
  pending_action(Id, Action, Target, Payload, _), usual(Id), !refused(Id, _), approved(Action, Target, Payload, _).

verb_persona(/fix, /mender).
default_persona(/command, /mender).
verb_claimed(Verb) :- verb_persona(Verb, _).
persona_for(Id, Persona) :- user_intent(Id, _, Verb, _, _), verb_persona(Verb, Persona).
persona_for(Id, Persona) :- user_intent(Id, Category, Verb, _, _), default_persona(Category, Persona), !verb_claimed(Verb).
persona(Persona) :- persona_for(_, Persona).
action_type_for(Id, /modify) :- user_intent(Id, /command, /fix, _, _).
action_type(Type) :- action_type_for(_, Type).
framework(/pytest) :- file_exists("pyproject.toml"), file_contains("pyproject.toml", "pytest").
