# Plans for work that only reads: finding, explaining, judging, comparing.

# A question is answered from what can be read.

plan_step(/answer, /look, 1, "Look at what it is about").
plan_verb(/answer, /look, /look_up).
plan_step(/answer, /tests, 2, "Run the tests").
plan_when(/answer, /tests, /tests).
plan_uses(/answer, /tests, "run_tests").
plan_step(/answer, /answer, 3, "Answer the question: {intent}").
plan_needs(/answer, /answer, /look).
plan_needs(/answer, /answer, /tests).

plan_step(/explain, /look, 1, "Study the {target}").
plan_verb(/explain, /look, /look_up).
plan_unless(/explain, /look, /before).
plan_step(/explain, /explain, 2, "{intent}").
plan_needs(/explain, /explain, /look).

plan_as(/understand, /explain).
plan_as(/learn, /explain).

plan_step(/explore, /list, 1, "List directory ./").
plan_unless(/explore, /list, /dir).
plan_uses(/explore, /list, "list_directory").
plan_argument(/explore, /list, "path", ".").
plan_step(/explore, /list_dir, 1, "List directory {dir}").
plan_when(/explore, /list_dir, /dir).
plan_uses(/explore, /list_dir, "list_directory").
plan_argument(/explore, /list_dir, "path", "{dir}").
plan_step(/explore, /search, 2, "Search lines for {topic}").
plan_when(/explore, /search, /topic).
plan_uses(/explore, /search, "search_lines").
plan_argument(/explore, /search, "text", "{topic}").
plan_argument(/explore, /search, "path", "{dir}").
plan_step(/explore, /describe, 3, "{intent}").
plan_needs(/explore, /describe, /list).
plan_needs(/explore, /describe, /list_dir).
plan_needs(/explore, /describe, /search).

plan_step(/summarize, /read, 1, "Read {file}").
plan_when(/summarize, /read, /file).
plan_unless(/summarize, /read, /before).
plan_uses(/summarize, /read, "read_file").
plan_argument(/summarize, /read, "path", "{file}").
plan_step(/summarize, /fetch, 1, "Fetch {url}").
plan_when(/summarize, /fetch, /url).
plan_unless(/summarize, /fetch, /before).
plan_uses(/summarize, /fetch, "http_get").
plan_argument(/summarize, /fetch, "url", "{url}").
plan_step(/summarize, /search, 1, "Search lines for {topic}").
plan_unless(/summarize, /search, /file).
plan_unless(/summarize, /search, /url).
plan_unless(/summarize, /search, /before).
plan_when(/summarize, /search, /topic).
plan_uses(/summarize, /search, "search_lines").
plan_argument(/summarize, /search, "text", "{topic}").
plan_argument(/summarize, /search, "path", "{dir}").
plan_step(/summarize, /summarize, 2, "{intent}").
plan_needs(/summarize, /summarize, /read).
plan_needs(/summarize, /summarize, /fetch).
plan_needs(/summarize, /summarize, /search).
plan_data(/summarize).

plan_as(/summarise, /summarize).
plan_data(/summarise).

plan_step(/research, /gather, 1, "Gather what is known about the {object}").
plan_verb(/research, /gather, /gather_facts).
plan_step(/research, /weigh, 2, "Weigh what was found").
plan_needs(/research, /weigh, /gather).
plan_step(/research, /report, 3, "Report on the {object}").
plan_needs(/research, /report, /weigh).

plan_step(/gather_facts, /search, 1, "Search lines for {topic}").
plan_when(/gather_facts, /search, /topic).
plan_uses(/gather_facts, /search, "search_lines").
plan_argument(/gather_facts, /search, "text", "{topic}").
plan_argument(/gather_facts, /search, "path", "{dir}").
plan_step(/gather_facts, /collect, 2, "Collect facts about the {object}").
plan_combine(/gather_facts, /record).

plan_step(/document, /study, 1, "Study the {target}").
plan_verb(/document, /study, /look_up).
plan_step(/document, /write, 2, "Write documentation for the {target}").
plan_needs(/document, /write, /study).
plan_step(/document, /check, 3, "Check the documentation against the code").
plan_needs(/document, /check, /study).
plan_needs(/document, /check, /write).

# Judging: one look, several eyes, one report.

plan_step(/review, /study, 1, "Study the {target}").
plan_verb(/review, /study, /look_up).
plan_step(/review, /correctness, 2, "Judge whether the {target} is correct").
plan_needs(/review, /correctness, /study).
plan_step(/review, /safety, 3, "Judge whether the {target} is safe").
plan_needs(/review, /safety, /study).
plan_step(/review, /clarity, 4, "Judge whether the {target} is clear").
plan_needs(/review, /clarity, /study).
plan_step(/review, /report, 5, "Report the findings: {intent}").
plan_needs(/review, /report, /correctness).
plan_needs(/review, /report, /safety).
plan_needs(/review, /report, /clarity).

plan_step(/audit, /study, 1, "Study the {target}").
plan_verb(/audit, /study, /look_up).
plan_step(/audit, /weaknesses, 2, "List the weaknesses: {intent}").
plan_needs(/audit, /weaknesses, /study).
plan_step(/audit, /confirm, 3, "Confirm each weakness").
plan_needs(/audit, /confirm, /study).
plan_needs(/audit, /confirm, /weaknesses).
plan_step(/audit, /report, 4, "Report the findings").
plan_needs(/audit, /report, /confirm).

plan_step(/check, /study, 1, "Study the {target}").
plan_verb(/check, /study, /look_up).
plan_unless(/check, /study, /tests).
plan_step(/check, /tests, 2, "Run the tests").
plan_when(/check, /tests, /tests).
plan_uses(/check, /tests, "run_tests").
plan_step(/check, /judge, 3, "{intent}").
plan_needs(/check, /judge, /study).
plan_needs(/check, /judge, /tests).

plan_as(/inspect, /check).
plan_data(/check).

plan_step(/analyze, /study, 1, "Study the {target}").
plan_verb(/analyze, /study, /look_up).
plan_step(/analyze, /analyze, 2, "{intent}").
plan_needs(/analyze, /analyze, /study).
plan_step(/analyze, /report, 3, "Report the findings").
plan_needs(/analyze, /report, /analyze).
plan_data(/analyze).

plan_as(/analyse, /analyze).

plan_step(/compare, /first, 1, "Describe {first}").
plan_when(/compare, /first, /second).
plan_step(/compare, /second, 2, "Describe {second}").
plan_when(/compare, /second, /second).
plan_unless(/compare, /first, /other).
plan_unless(/compare, /second, /other).
plan_step(/compare, /study, 1, "Study the {target}").
plan_unless(/compare, /study, /second).
plan_verb(/compare, /study, /look_up).
plan_step(/compare, /read, 1, "Read {first}").
plan_when(/compare, /read, /other).
plan_uses(/compare, /read, "read_file").
plan_argument(/compare, /read, "path", "{first}").
plan_step(/compare, /read_other, 2, "Read {second}").
plan_when(/compare, /read_other, /other).
plan_uses(/compare, /read_other, "read_file").
plan_argument(/compare, /read_other, "path", "{second}").
plan_step(/compare, /compare, 3, "{intent}").
plan_needs(/compare, /compare, /first).
plan_needs(/compare, /compare, /second).
plan_needs(/compare, /compare, /read).
plan_needs(/compare, /compare, /read_other).
plan_needs(/compare, /compare, /study).

plan_step(/plan, /study, 1, "Study the {target}").
plan_verb(/plan, /study, /look_up).
plan_step(/plan, /draft, 2, "Draft the plan: {object}").
plan_needs(/plan, /draft, /study).
plan_step(/plan, /check, 3, "Check the plan for gaps").
plan_needs(/plan, /check, /study).
plan_needs(/plan, /check, /draft).

# Finding and reading.

plan_step(/find, /list, 1, "List directory {dir}").
plan_when(/find, /list, /dir).
plan_unless(/find, /list, /topic).
plan_unless(/find, /list, /glob).
plan_uses(/find, /list, "list_directory").
plan_argument(/find, /list, "path", "{dir}").
plan_step(/find, /files, 1, "Find files named {glob}").
plan_when(/find, /files, /glob).
plan_uses(/find, /files, "find_files").
plan_argument(/find, /files, "pattern", "{glob}").
plan_step(/find, /read, 1, "Read {inside}").
plan_when(/find, /read, /inside).
plan_unless(/find, /read, /glob).
plan_uses(/find, /read, "read_file").
plan_argument(/find, /read, "path", "{inside}").
plan_step(/find, /all_files, 1, "Find all files").
plan_when(/find, /all_files, /files).
plan_unless(/find, /all_files, /glob).
plan_unless(/find, /all_files, /inside).
plan_uses(/find, /all_files, "find_files").
plan_argument(/find, /all_files, "path", "{dir}").
plan_step(/find, /search, 1, "Search lines for {topic}").
plan_when(/find, /search, /topic).
plan_unless(/find, /search, /glob).
plan_unless(/find, /search, /inside).
plan_unless(/find, /search, /files).
plan_uses(/find, /search, "search_lines").
plan_argument(/find, /search, "text", "{topic}").
plan_argument(/find, /search, "path", "{dir}").
plan_step(/find, /pick, 2, "{intent}").
plan_needs(/find, /pick, /list).
plan_needs(/find, /pick, /files).
plan_needs(/find, /pick, /read).
plan_needs(/find, /pick, /all_files).
plan_needs(/find, /pick, /search).

plan_step(/search, /read, 1, "Read {inside}").
plan_when(/search, /read, /inside).
plan_uses(/search, /read, "read_file").
plan_argument(/search, /read, "path", "{inside}").
plan_step(/search, /search, 1, "Search lines for {topic}").
plan_when(/search, /search, /topic).
plan_unless(/search, /search, /inside).
plan_uses(/search, /search, "search_lines").
plan_argument(/search, /search, "text", "{topic}").
plan_argument(/search, /search, "path", "{dir}").

plan_step(/read, /fetch, 1, "Fetch {url}").
plan_when(/read, /fetch, /url).
plan_uses(/read, /fetch, "http_get").
plan_argument(/read, /fetch, "url", "{url}").
plan_step(/read, /look, 1, "Study the {target}").
plan_unless(/read, /look, /url).
plan_verb(/read, /look, /look_up).
# What was found where nothing can be read by its name is no answer yet.
plan_step(/read, /read, 2, "{intent}").
plan_unless(/read, /read, /file).
plan_unless(/read, /read, /url).
plan_needs(/read, /read, /look).
