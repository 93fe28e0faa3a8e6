# Which machines may be reached: those on the list; private and loopback ones only when named; an unclear one never.

Decl reaches_host(Id, Host, Kind)
  descr [doc("the action would reach the host")]
  bound [/any, /string, /name].

Decl named_host(Id, Host)
  descr [doc("the host is on the list by its own name, or is granted by it")]
  bound [/any, /string].

Decl listed_host(Id, Host)
  descr [doc("the host, or a domain above it, is on the list or granted")]
  bound [/any, /string].

Decl has_host(Id)
  descr [doc("the action names a host")]
  bound [/any].

Decl address_counts(Id)
  descr [doc("an address in the target is a place the action reaches")]
  bound [/any].

Decl uses_address(Class)
  descr [doc("actions of the class reach the host that their target names")]
  bound [/name].

Decl needs_host(Class)
  descr [doc("without a host nobody can say where such an action would go")]
  bound [/name].

uses_address(/net).
uses_address(/send).

needs_host(/net).

reaches_host(Id, Host, Kind) :-
  class_of(Id, Class),
  uses_address(Class),
  action_host(Id, Host, Kind).

reaches_host(Id, Host, Kind) :-
  class_of(Id, Class),
  uses_address(Class),
  payload_host(Id, Host, Kind).

reaches_host(Id, Host, Kind) :-
  class_of(Id, /lookup),
  payload_host(Id, Host, Kind).

reaches_host(Id, Host, Kind) :-
  class_of(Id, /spend),
  payload_host(Id, Host, Kind).

# What is bought may be named by an address or by a sum, what is read by an address or by a path.
reaches_host(Id, Host, Kind) :-
  action_host(Id, Host, Kind),
  address_counts(Id),
  pending_action(Id, _, Target, _, _),
  :string:contains(Target, "://").

address_counts(Id) :-
  action_host(Id, _, _),
  spend_action(Id).

address_counts(Id) :-
  action_host(Id, _, _),
  class_of(Id, Class),
  !target_is_text(Class),
  !uses_address(Class).

has_host(Id) :- action_host(Id, _, _).

has_host(Id) :- payload_host(Id, _, _).

named_host(Id, Host) :-
  reaches_host(Id, Host, _),
  allowed_host(Host).

named_host(Id, Host) :-
  reaches_host(Id, Host, _),
  grant(/net, Host).

listed_host(Id, Host) :- named_host(Id, Host).

listed_host(Id, Host) :-
  reaches_host(Id, Host, /public),
  action_host(Id, Host, _),
  action_host_within(Id, Domain),
  allowed_host(Domain).

listed_host(Id, Host) :-
  reaches_host(Id, Host, /public),
  action_host(Id, Host, _),
  action_host_within(Id, Domain),
  grant(/net, Domain).

listed_host(Id, Host) :-
  reaches_host(Id, Host, /public),
  allowed_host("*").

listed_host(Id, Host) :-
  reaches_host(Id, Host, /public),
  grant(/net, "*").

listed_host(Id, Host) :-
  reaches_host(Id, Host, /public),
  action_host(Id, Host, _),
  policy_allowed(Id).

refused(Id, "no host can be told from the address") :-
  class_of(Id, Class),
  needs_host(Class),
  !has_host(Id).

refused(Id, Reason) :-
  reaches_host(Id, Host, /unclear),
  Reason = fn:string:concat("nobody can tell which machine this is: ", Host).

refused(Id, Reason) :-
  reaches_host(Id, Host, /private),
  !named_host(Id, Host),
  Reason = fn:string:concat("a machine of a private network that is not on the list: ", Host).

refused(Id, Reason) :-
  reaches_host(Id, Host, /loopback),
  !named_host(Id, Host),
  Reason = fn:string:concat("this machine itself, which is not on the list: ", Host).

needs_approval(Id, Reason) :-
  reaches_host(Id, Host, /public),
  !listed_host(Id, Host),
  Reason = fn:string:concat("not on the list of hosts: ", Host).
