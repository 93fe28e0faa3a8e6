# Who takes a request and what may be done: about 150 rules of the kind that route requests and permit actions.
# Read by bench/policy.py, which translates them to the language of the other engines.

Decl user_intent(Id, Category, Verb, Target, Constraint).
Decl pending_action(Id, Action, Target, Payload, Time).
Decl action_path(Id, Path, Where).
Decl action_suffix(Id, Suffix).
Decl action_host(Id, Host, Kind).
Decl shell_call(Id, Number, Program).
Decl shell_flag(Id, Number, Flag).
Decl shell_pipes_into(Id, Number, Program).
Decl acting(Persona).
Decl tier(Tier).
Decl grant(Effect).
Decl granted_host(Host).
Decl file_topology(Path, Language, IsTest).
Decl recent_failure(Path).
Decl imports(From, To).
Decl approved(Action, Target).

# Who takes which verb.

persona(/builder) :- user_intent(_, _, /create, _, _).
persona(/builder) :- user_intent(_, _, /implement, _, _).
persona(/builder) :- user_intent(_, _, /add, _, _).
persona(/builder) :- user_intent(_, _, /generate, _, _).
persona(/builder) :- user_intent(_, _, /scaffold, _, _).
persona(/builder) :- user_intent(_, _, /extend, _, _).
persona(/builder) :- user_intent(_, _, /wire, _, _).
persona(/builder) :- user_intent(_, _, /port, _, _).

persona(/mender) :- user_intent(_, _, /fix, _, _).
persona(/mender) :- user_intent(_, _, /repair, _, _).
persona(/mender) :- user_intent(_, _, /debug, _, _).
persona(/mender) :- user_intent(_, _, /patch, _, _).
persona(/mender) :- user_intent(_, _, /correct, _, _).
persona(/mender) :- user_intent(_, _, /restore, _, _).
persona(/mender) :- user_intent(_, _, /unblock, _, _).

persona(/shaper) :- user_intent(_, _, /refactor, _, _).
persona(/shaper) :- user_intent(_, _, /rename, _, _).
persona(/shaper) :- user_intent(_, _, /extract, _, _).
persona(/shaper) :- user_intent(_, _, /inline, _, _).
persona(/shaper) :- user_intent(_, _, /simplify, _, _).
persona(/shaper) :- user_intent(_, _, /split, _, _).
persona(/shaper) :- user_intent(_, _, /merge, _, _).
persona(/shaper) :- user_intent(_, _, /move, _, _).

persona(/tester) :- user_intent(_, _, /test, _, _).
persona(/tester) :- user_intent(_, _, /cover, _, _).
persona(/tester) :- user_intent(_, _, /verify, _, _).
persona(/tester) :- user_intent(_, _, /assert, _, _).
persona(/tester) :- user_intent(_, _, /reproduce, _, _).
persona(/tester) :- user_intent(_, _, /benchmark, _, _).

persona(/reader) :- user_intent(_, _, /explain, _, _).
persona(/reader) :- user_intent(_, _, /describe, _, _).
persona(/reader) :- user_intent(_, _, /summarise, _, _).
persona(/reader) :- user_intent(_, _, /compare, _, _).
persona(/reader) :- user_intent(_, _, /trace, _, _).
persona(/reader) :- user_intent(_, _, /outline, _, _).

persona(/reviewer) :- user_intent(_, _, /review, _, _).
persona(/reviewer) :- user_intent(_, _, /audit, _, _).
persona(/reviewer) :- user_intent(_, _, /inspect, _, _).
persona(/reviewer) :- user_intent(_, _, /lint, _, _).
persona(/reviewer) :- user_intent(_, _, /critique, _, _).

persona(/keeper) :- user_intent(_, _, /commit, _, _).
persona(/keeper) :- user_intent(_, _, /branch, _, _).
persona(/keeper) :- user_intent(_, _, /tag, _, _).
persona(/keeper) :- user_intent(_, _, /rebase, _, _).
persona(/keeper) :- user_intent(_, _, /release, _, _).
persona(/keeper) :- user_intent(_, _, /revert, _, _).

persona(/seeker) :- user_intent(_, _, /search, _, _).
persona(/seeker) :- user_intent(_, _, /find, _, _).
persona(/seeker) :- user_intent(_, _, /list, _, _).
persona(/seeker) :- user_intent(_, _, /locate, _, _).
persona(/seeker) :- user_intent(_, _, /research, _, _).
persona(/seeker) :- user_intent(_, _, /look, _, _).

# What kind of action a command is.

action_type(/create) :- user_intent(_, /command, /create, _, _).
action_type(/create) :- user_intent(_, /command, /implement, _, _).
action_type(/create) :- user_intent(_, /command, /add, _, _).
action_type(/create) :- user_intent(_, /command, /generate, _, _).
action_type(/create) :- user_intent(_, /command, /scaffold, _, _).
action_type(/create) :- user_intent(_, /command, /extend, _, _).
action_type(/create) :- user_intent(_, /command, /wire, _, _).
action_type(/create) :- user_intent(_, /command, /port, _, _).

action_type(/modify) :- user_intent(_, /command, /fix, _, _).
action_type(/modify) :- user_intent(_, /command, /repair, _, _).
action_type(/modify) :- user_intent(_, /command, /debug, _, _).
action_type(/modify) :- user_intent(_, /command, /patch, _, _).
action_type(/modify) :- user_intent(_, /command, /correct, _, _).
action_type(/modify) :- user_intent(_, /command, /restore, _, _).
action_type(/modify) :- user_intent(_, /command, /unblock, _, _).

action_type(/modify) :- user_intent(_, /command, /refactor, _, _).
action_type(/modify) :- user_intent(_, /command, /rename, _, _).
action_type(/modify) :- user_intent(_, /command, /extract, _, _).
action_type(/modify) :- user_intent(_, /command, /inline, _, _).
action_type(/modify) :- user_intent(_, /command, /simplify, _, _).
action_type(/modify) :- user_intent(_, /command, /split, _, _).
action_type(/modify) :- user_intent(_, /command, /merge, _, _).
action_type(/modify) :- user_intent(_, /command, /move, _, _).

action_type(/test) :- user_intent(_, /command, /test, _, _).
action_type(/test) :- user_intent(_, /command, /cover, _, _).
action_type(/test) :- user_intent(_, /command, /verify, _, _).
action_type(/test) :- user_intent(_, /command, /assert, _, _).
action_type(/test) :- user_intent(_, /command, /reproduce, _, _).
action_type(/test) :- user_intent(_, /command, /benchmark, _, _).

action_type(/read) :- user_intent(_, /command, /explain, _, _).
action_type(/read) :- user_intent(_, /command, /describe, _, _).
action_type(/read) :- user_intent(_, /command, /summarise, _, _).
action_type(/read) :- user_intent(_, /command, /compare, _, _).
action_type(/read) :- user_intent(_, /command, /trace, _, _).
action_type(/read) :- user_intent(_, /command, /outline, _, _).

action_type(/review) :- user_intent(_, /command, /review, _, _).
action_type(/review) :- user_intent(_, /command, /audit, _, _).
action_type(/review) :- user_intent(_, /command, /inspect, _, _).
action_type(/review) :- user_intent(_, /command, /lint, _, _).
action_type(/review) :- user_intent(_, /command, /critique, _, _).

action_type(/git) :- user_intent(_, /command, /commit, _, _).
action_type(/git) :- user_intent(_, /command, /branch, _, _).
action_type(/git) :- user_intent(_, /command, /tag, _, _).
action_type(/git) :- user_intent(_, /command, /rebase, _, _).
action_type(/git) :- user_intent(_, /command, /release, _, _).
action_type(/git) :- user_intent(_, /command, /revert, _, _).

action_type(/read) :- user_intent(_, /command, /search, _, _).
action_type(/read) :- user_intent(_, /command, /find, _, _).
action_type(/read) :- user_intent(_, /command, /list, _, _).
action_type(/read) :- user_intent(_, /command, /locate, _, _).
action_type(/read) :- user_intent(_, /command, /research, _, _).
action_type(/read) :- user_intent(_, /command, /look, _, _).

# Requests whose verb nobody takes go to the default of their category.

verb_known(/create).
verb_known(/implement).
verb_known(/add).
verb_known(/generate).
verb_known(/scaffold).
verb_known(/extend).
verb_known(/wire).
verb_known(/port).
verb_known(/fix).
verb_known(/repair).
verb_known(/debug).
verb_known(/patch).
verb_known(/correct).
verb_known(/restore).
verb_known(/unblock).
verb_known(/refactor).
verb_known(/rename).
verb_known(/extract).
verb_known(/inline).
verb_known(/simplify).
verb_known(/split).
verb_known(/merge).
verb_known(/move).
verb_known(/test).
verb_known(/cover).
verb_known(/verify).
verb_known(/assert).
verb_known(/reproduce).
verb_known(/benchmark).
verb_known(/explain).
verb_known(/describe).
verb_known(/summarise).
verb_known(/compare).
verb_known(/trace).
verb_known(/outline).
verb_known(/review).
verb_known(/audit).
verb_known(/inspect).
verb_known(/lint).
verb_known(/critique).
verb_known(/commit).
verb_known(/branch).
verb_known(/tag).
verb_known(/rebase).
verb_known(/release).
verb_known(/revert).
verb_known(/search).
verb_known(/find).
verb_known(/list).
verb_known(/locate).
verb_known(/research).
verb_known(/look).
default_persona(/command, /builder).
default_persona(/question, /reader).
default_persona(/instruction, /keeper).

persona(P) :- user_intent(_, C, V, _, _), !verb_known(V), default_persona(C, P).

# Tools and checks by persona.

may_use(/file_read) :- persona(_).
may_use(/file_write) :- persona(/builder).
may_use(/file_write) :- persona(/mender).
may_use(/file_write) :- persona(/shaper).
may_use(/run_tests) :- persona(/tester).
may_use(/run_tests) :- persona(/mender).
may_use(/shell) :- persona(/keeper).
may_use(/net) :- persona(/seeker).
needs_tests(T) :- user_intent(_, /command, _, T, _), action_type(/modify).
needs_tests(T) :- user_intent(_, /command, _, T, _), action_type(/create).
touches(T) :- user_intent(_, /command, _, T, _).
touches(B) :- touches(A), imports(B, A).
risky(T) :- touches(T), recent_failure(T).
test_file(P) :- file_topology(P, _, /true).
untested(T) :- needs_tests(T), !test_file(T).
ask_first(T) :- risky(T), untested(T).

# What is never done.

refused(I, /outside) :- action_path(I, _, /outside).
refused(I, /system_path) :- action_path(I, _, /system).
refused(I, /unclear_path) :- action_path(I, _, /unclear).
refused(I, /private_host) :- action_host(I, _, /private), !granted_private(I).
refused(I, /loopback) :- action_host(I, _, /loopback), !granted_private(I).
refused(I, /wipe) :- shell_call(I, N, "rm"), shell_flag(I, N, "r"), shell_flag(I, N, "f").
refused(I, /device) :- shell_call(I, _, "mkfs").
refused(I, /device) :- shell_call(I, _, "dd").
refused(I, /power) :- shell_call(I, _, "shutdown").
refused(I, /power) :- shell_call(I, _, "reboot").
refused(I, /privilege) :- shell_call(I, _, "sudo").
refused(I, /privilege) :- shell_call(I, _, "su").
refused(I, /history) :- shell_call(I, N, "git"), shell_flag(I, N, "force").
refused(I, /remote_code) :- shell_pipes_into(I, _, "sh").
refused(I, /remote_code) :- shell_pipes_into(I, _, "bash").
refused(I, /remote_code) :- shell_pipes_into(I, _, "python").
refused(I, /secret) :- action_suffix(I, ".pem").
refused(I, /secret) :- action_suffix(I, ".key").
granted_private(I) :- action_host(I, H, _), granted_host(H).

# What needs a person.

needs_approval(I, /deletes) :- pending_action(I, /file_delete, _, _, _).
needs_approval(I, /spends) :- pending_action(I, /spend, _, _, _).
needs_approval(I, /installs) :- shell_call(I, _, "pip").
needs_approval(I, /installs) :- shell_call(I, _, "npm").
needs_approval(I, /publishes) :- pending_action(I, /git_push, _, _, _).
needs_approval(I, /schema) :- pending_action(I, /ddl, _, _, _), tier(/ephemeral).

# What the grants allow.

allowed(I) :- pending_action(I, /file_read, _, _, _), action_path(I, _, /inside).
allowed(I) :- pending_action(I, /file_write, _, _, _), action_path(I, _, /inside), grant(/fs).
allowed(I) :- pending_action(I, /file_delete, _, _, _), action_path(I, _, /inside), grant(/fs).
allowed(I) :- pending_action(I, /shell, _, _, _), grant(/exec), safe_program(I).
allowed(I) :- pending_action(I, /http_get, _, _, _), grant(/net), action_host(I, _, /public).
allowed(I) :- pending_action(I, /http_post, _, _, _), grant(/net), action_host(I, H, _), granted_host(H).
allowed(I) :- pending_action(I, /run_tests, _, _, _), acting(/tester).
allowed(I) :- pending_action(I, /git_commit, _, _, _), acting(/keeper), grant(/git).
allowed(I) :- pending_action(I, /git_push, _, _, _), acting(/keeper), grant(/git).
allowed(I) :- pending_action(I, /spend, _, _, _), grant(/spend).
allowed(I) :- pending_action(I, /ddl, _, _, _), grant(/ddl).
safe_program(I) :- shell_call(I, _, "ls").
safe_program(I) :- shell_call(I, _, "cat").
safe_program(I) :- shell_call(I, _, "grep").
safe_program(I) :- shell_call(I, _, "pytest").
safe_program(I) :- shell_call(I, _, "git").

# The decision: nothing is permitted that no rule permits.

permitted(A, T, P) :- pending_action(I, A, T, P, _), allowed(I), !is_refused(I), !waits(I).
permitted(A, T, P) :- pending_action(I, A, T, P, _), allowed(I), !is_refused(I), approved(A, T).
is_refused(I) :- refused(I, _).
waits(I) :- needs_approval(I, _).
