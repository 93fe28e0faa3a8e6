# How a request becomes steps. A plan is data: steps in an order, what each needs, and which of them have plans of
# their own. Any rule file may add one: plan_step(/polish, /read, 1, "Read {file}") and its like give a verb a plan.
#
# Templates name slots: {intent} the request's own words, {task} the same without the files it names, {object} what
# stands after its verb, {thing} and {place} its parts ("bug" and "auth module"), {target} what it is about, {problem}
# what is wrong, {file}, {module}, {dir}, {glob}, {url}, {goal} where it is to go, {topic} what to look for, {inside} the
# file to look in, {where} that or a directory, {saved} the file that the result goes to, {first} and {second} two things
# named side by side, {old} the name that is given up, {condition} what has to be so. /tests holds where tests are
# spoken of, /runs where something is to be run, /files where files are looked for and not what is in them,
# /data_file where the file holds data, /before where the request works on what another one before it gives, and /fed
# where it names some part of that, and nothing else.

Decl intent_slot(Id, Slot)
  descr [doc("what a request tells: the slot can be filled")]
  bound [/any, /name].

Decl intent_said(Id, Verb)
  descr [doc("the word with which a request begins, as it was said")]
  bound [/any, /name].

Decl plan_given(What)
  descr [doc("what came with the request: /input, /lines or /examples")]
  bound [/name].

# What plans are made of.

Decl plan_step(Plan, Step, Order, Template)
  descr [doc("a step of a plan; plans are named by verbs")]
  bound [/name, /name, /number, /string].

Decl plan_needs(Plan, Step, Other)
  descr [doc("the step works on what the other step of the plan gives")]
  bound [/name, /name, /name].

Decl plan_verb(Plan, Step, Verb)
  descr [doc("the step has a plan of its own, that of the verb")]
  bound [/name, /name, /name].

Decl plan_uses(Plan, Step, Capability)
  descr [doc("of the capabilities that could do the step, this one is meant")]
  bound [/name, /name, /string].

Decl plan_argument(Plan, Step, Key, Template)
  descr [doc("what the step works on; a key whose slots are not told is left out, an empty key is the whole of it")]
  bound [/name, /name, /string, /string].

Decl plan_combine(Plan, Kind)
  descr [doc("how the values of the steps become one: /last, /record, /list or /concat; /last where nothing is said")]
  bound [/name, /name].

Decl plan_when(Plan, Step, Slot)
  descr [doc("the step is left out unless the request tells this")]
  bound [/name, /name, /name].

Decl plan_unless(Plan, Step, Slot)
  descr [doc("the step is left out where the request tells this")]
  bound [/name, /name, /name].

Decl plan_by_example(Plan, Step)
  descr [doc("the step is a function on data, which can be written from examples or samples alone")]
  bound [/name, /name].

Decl plan_shapes(Verb)
  descr [doc("said of a file of data, the verb asks for a function on what it holds")]
  bound [/name].

Decl plan_sifts(Verb)
  descr [doc("said of what another request gave, the verb asks for some of it")]
  bound [/name].

Decl plan_default(Slot, Text)
  descr [doc("the words for a slot that the request does not tell")]
  bound [/name, /string].

Decl plan_as(Verb, Plan)
  descr [doc("requests with the verb go by the plan of another")]
  bound [/name, /name].

Decl plan_instead(Verb, Plan)
  descr [doc("requests with the verb go by this plan, whatever other rules say of it")]
  bound [/name, /name].

Decl plan_data(Verb)
  descr [doc("with an input given, a request with the verb asks for one function on data")]
  bound [/name].

plan_default(/target, "code").
plan_default(/object, "what was asked").
plan_default(/thing, "what was asked").
plan_default(/problem, "problem").

# What follows.

Decl plan_moved(Verb)
  descr [doc("another plan was put in place of the verb's own")]
  bound [/name].

Decl plan_shared(Verb)
  descr [doc("the verb goes by the plan of another")]
  bound [/name].

Decl plan_of(Verb, Plan)
  descr [doc("the plan by which requests with the verb go")]
  bound [/name, /name].

Decl plan_known(Verb)
  descr [doc("there is a plan for the verb")]
  bound [/name].

Decl plan_lexical(Verb)
  descr [doc("perception knows the verb by itself")]
  bound [/name].

Decl plan_says(Id, Verb)
  descr [doc("the request says a verb that has a plan and that perception takes for another")]
  bound [/any, /name].

Decl plan_speaks(Id)
  descr [doc("the request says such a verb")]
  bound [/any].

Decl plan_asked(Id, Verb)
  descr [doc("the verb by which a request is planned")]
  bound [/any, /name].

Decl plan_is_data(Id)
  descr [doc("the request asks for one function on the data that came with it")]
  bound [/any].

Decl plan_is_file(Id)
  descr [doc("the request asks for one function on what a file of data holds")]
  bound [/any].

Decl plan_describes(Verb)
  descr [doc("a condition that is said with the verb describes what it is about")]
  bound [/name].

Decl plan_is_saved(Id)
  descr [doc("what the request makes of data is to be put into a file, which no function on data does")]
  bound [/any].

Decl plan_is_bound(Id)
  descr [doc("the request is to be done only if something is so")]
  bound [/any].

Decl plan_is_question(Id)
  descr [doc("the request is a question")]
  bound [/any].

Decl plan_for(Id, Plan)
  descr [doc("the plan for a request")]
  bound [/any, /name].

Decl plan_reached(Id, Plan)
  descr [doc("the plan, or one that a step of it has")]
  bound [/any, /name].

Decl plan_lacks(Id, Plan, Step)
  descr [doc("the request does not tell what the step takes, or tells what it stands in for")]
  bound [/any, /name, /name].

Decl plan_follows(Id)
  descr [doc("a request for data that names none works on what the request before it gives")]
  bound [/any].

Decl planned_step(Id, Plan, Step, Order, Template)
  descr [doc("a step that a request takes")]
  bound [/any, /name, /name, /number, /string].

Decl planned_needs(Id, Plan, Step, Other)
  descr [doc("a step that works on what another one gives, both of them taken")]
  bound [/any, /name, /name, /name].

Decl planned_verb(Id, Plan, Step, Other)
  descr [doc("a step that is taken and has a plan of its own")]
  bound [/any, /name, /name, /name].

plan_moved(Verb) :- plan_instead(Verb, _).

plan_shared(Verb) :- plan_as(Verb, _).

plan_of(Verb, Plan) :- plan_instead(Verb, Plan).

plan_of(Verb, Plan) :-
  plan_as(Verb, Plan),
  !plan_moved(Verb).

plan_of(Verb, Verb) :-
  plan_step(Verb, _, _, _),
  !plan_shared(Verb),
  !plan_moved(Verb).

plan_known(Verb) :- plan_of(Verb, _).

plan_lexical(Verb) :- verb_persona(Verb, _).

plan_lexical(Verb) :- verb_action(Verb, _).

plan_lexical(Verb) :- verb_form(Verb, _).

plan_says(Id, Verb) :-
  intent_said(Id, Verb),
  plan_known(Verb),
  !plan_lexical(Verb).

plan_speaks(Id) :- plan_says(Id, _).

plan_asked(Id, Verb) :- plan_says(Id, Verb).

plan_asked(Id, Verb) :-
  user_intent(Id, _, Verb, _, _),
  !plan_speaks(Id).

plan_is_data(Id) :-
  user_intent(Id, _, _, _, _),
  plan_given(/examples).

plan_is_data(Id) :-
  user_intent(Id, _, _, _, _),
  plan_given(/lines).

plan_is_data(Id) :-
  plan_asked(Id, Verb),
  plan_data(Verb),
  plan_given(/input).

plan_is_data(Id) :-
  intent_said(Id, Verb),
  plan_data(Verb),
  plan_given(/input).

plan_is_data(Id) :-
  plan_asked(Id, Verb),
  plan_given(/input),
  !plan_known(Verb).

plan_is_question(Id) :- user_intent(Id, /question, _, _, _).

plan_is_file(Id) :-
  intent_said(Id, Verb),
  plan_shapes(Verb),
  intent_slot(Id, /data_file).

plan_is_file(Id) :-
  intent_said(Id, Verb),
  plan_sifts(Verb),
  intent_slot(Id, /fed).

plan_is_bound(Id) :-
  plan_asked(Id, Verb),
  intent_slot(Id, /condition),
  !plan_describes(Verb),
  !plan_is_question(Id),
  !plan_is_data(Id).

plan_is_saved(Id) :-
  plan_asked(Id, Verb),
  plan_of(Verb, /work_on_data),
  intent_slot(Id, /saved),
  !plan_is_bound(Id),
  !plan_is_question(Id),
  !plan_is_data(Id).

plan_is_saved(Id) :-
  intent_said(Id, Verb),
  plan_shapes(Verb),
  intent_slot(Id, /saved),
  !plan_is_bound(Id),
  !plan_is_question(Id),
  !plan_is_data(Id).

plan_for(Id, /whole) :- plan_is_data(Id).

plan_for(Id, /general) :- plan_is_saved(Id).

plan_for(Id, /do_if) :- plan_is_bound(Id).

plan_for(Id, /work_on_data) :-
  plan_is_file(Id),
  !plan_is_bound(Id),
  !plan_is_saved(Id),
  !plan_is_data(Id).

# A question changes nothing, whatever its verb.
plan_for(Id, /answer) :-
  plan_is_question(Id),
  !plan_is_data(Id).

plan_for(Id, Plan) :-
  plan_asked(Id, Verb),
  plan_of(Verb, Plan),
  !plan_is_question(Id),
  !plan_is_bound(Id),
  !plan_is_saved(Id),
  !plan_is_file(Id),
  !plan_is_data(Id).

plan_for(Id, /general) :-
  plan_asked(Id, Verb),
  !plan_known(Verb),
  !plan_is_question(Id),
  !plan_is_bound(Id),
  !plan_is_saved(Id),
  !plan_is_file(Id),
  !plan_is_data(Id).

plan_follows(Id) :-
  plan_for(Id, Plan),
  plan_by_example(Plan, _),
  !intent_slot(Id, /file),
  !intent_slot(Id, /url),
  !intent_slot(Id, /place).

plan_lacks(Id, Plan, Step) :-
  user_intent(Id, _, _, _, _),
  plan_when(Plan, Step, Slot),
  !intent_slot(Id, Slot).

plan_lacks(Id, Plan, Step) :-
  plan_unless(Plan, Step, Slot),
  intent_slot(Id, Slot).

plan_reached(Id, Plan) :- plan_for(Id, Plan).

plan_reached(Id, Plan) :- planned_verb(Id, _, _, Plan).

planned_step(Id, Plan, Step, Order, Template) :-
  plan_reached(Id, Plan),
  plan_step(Plan, Step, Order, Template),
  !plan_lacks(Id, Plan, Step).

planned_needs(Id, Plan, Step, Other) :-
  planned_step(Id, Plan, Step, _, _),
  plan_needs(Plan, Step, Other),
  planned_step(Id, Plan, Other, _, _).

planned_verb(Id, Plan, Step, Other) :-
  planned_step(Id, Plan, Step, _, _),
  plan_verb(Plan, Step, Verb),
  plan_of(Verb, Other).

# One function on data, in the words of the request.
plan_step(/whole, /compile, 1, "{intent}").
plan_by_example(/whole, /compile).

# What no other rule plans: look at what is named, then do it.
plan_step(/general, /read, 1, "Read {file}").
plan_when(/general, /read, /file).
plan_uses(/general, /read, "read_file").
plan_argument(/general, /read, "path", "{file}").
plan_step(/general, /do, 2, "{intent}").
plan_needs(/general, /do, /read).

# What is bound to a condition is one step: no part of it may be done before it is known whether that holds.
plan_step(/do_if, /study, 1, "Study the {target}").
plan_verb(/do_if, /study, /look_up).
plan_unless(/do_if, /study, /tests).
plan_unless(/do_if, /study, /before).
plan_step(/do_if, /tests, 1, "Run the tests").
plan_when(/do_if, /tests, /tests).
plan_uses(/do_if, /tests, "run_tests").
plan_step(/do_if, /do, 2, "{intent}").
plan_needs(/do_if, /do, /study).
plan_needs(/do_if, /do, /tests).

plan_describes(/fix).
plan_describes(/debug).
plan_describes(/patch).
