# What may be done. Nothing is permitted unless it follows from here: the action is of a known class, the one who acts
# may ask for that class, nothing refuses it, and where a person has to agree, a person did.
#
# Every refusal says why in words that a person understands; no approval helps against one.

Decl package_listed(Id)
  descr [doc("the action installs a package that the operator has listed")]
  bound [/any].

Decl permitted(Action, Target, Payload)
  descr [doc("this action may be done, exactly as it is")]
  bound [/name, /string, /string].

Decl refused(Id, Reason)
  descr [doc("the action may not be done, whoever agrees")]
  bound [/any, /string].

Decl needs_approval(Id, Reason)
  descr [doc("the action may be done once a person has agreed to exactly this")]
  bound [/any, /string].

Decl decision(Id, Decision)
  descr [doc("/permit, /approval or /deny")]
  bound [/any, /name].

Decl always_permitted(Id)
  descr [doc("asking a person is never refused")]
  bound [/any].

Decl allowed(Id)
  descr [doc("there is a rule in favour of the action")]
  bound [/any].

Decl policy_allowed(Id)
  descr [doc("a policy speaks in favour of the action")]
  bound [/any].

Decl has_path(Id)
  descr [doc("a path of the action lies inside the workspace")]
  bound [/any].

Decl path_missing(Id)
  descr [doc("the action is about a file and names none in the workspace")]
  bound [/any].

Decl is_refused(Id)
  descr [doc("something refuses the action")]
  bound [/any].

Decl was_approved(Id)
  descr [doc("a person agreed to exactly this action")]
  bound [/any].

Decl awaits_approval(Id)
  descr [doc("a person has to agree and did not yet")]
  bound [/any].

Decl can_be_approved(Id)
  descr [doc("all that is missing is a person's agreement")]
  bound [/any].

Decl plain_request(Action)
  descr [doc("an action that is one HTTP request and nothing else")]
  bound [/name].

Decl is_plain(Id)
  descr [doc("the action is one HTTP request and nothing else")]
  bound [/any].

Decl sent_as_listed(Id)
  descr [doc("everything that would be sent goes to hosts on the operator's list")]
  bound [/any].

Decl sent_elsewhere(Id)
  descr [doc("the action reaches a host that is not on the operator's list for sending")]
  bound [/any].

Decl class_needs_approval(Class, Reason)
  descr [doc("every action of the class needs a person's agreement")]
  bound [/name, /string].

Decl permitted_because(Id, Reason)
  descr [doc("why an action needs nobody's agreement, in words")]
  bound [/any, /string].

Decl is_permitted(Id)
  descr [doc("the pending action is permitted")]
  bound [/any].

Decl amount_known(Id)
  descr [doc("what the action would spend can be told")]
  bound [/any].

Decl spend_action(Id)
  descr [doc("the action costs money")]
  bound [/any].

Decl over_cap(Id, Scope)
  descr [doc("with what the /session or the /day has spent it is more than its cap")]
  bound [/any, /name].

Decl limit_known()
  descr [doc("there is a limit for spending")].

always_permitted(Id) :- class_of(Id, /ask).

policy_allowed(Id) :-
  pending_action(Id, Action, Target, Payload, _),
  policy_allows(Action, Target, Payload).

has_path(Id) :-
  pending_action(Id, _, _, _, _),
  action_path(Id, _, /inside).

path_missing(Id) :-
  pending_action(Id, _, _, _, _),
  class_of(Id, Class),
  needs_path(Class),
  !has_path(Id).

allowed(Id) :-
  may_ask(Id),
  !path_missing(Id).

allowed(Id) :- policy_allowed(Id).

is_refused(Id) :-
  refused(Id, _),
  !always_permitted(Id).

was_approved(Id) :-
  pending_action(Id, Action, Target, Payload, _),
  approved(Action, Target, Payload, _).

awaits_approval(Id) :-
  needs_approval(Id, _),
  !was_approved(Id),
  !always_permitted(Id).

permitted(Action, Target, Payload) :-
  pending_action(Id, Action, Target, Payload, _),
  allowed(Id),
  !is_refused(Id),
  !awaits_approval(Id).

is_permitted(Id) :-
  pending_action(Id, Action, Target, Payload, _),
  permitted(Action, Target, Payload).

decision(Id, /permit) :- is_permitted(Id).

can_be_approved(Id) :-
  allowed(Id),
  awaits_approval(Id),
  !is_refused(Id).

decision(Id, /approval) :- can_be_approved(Id).

decision(Id, /deny) :-
  pending_action(Id, _, _, _, _),
  !is_permitted(Id),
  !can_be_approved(Id).

# Who may ask.

refused(Id, "nothing is known of an action of this name") :-
  unknown_action(Id),
  !policy_allowed(Id).

refused(Id, "nothing is known of the persona that acts") :-
  pending_action(Id, _, _, _, _),
  unknown_persona(),
  !always_permitted(Id).

refused(Id, "the one who acts has no tool for this kind of action") :-
  class_of(Id, _),
  !may_ask(Id).

refused(Id, "the action is about a file, and none in the workspace is named") :- path_missing(Id).

refused(Id, Reason) :-
  effect_missing(Id, Effect),
  Reason = fn:string:concat("the artifact lacks the grant ", Effect).

refused(Id, Reason) :-
  policy_denies(Id, Reason),
  !always_permitted(Id).

# Settings, limits and rules are no artifact's business: it would widen its own powers.
refused(Id, "an artifact may not change settings, limits or rules") :-
  class_of(Id, /config),
  artifact_acts().

# What a person has to agree to.

class_needs_approval(/arbitrary, "running anything outside the workbench needs an approval").
class_needs_approval(/system, "changing the machine needs an approval").
class_needs_approval(/git_push, "pushing needs an approval").
class_needs_approval(/git_force, "rewriting what others may have needs an approval").
class_needs_approval(/git_merge, "bringing in what others did needs an approval").
class_needs_approval(/config, "changing settings, limits or rules needs an approval").
class_needs_approval(/promote, "changing the project's own parts needs an approval").

needs_approval(Id, Reason) :-
  class_of(Id, Class),
  class_needs_approval(Class, Reason).

needs_approval(Id, Reason) :- policy_needs_approval(Id, Reason).

# Packages for tools come into a place of their own; what they hold runs behind the wall only. Which ones come without
# asking is the operator's to say.
needs_approval(Id, "installing packages outside the workbench needs an approval") :-
  class_of(Id, /package),
  !package_listed(Id).

package_listed(Id) :-
  pending_action(Id, /package_install, Name, _, _),
  allowed_package(Name).

# A command is not read: its words do not tell what it does. It has the machine's programs, the files of the workspace and
# nothing else, and what it changed of those is judged by changes.mg before anything is kept.
permitted_because(Id, "inside the workbench: what it changes is judged when it ends") :-
  class_of(Id, Class),
  in_workbench(Class).

# What a person agrees to is a push to one place.
refused(Id, Reason) :-
  push_fault(Id, Reason),
  class_of(Id, /git_push).

refused(Id, Reason) :-
  push_fault(Id, Reason),
  class_of(Id, /git_force).

# Sending. Only a plain request, and only where everything it reaches is on the operator's list, goes without asking.

needs_approval(Id, "sending data to another machine needs an approval") :-
  class_of(Id, /send),
  !sent_as_listed(Id).

sent_as_listed(Id) :-
  class_of(Id, /send),
  is_plain(Id),
  reaches_host(Id, Host, _),
  send_host(Host),
  !sent_elsewhere(Id).

sent_elsewhere(Id) :-
  reaches_host(Id, Host, _),
  !send_host(Host).

is_plain(Id) :- sends_more(Id).

is_plain(Id) :-
  pending_action(Id, Action, _, _, _),
  plain_request(Action).

plain_request(/http_post).
plain_request(/http_put).
plain_request(/http_patch).
plain_request(/http_request).
plain_request(/webhook).

# Spending. No limit is a limit of nothing.

spend_action(Id) :- class_of(Id, /spend).

amount_known(Id) :-
  spend_action(Id),
  action_amount(Id, _).

limit_known() :- spend_limit(_).

refused(Id, "how much would be spent cannot be told") :-
  spend_action(Id),
  !amount_known(Id).

refused(Id, "an amount below nothing") :-
  spend_action(Id),
  action_amount(Id, Cents),
  Cents < 0.

needs_approval(Id, "more than may be spent without asking") :-
  spend_action(Id),
  action_amount(Id, Cents),
  spend_limit(Limit),
  Cents > Limit.

# Many small ones are a large one.
over_cap(Id, Scope) :-
  spend_action(Id),
  action_amount(Id, Cents),
  spent(Scope, Before),
  spend_cap(Scope, Cap),
  Sum = fn:plus(Before, Cents),
  Sum > Cap.

needs_approval(Id, "more than may be spent in one session without asking") :- over_cap(Id, /session).

needs_approval(Id, "more than may be spent in one day without asking") :- over_cap(Id, /day).

needs_approval(Id, "nothing may be spent without asking: no limit is set") :-
  spend_action(Id),
  !limit_known().

# Tables. The agent makes and extends its own; it removes nothing.

refused(Id, "an agent removes no tables, no rows and no rights") :-
  class_of(Id, /ddl),
  action_word(Id, _).
