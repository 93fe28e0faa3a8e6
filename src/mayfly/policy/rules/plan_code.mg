# Plans for work on code: look before, change, and prove the change.

# Looking: the file that is named, else whatever speaks of the topic. Plans with two words are for steps only.

plan_step(/look_up, /read, 1, "Read {file}").
plan_when(/look_up, /read, /file).
plan_uses(/look_up, /read, "read_file").
plan_argument(/look_up, /read, "path", "{file}").
plan_step(/look_up, /read_other, 2, "Read {other}").
plan_when(/look_up, /read_other, /other).
plan_uses(/look_up, /read_other, "read_file").
plan_argument(/look_up, /read_other, "path", "{other}").
plan_step(/look_up, /search, 3, "Search lines for {topic}").
plan_unless(/look_up, /search, /file).
plan_when(/look_up, /search, /topic).
plan_uses(/look_up, /search, "search_lines").
plan_argument(/look_up, /search, "text", "{topic}").
plan_argument(/look_up, /search, "path", "{dir}").
plan_step(/look_up, /list, 3, "List directory {dir}").
plan_when(/look_up, /list, /dir).
plan_unless(/look_up, /list, /file).
plan_unless(/look_up, /list, /topic).
plan_uses(/look_up, /list, "list_directory").
plan_argument(/look_up, /list, "path", "{dir}").
plan_combine(/look_up, /record).

plan_step(/find_cause, /read, 1, "Read {file}").
plan_when(/find_cause, /read, /file).
plan_uses(/find_cause, /read, "read_file").
plan_argument(/find_cause, /read, "path", "{file}").
plan_step(/find_cause, /search, 1, "Search lines for {topic}").
plan_unless(/find_cause, /search, /file).
plan_when(/find_cause, /search, /topic).
plan_uses(/find_cause, /search, "search_lines").
plan_argument(/find_cause, /search, "text", "{topic}").
plan_argument(/find_cause, /search, "path", "{dir}").
plan_step(/find_cause, /failing, 2, "Find failing test").
plan_uses(/find_cause, /failing, "find_failing_tests").
plan_unless(/find_cause, /failing, /before).
plan_combine(/find_cause, /record).

# With a model this is a session on the workbench; without one nothing serves it.
plan_step(/change_code, /modify, 1, "Modify code + run tests").
plan_uses(/change_code, /modify, "change_code").
plan_argument(/change_code, /modify, "request", "{intent}").

# Repairing.

plan_step(/fix, /diagnose, 1, "Diagnose the {problem}").
plan_verb(/fix, /diagnose, /find_cause).
plan_step(/fix, /apply, 2, "Apply the fix").
plan_needs(/fix, /apply, /diagnose).
plan_verb(/fix, /apply, /change_code).

plan_as(/patch, /fix).

plan_step(/debug, /diagnose, 1, "Diagnose the {problem}").
plan_verb(/debug, /diagnose, /find_cause).
plan_step(/debug, /explain, 2, "Name the cause of the {problem}").
plan_needs(/debug, /explain, /diagnose).
plan_step(/debug, /apply, 3, "Apply the fix").
plan_needs(/debug, /apply, /explain).
plan_verb(/debug, /apply, /change_code).

# Changing what is there.

plan_step(/refactor, /study, 1, "Study the {target}").
plan_verb(/refactor, /study, /look_up).
plan_step(/refactor, /baseline, 2, "Run the tests").
plan_uses(/refactor, /baseline, "run_tests").
plan_step(/refactor, /restructure, 3, "{intent}").
plan_needs(/refactor, /restructure, /study).
plan_needs(/refactor, /restructure, /baseline).
plan_verb(/refactor, /restructure, /change_code).

plan_step(/change, /study, 1, "Study the {target}").
plan_verb(/change, /study, /look_up).
plan_step(/change, /apply, 2, "Apply the change: {intent}").
plan_needs(/change, /apply, /study).
plan_verb(/change, /apply, /change_code).

plan_as(/modify, /change).
plan_as(/edit, /change).
plan_as(/update, /change).
plan_as(/revert, /change).

plan_step(/configure, /study, 1, "Study the {target}").
plan_verb(/configure, /study, /look_up).
plan_step(/configure, /set, 2, "{intent}").
plan_needs(/configure, /set, /study).
plan_step(/configure, /confirm, 3, "Check that the new configuration is valid").
plan_needs(/configure, /confirm, /set).

plan_step(/optimize, /study, 1, "Study the {target}").
plan_verb(/optimize, /study, /look_up).
plan_step(/optimize, /measure, 2, "Measure the {target}").
plan_needs(/optimize, /measure, /study).
plan_step(/optimize, /improve, 3, "Improve the {target}").
plan_needs(/optimize, /improve, /study).
plan_needs(/optimize, /improve, /measure).
plan_verb(/optimize, /improve, /change_code).
plan_step(/optimize, /compare, 4, "Compare the {target} before and after").
plan_needs(/optimize, /compare, /measure).
plan_needs(/optimize, /compare, /improve).

plan_step(/rename, /uses, 1, "Search lines for {old}").
plan_when(/rename, /uses, /old).
plan_uses(/rename, /uses, "search_lines").
plan_argument(/rename, /uses, "text", "{old}").
plan_argument(/rename, /uses, "path", "{dir}").
plan_step(/rename, /rename, 2, "{intent}").
plan_needs(/rename, /rename, /uses).
plan_verb(/rename, /rename, /change_code).

plan_step(/migrate, /study, 1, "Study the {thing}").
plan_verb(/migrate, /study, /look_up).
plan_step(/migrate, /plan, 2, "Plan the migration of the {thing}").
plan_needs(/migrate, /plan, /study).
plan_step(/migrate, /migrate, 3, "{intent}").
plan_needs(/migrate, /migrate, /plan).
plan_verb(/migrate, /migrate, /change_code).
plan_step(/migrate, /confirm, 4, "Check that nothing was lost").
plan_needs(/migrate, /confirm, /study).
plan_needs(/migrate, /confirm, /migrate).

# Making something new.

plan_step(/implement, /design, 1, "Design the {object}").
plan_step(/implement, /write, 2, "Write it as designed: {intent}").
plan_needs(/implement, /write, /design).
plan_step(/implement, /prove, 3, "Test the {object}").
plan_needs(/implement, /prove, /write).

plan_as(/create, /implement).
plan_as(/new, /implement).

plan_step(/add, /study, 1, "Study the {target}").
plan_unless(/add, /study, /goal).
plan_verb(/add, /study, /look_up).
plan_step(/add, /study_goal, 1, "Study the {goal}").
plan_when(/add, /study_goal, /goal).
plan_verb(/add, /study_goal, /look_up).
plan_step(/add, /design, 2, "Design the {object}").
plan_needs(/add, /design, /study).
plan_needs(/add, /design, /study_goal).
plan_step(/add, /write, 3, "{intent}").
plan_needs(/add, /write, /study).
plan_needs(/add, /write, /study_goal).
plan_needs(/add, /write, /design).
plan_verb(/add, /write, /change_code).

plan_step(/generate, /read, 1, "Read {file}").
plan_when(/generate, /read, /file).
plan_uses(/generate, /read, "read_file").
plan_argument(/generate, /read, "path", "{file}").
plan_step(/generate, /generate, 2, "{intent}").
plan_needs(/generate, /generate, /read).
plan_step(/generate, /check, 3, "Check the result").
plan_needs(/generate, /check, /generate).
plan_data(/generate).

# Taking away: nothing goes before it is known who uses it.

plan_step(/delete, /uses, 1, "Search lines for {topic}").
plan_when(/delete, /uses, /topic).
plan_uses(/delete, /uses, "search_lines").
plan_argument(/delete, /uses, "text", "{topic}").
plan_argument(/delete, /uses, "path", "{dir}").
plan_step(/delete, /decide, 2, "Decide whether {object} can go").
plan_needs(/delete, /decide, /uses).
plan_step(/delete, /delete, 3, "{intent}").
plan_needs(/delete, /delete, /decide).

plan_step(/remove, /study, 1, "Study the {target}").
plan_verb(/remove, /study, /look_up).
plan_step(/remove, /remove, 2, "{intent}").
plan_needs(/remove, /remove, /study).
plan_verb(/remove, /remove, /change_code).

plan_step(/copy, /read, 1, "Read {file}").
plan_when(/copy, /read, /file).
plan_uses(/copy, /read, "read_file").
plan_argument(/copy, /read, "path", "{file}").
plan_step(/copy, /copy, 2, "{intent}").
plan_needs(/copy, /copy, /read).
plan_step(/copy, /confirm, 3, "Check that the copy is the same").
plan_needs(/copy, /confirm, /copy).

# Proving.

plan_step(/test, /study, 1, "Study the {target}").
plan_verb(/test, /study, /look_up).
plan_step(/test, /baseline, 2, "Run the tests").
plan_uses(/test, /baseline, "run_tests").
plan_step(/test, /write, 3, "Write tests for the {target} + run them").
plan_needs(/test, /write, /study).
plan_needs(/test, /write, /baseline).

plan_unless(/test, /study, /runs).
plan_unless(/test, /baseline, /runs).
plan_unless(/test, /write, /runs).
plan_step(/test, /some, 1, "{intent}").
plan_when(/test, /some, /runs).

plan_as(/cover, /test).

plan_step(/verify, /study, 1, "Study the {target}").
plan_verb(/verify, /study, /look_up).
plan_step(/verify, /tests, 2, "Run the tests").
plan_uses(/verify, /tests, "run_tests").
plan_step(/verify, /judge, 3, "{intent}").
plan_needs(/verify, /judge, /study).
plan_needs(/verify, /judge, /tests).

plan_as(/validate, /check).
plan_data(/validate).

# Putting to work: what was not tested goes nowhere.

plan_step(/deploy, /tests, 1, "Run the tests").
plan_uses(/deploy, /tests, "run_tests").
plan_step(/deploy, /build, 2, "Build the {target}").
plan_step(/deploy, /deploy, 3, "{intent}").
plan_needs(/deploy, /deploy, /tests).
plan_needs(/deploy, /deploy, /build).
plan_step(/deploy, /confirm, 4, "Check that the {target} runs").
plan_needs(/deploy, /confirm, /deploy).

plan_step(/commit, /tests, 1, "Run the tests").
plan_uses(/commit, /tests, "run_tests").
plan_step(/commit, /describe, 2, "Describe the {target}").
plan_step(/commit, /commit, 3, "{intent}").
plan_needs(/commit, /commit, /tests).
plan_needs(/commit, /commit, /describe).

plan_step(/install, /install, 1, "{intent}").
plan_step(/install, /confirm, 2, "Check that {object} is there").
plan_needs(/install, /confirm, /install).

plan_step(/run, /tests, 1, "Run the tests").
plan_when(/run, /tests, /tests).
plan_uses(/run, /tests, "run_tests").
plan_argument(/run, /tests, "paths", "{dir}").
plan_step(/run, /run, 1, "{intent}").
plan_unless(/run, /run, /tests).

# What leaves the house is prepared before, and looked at.

plan_step(/send, /prepare, 1, "Prepare what to send: {intent}").
plan_step(/send, /check, 2, "Check what is to be sent").
plan_needs(/send, /check, /prepare).
plan_step(/send, /send, 3, "{intent}").
plan_needs(/send, /send, /check).

plan_step(/buy, /terms, 1, "Find out the price and the terms: {object}").
plan_step(/buy, /check, 2, "Check the terms against the limits").
plan_needs(/buy, /check, /terms).
plan_step(/buy, /order, 3, "{intent}").
plan_needs(/buy, /order, /check).

plan_as(/sell, /buy).
