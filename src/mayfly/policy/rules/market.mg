# Payments with a token: to a named seller, to an address that may be paid, with our token on our chain, within the cap
# for one purchase. What may be paid in an hour or by one agent is counted where the money is set aside.

Decl token_payment(Id)
  descr [doc("the action pays with a token of some chain")]
  bound [/any].

Decl seller_named(Id)
  descr [doc("the seller is on the list by its own name; a public one also by a domain above it")]
  bound [/any].

Decl payee_known(Id)
  descr [doc("who would be paid can be told")]
  bound [/any].

Decl payees_listed()
  descr [doc("there is a list of addresses that may be paid")].

Decl payee_allowed(Id)
  descr [doc("the address is on the list, where there is one")]
  bound [/any].

Decl token_allowed(Id)
  descr [doc("it is the token and the chain that are paid with")]
  bound [/any].

Decl within_purchase_cap(Id)
  descr [doc("one purchase may cost that much")]
  bound [/any].

token_payment(Id) :-
  spend_action(Id),
  payment_asset(Id, _, _).

seller_named(Id) :-
  action_host(Id, Host, _),
  seller_host(Host).

seller_named(Id) :-
  action_host(Id, _, /public),
  action_host_within(Id, Domain),
  seller_host(Domain).

seller_named(Id) :-
  action_host(Id, _, /public),
  seller_host("*").

payee_known(Id) :- payment_payee(Id, _).

payees_listed() :- seller_payee(_).

payee_allowed(Id) :-
  payment_payee(Id, Address),
  seller_payee(Address).

payee_allowed(Id) :-
  payment_payee(Id, _),
  !payees_listed().

token_allowed(Id) :-
  payment_asset(Id, Network, Address),
  paid_with(Network, Address).

within_purchase_cap(Id) :-
  payment_micros(Id, Micros),
  purchase_cap(Cap),
  Micros <= Cap.

refused(Id, "not a seller that may be paid") :-
  token_payment(Id),
  !seller_named(Id).

refused(Id, "who would be paid cannot be told") :-
  token_payment(Id),
  !payee_known(Id).

refused(Id, Reason) :-
  token_payment(Id),
  payment_payee(Id, Address),
  !payee_allowed(Id),
  Reason = fn:string:concat("not an address that may be paid: ", Address).

refused(Id, "not the token and chain that are paid with") :-
  token_payment(Id),
  !token_allowed(Id).

refused(Id, "more than one purchase may cost") :-
  token_payment(Id),
  !within_purchase_cap(Id).

# Counted where the money is set aside, in units, and only asked about here.

needs_approval(Id, "more than may be spent in one session without asking") :-
  token_payment(Id),
  purchase_over(/session).

needs_approval(Id, "more than may be spent in one day without asking") :-
  token_payment(Id),
  purchase_over(/day).
