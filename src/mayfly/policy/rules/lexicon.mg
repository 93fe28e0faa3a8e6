# The words people use for verbs. Every verb that some rule names is known by its own name and its regular forms
# (translate, translates, translating, translated; analyse and analyze); here is what else is said for it.
# Any rule file may add facts of these predicates. A verb's own name always wins over a synonym of another verb.

Decl verb_form(Verb, Words)
  descr [doc("a phrase that means the verb; its first word is inflected, and ... stands for a few words in between")]
  bound [/name, /string].

Decl verb_noun(Verb, Noun)
  descr [doc("a noun for what the verb does: \"do a review\" means /review")]
  bound [/name, /string].

Decl verb_product(Verb, Noun)
  descr [doc("a noun for what the verb makes: \"write tests\" and \"add tests\" mean /test")]
  bound [/name, /string].

Decl verb_hint(Verb, Words, Percent)
  descr [doc("a phrase that only suggests the verb, with how much it says where no verb was given")]
  bound [/name, /string, /number].

Decl question_verb(Words, Verb)
  descr [doc("the verb that answers a question with these words; \"?\" is any other question")]
  bound [/string, /name].

Decl instruction_verb(Verb)
  descr [doc("the verb of a standing instruction: \"always use tabs\"")]
  bound [/name].

instruction_verb(/configure).

Decl guarded_verb(Verb)
  descr [doc("a verb that has to be said: a guess at it below 75 percent becomes a question")]
  bound [/name].

guarded_verb(/delete).
guarded_verb(/remove).
guarded_verb(/deploy).
guarded_verb(/commit).
guarded_verb(/run).
guarded_verb(/send).
guarded_verb(/install).
guarded_verb(/migrate).
guarded_verb(/revert).
guarded_verb(/configure).
guarded_verb(/buy).
guarded_verb(/sell).

Decl telling_verb(Verb)
  descr [doc("a verb whose object may be told after a colon: \"explain the plan: …\" does not ask for the plan's steps")]
  bound [/name].

telling_verb(/explain).
telling_verb(/document).
telling_verb(/translate).
telling_verb(/understand).
telling_verb(/research).
telling_verb(/read).
telling_verb(/learn).

Decl judging_verb(Verb)
  descr [doc("a verb whose object may be told in the lines below it: \"review my list:\" does not ask for what is listed")]
  bound [/name].

judging_verb(/review).
judging_verb(/check).
judging_verb(/analyze).
judging_verb(/verify).
judging_verb(/validate).
judging_verb(/audit).

# Phrases that mean a verb.

verb_form(/fix, "repair").
verb_form(/fix, "resolve").
verb_form(/fix, "correct").
verb_form(/fix, "solve").
verb_form(/fix, "rectify").
verb_form(/fix, "address").
verb_form(/fix, "hotfix").
verb_form(/fix, "work around").
verb_form(/fix, "make ... work").
verb_form(/fix, "make ... pass").
verb_form(/fix, "get ... working").
verb_form(/fix, "get ... to work").
verb_form(/fix, "sort out").
verb_form(/fix, "iron out").
verb_form(/fix, "put ... right").
verb_form(/fix, "get it sorted").
verb_form(/fix, "get that sorted").
verb_form(/fix, "get this sorted").
verb_form(/fix, "deal with").
verb_form(/fix, "take care of").
verb_form(/fix, "handle").
verb_form(/fix, "make ... compile").
verb_form(/fix, "make ... green").

verb_form(/implement, "make it possible").
verb_form(/implement, "allow").
verb_form(/implement, "let users").
verb_form(/implement, "let people").
verb_form(/implement, "let customers").
verb_form(/implement, "let the user").
verb_form(/implement, "develop").
verb_form(/implement, "integrate").
verb_form(/implement, "realize").
verb_form(/implement, "carry out").
verb_form(/implement, "put into practice").
verb_form(/implement, "wire up").
verb_form(/implement, "hook up").
verb_form(/implement, "hook ... into").
verb_form(/implement, "wire ... into").
verb_form(/implement, "plug ... into").
verb_form(/implement, "build out").

verb_form(/create, "build").
verb_form(/create, "write").
verb_form(/create, "make").
verb_form(/create, "set up").
verb_form(/create, "prepare").
verb_form(/create, "compose").
verb_form(/create, "draft").
verb_form(/create, "establish").
verb_form(/create, "put together").
verb_form(/create, "come up with").
verb_form(/create, "set ... up").
verb_form(/create, "rewrite from scratch").
verb_form(/create, "start a new").
verb_form(/create, "initialize").
verb_form(/create, "bootstrap").
verb_form(/create, "scaffold").
verb_form(/create, "save").
verb_form(/create, "store").
verb_form(/create, "put ... into").
verb_form(/create, "drop ... into").
verb_form(/create, "overwrite").
verb_form(/create, "open a pull request").
verb_form(/create, "open a pr").
verb_form(/create, "open an issue").
verb_form(/create, "open a ticket").
verb_form(/create, "open a new").
verb_form(/create, "file an issue").
verb_form(/create, "file a bug").
verb_form(/create, "raise an issue").
verb_form(/create, "raise a ticket").

verb_form(/generate, "produce").
verb_form(/generate, "synthesize").
verb_form(/generate, "auto-generate").
verb_form(/generate, "autogenerate").
verb_form(/generate, "emit").

verb_form(/add, "append").
verb_form(/add, "insert").
verb_form(/add, "include").
verb_form(/add, "introduce").
verb_form(/add, "support").
verb_form(/add, "extend").
verb_form(/add, "attach").
verb_form(/add, "enable").
verb_form(/add, "give ... support").
verb_form(/add, "stick ... on top of").
verb_form(/add, "put ... on top of").

verb_form(/update, "bump").
verb_form(/update, "upgrade").
verb_form(/update, "refresh").
verb_form(/update, "sync").
verb_form(/update, "synchronize").
verb_form(/update, "bring ... up to date").
verb_form(/update, "modernize").
verb_form(/update, "downgrade").
verb_form(/update, "keep ... updated").
verb_form(/update, "keep ... up to date").

verb_form(/change, "replace").
verb_form(/change, "adjust").
verb_form(/change, "alter").
verb_form(/change, "tweak").
verb_form(/change, "switch").
verb_form(/change, "set").
verb_form(/change, "swap").
verb_form(/change, "increase").
verb_form(/change, "decrease").
verb_form(/change, "reduce").
verb_form(/change, "raise").
verb_form(/change, "lower").
verb_form(/change, "disable").
verb_form(/change, "toggle").
verb_form(/change, "make ... more").
verb_form(/change, "make ... less").
verb_form(/change, "turn on").
verb_form(/change, "turn off").
verb_form(/change, "make ... configurable").
verb_form(/change, "move").
verb_form(/change, "comment out").

verb_form(/modify, "adapt").
verb_form(/modify, "amend").
verb_form(/modify, "customize").
verb_form(/modify, "rework").
verb_form(/modify, "apply").

verb_form(/rename, "rename").

verb_form(/refactor, "restructure").
verb_form(/refactor, "reorganize").
verb_form(/refactor, "simplify").
verb_form(/refactor, "clean up").
verb_form(/refactor, "clean").
verb_form(/refactor, "tidy up").
verb_form(/refactor, "tidy").
verb_form(/refactor, "rewrite").
verb_form(/refactor, "improve").
verb_form(/refactor, "enhance").
verb_form(/refactor, "decouple").
verb_form(/refactor, "deduplicate").
verb_form(/refactor, "modularize").
verb_form(/refactor, "consolidate").
verb_form(/refactor, "extract ... into").
verb_form(/refactor, "extract ... to").
verb_form(/refactor, "pull ... out of").
verb_form(/refactor, "move ... into").
verb_form(/refactor, "split").
verb_form(/refactor, "polish").
verb_form(/refactor, "streamline").
verb_form(/refactor, "make ... better").
verb_form(/refactor, "make ... cleaner").
verb_form(/refactor, "make ... simpler").
verb_form(/refactor, "make ... readable").
verb_form(/refactor, "make ... nicer").
verb_form(/refactor, "break up").
verb_form(/refactor, "unify").
verb_form(/refactor, "inline").

verb_form(/optimize, "speed up").
verb_form(/optimize, "accelerate").
verb_form(/optimize, "tune").
verb_form(/optimize, "improve performance").
verb_form(/optimize, "improve the performance").
verb_form(/optimize, "improve speed").
verb_form(/optimize, "make ... faster").
verb_form(/optimize, "make ... fast").
verb_form(/optimize, "make ... quicker").
verb_form(/optimize, "make ... efficient").
verb_form(/optimize, "reduce latency").
verb_form(/optimize, "cache").
verb_form(/optimize, "parallelize").
verb_form(/optimize, "tune up").

verb_form(/debug, "troubleshoot").
verb_form(/debug, "look why").
verb_form(/debug, "see why").
verb_form(/debug, "look what").
verb_form(/debug, "diagnose").
verb_form(/debug, "track down").
verb_form(/debug, "bisect").
verb_form(/debug, "find the root cause").

verb_form(/patch, "patch").

verb_form(/edit, "edit").

verb_form(/remove, "get rid of").
verb_form(/remove, "strip").
verb_form(/remove, "eliminate").
verb_form(/remove, "uninstall").
verb_form(/remove, "take out").
verb_form(/remove, "take ... out").
verb_form(/remove, "throw away").
verb_form(/remove, "throw out").
verb_form(/remove, "cut out").

verb_form(/delete, "erase").
verb_form(/delete, "drop").
verb_form(/delete, "purge").
verb_form(/delete, "rm").
verb_form(/delete, "bin").
verb_form(/delete, "wipe").
verb_form(/delete, "wipe out").
verb_form(/delete, "discard").
verb_form(/delete, "destroy").
verb_form(/delete, "truncate").
verb_form(/delete, "clear").
verb_form(/delete, "clear out").
verb_form(/delete, "empty").

verb_form(/revert, "undo").
verb_form(/revert, "roll back").
verb_form(/revert, "restore").
verb_form(/revert, "reset").
verb_form(/revert, "back out").

verb_form(/test, "unit test").
verb_form(/test, "unit-test").
verb_form(/test, "retest").
verb_form(/test, "exercise").
verb_form(/test, "smoke test").
verb_form(/test, "stress test").
verb_form(/test, "load test").
verb_form(/test, "fuzz").
verb_form(/test, "try out").

verb_form(/cover, "cover").

verb_form(/verify, "ensure").
verb_form(/verify, "confirm").
verb_form(/verify, "prove").
verb_form(/verify, "make sure").
verb_form(/verify, "double check").
verb_form(/verify, "double-check").
verb_form(/verify, "make certain").
verb_form(/verify, "assert").
verb_form(/verify, "be sure that").
verb_form(/verify, "guarantee").

verb_form(/validate, "validate").

verb_form(/review, "evaluate").
verb_form(/review, "critique").
verb_form(/review, "assess").
verb_form(/review, "proofread").
verb_form(/review, "look over").
verb_form(/review, "go through").
verb_form(/review, "go over").
verb_form(/review, "take a look at").
verb_form(/review, "have a look at").
verb_form(/review, "take a look").
verb_form(/review, "have a look").
verb_form(/review, "give feedback").
verb_form(/review, "comment on").
verb_form(/review, "rate").
verb_form(/review, "judge").
verb_form(/review, "give me feedback").
verb_form(/review, "read through").
verb_form(/review, "look through").
verb_form(/review, "give ... a review").
verb_form(/review, "have a second look at").

verb_form(/audit, "scan").
verb_form(/audit, "security review").
verb_form(/audit, "pen test").
verb_form(/audit, "check for vulnerabilities").
verb_form(/audit, "look for vulnerabilities").
verb_form(/audit, "find vulnerabilities").
verb_form(/audit, "find security issues").

verb_form(/check, "lint").
verb_form(/check, "see if").
verb_form(/check, "see whether").
verb_form(/check, "type check").
verb_form(/check, "spell check").
verb_form(/check, "cross check").
verb_form(/check, "cross-check").
verb_form(/check, "monitor").
verb_form(/check, "watch").

verb_form(/analyze, "compare").
verb_form(/analyze, "measure").
verb_form(/analyze, "profile").
verb_form(/analyze, "benchmark").
verb_form(/analyze, "estimate").
verb_form(/analyze, "examine").
verb_form(/analyze, "quantify").
verb_form(/analyze, "calculate").
verb_form(/analyze, "correlate").

verb_form(/inspect, "look at").
verb_form(/inspect, "view").
verb_form(/inspect, "peek").
verb_form(/inspect, "peek at").

verb_form(/research, "investigate").
verb_form(/research, "look into").
verb_form(/research, "find out").
verb_form(/research, "figure out").
verb_form(/research, "study").
verb_form(/research, "look up").
verb_form(/research, "dig into").
verb_form(/research, "read up on").
verb_form(/research, "collect information").
verb_form(/research, "gather information").
verb_form(/research, "survey").
verb_form(/research, "google").

verb_form(/learn, "learn").

verb_form(/document, "annotate").
verb_form(/document, "write up").
verb_form(/document, "write down").
verb_form(/document, "add comments").
verb_form(/document, "add a comment").
verb_form(/document, "add comment").
verb_form(/document, "comment").

verb_form(/understand, "comprehend").
verb_form(/understand, "grasp").
verb_form(/understand, "make sense of").

verb_form(/explore, "browse").
verb_form(/explore, "trace").
verb_form(/explore, "navigate").
verb_form(/explore, "discover").
verb_form(/explore, "map out").
verb_form(/explore, "get familiar with").
verb_form(/explore, "show structure").
verb_form(/explore, "list files").
verb_form(/explore, "show the structure").

verb_form(/find, "locate").
verb_form(/find, "look for").
verb_form(/find, "identify").
verb_form(/find, "list").
verb_form(/find, "show").
verb_form(/find, "display").
verb_form(/find, "detect").
verb_form(/find, "spot").
verb_form(/find, "pinpoint").
verb_form(/find, "collect").
verb_form(/find, "enumerate").
verb_form(/find, "get a list of").
verb_form(/find, "point out").
verb_form(/find, "search out").
verb_form(/find, "pick out").
verb_form(/find, "count").
verb_form(/find, "retrieve").

verb_form(/search, "grep").
verb_form(/search, "search for").
verb_form(/search, "search through").
verb_form(/search, "query").

verb_form(/explain, "describe").
verb_form(/explain, "clarify").
verb_form(/explain, "tell me").
verb_form(/explain, "tell us").
verb_form(/explain, "walk me through").
verb_form(/explain, "walk us through").
verb_form(/explain, "walk through").
verb_form(/explain, "summarize").
verb_form(/explain, "sum up").
verb_form(/explain, "outline").
verb_form(/explain, "teach me").
verb_form(/explain, "teach us").
verb_form(/explain, "teach").
verb_form(/explain, "elaborate").
verb_form(/explain, "elaborate on").
verb_form(/explain, "know").
verb_form(/explain, "interpret").
verb_form(/explain, "give me an overview").
verb_form(/explain, "give an overview").
verb_form(/explain, "show me how").
verb_form(/explain, "show how").
verb_form(/explain, "show us how").
verb_form(/explain, "show me why").
verb_form(/explain, "shed light on").
verb_form(/explain, "break down").
verb_form(/explain, "describe to me").
verb_form(/explain, "answer").
verb_form(/explain, "recap").
verb_form(/explain, "report back").
verb_form(/explain, "report on").
verb_form(/explain, "report").
verb_form(/explain, "get back to me").
verb_form(/explain, "repeat after me").
verb_form(/explain, "revert back on").
verb_form(/explain, "revert back with").
verb_form(/explain, "revert back to me").
verb_form(/explain, "revert to me").
verb_form(/explain, "illustrate").
verb_form(/explain, "make up").
verb_form(/explain, "introduce me to").

verb_form(/plan, "design").
verb_form(/plan, "propose").
verb_form(/plan, "suggest").
verb_form(/plan, "recommend").
verb_form(/plan, "architect").
verb_form(/plan, "sketch").
verb_form(/plan, "brainstorm").
verb_form(/plan, "think about").
verb_form(/plan, "schedule").
verb_form(/plan, "estimate the effort").
verb_form(/plan, "prioritize").
verb_form(/plan, "decide").

verb_form(/migrate, "port").
verb_form(/migrate, "transition").
verb_form(/migrate, "move to").

verb_form(/convert, "transform").
verb_form(/convert, "turn ... into").
verb_form(/convert, "turn").
verb_form(/convert, "export").
verb_form(/convert, "import").
verb_form(/convert, "transpile").
verb_form(/convert, "transcode").

verb_form(/translate, "localize").
verb_form(/translate, "internationalize").

verb_form(/format, "reformat").
verb_form(/format, "prettify").
verb_form(/format, "indent").
verb_form(/format, "beautify").
verb_form(/format, "autoformat").

verb_form(/configure, "set up the environment").
verb_form(/configure, "customise settings").
verb_form(/configure, "config").
verb_form(/configure, "remember").
verb_form(/configure, "tweak the settings").

verb_form(/run, "execute").
verb_form(/run, "compile").
verb_form(/run, "build the project").
verb_form(/run, "build the code").
verb_form(/run, "start").
verb_form(/run, "launch").
verb_form(/run, "invoke").
verb_form(/run, "call").
verb_form(/run, "rerun").
verb_form(/run, "re-run").
verb_form(/run, "restart").
verb_form(/run, "reload").
verb_form(/run, "kick off").
verb_form(/run, "use it").
verb_form(/run, "use them").
verb_form(/run, "use it on").
verb_form(/run, "boot").
verb_form(/run, "trigger").
verb_form(/run, "repeat").
verb_form(/run, "stop").
verb_form(/run, "kill").
verb_form(/run, "spin up").

verb_form(/deploy, "release").
verb_form(/deploy, "publish").
verb_form(/deploy, "ship").
verb_form(/deploy, "roll out").
verb_form(/deploy, "push to production").
verb_form(/deploy, "go live").

verb_form(/install, "install").

verb_form(/read, "open").
verb_form(/read, "load").
verb_form(/read, "fetch").
verb_form(/read, "print").
verb_form(/read, "cat").
verb_form(/read, "download").

verb_form(/copy, "duplicate").
verb_form(/copy, "clone").
verb_form(/copy, "back up").
verb_form(/copy, "backup").
verb_form(/copy, "archive").

verb_form(/parse, "parse").

verb_form(/extract, "extract").
verb_form(/extract, "pull out").
verb_form(/extract, "scrape").

verb_form(/filter, "filter").
verb_form(/filter, "select").

verb_form(/sort, "order").
verb_form(/sort, "rank").

verb_form(/commit, "check in").
verb_form(/commit, "commit").
verb_form(/commit, "pull").
verb_form(/commit, "check out").
verb_form(/commit, "push").
verb_form(/commit, "stage").
verb_form(/commit, "merge").
verb_form(/commit, "rebase").
verb_form(/commit, "cherry-pick").
verb_form(/commit, "cherry pick").
verb_form(/commit, "tag").
verb_form(/commit, "squash").

verb_form(/sell, "sell").

verb_form(/buy, "purchase").

verb_form(/send, "email").
verb_form(/send, "mail").
verb_form(/send, "notify").
verb_form(/send, "post").
verb_form(/send, "submit").
verb_form(/send, "upload").
verb_form(/send, "reply").
verb_form(/send, "respond").

# Nouns carried by do, make, run, give.

verb_noun(/fix, "fix").
verb_noun(/fix, "bugfix").
verb_noun(/fix, "bug fix").
verb_noun(/fix, "repair").
verb_noun(/fix, "correction").
verb_noun(/fix, "hotfix").

verb_noun(/implement, "implementation").
verb_noun(/implement, "integration").

verb_noun(/create, "creation").

verb_noun(/add, "addition").

verb_noun(/update, "update").
verb_noun(/update, "upgrade").

verb_noun(/change, "change").
verb_noun(/change, "modification").

verb_noun(/refactor, "refactoring").
verb_noun(/refactor, "refactor").
verb_noun(/refactor, "cleanup").
verb_noun(/refactor, "clean-up").
verb_noun(/refactor, "rewrite").
verb_noun(/refactor, "restructuring").
verb_noun(/refactor, "improvement").

verb_noun(/optimize, "optimization").

verb_noun(/test, "test").
verb_noun(/test, "testing").
verb_noun(/test, "unit-test").

verb_noun(/cover, "coverage").

verb_noun(/verify, "verification").

verb_noun(/validate, "validation").

verb_noun(/review, "review").
verb_noun(/review, "feedback").
verb_noun(/review, "critique").
verb_noun(/review, "code-review").
verb_noun(/review, "walkthrough").

verb_noun(/audit, "audit").
verb_noun(/audit, "scan").
verb_noun(/audit, "pentest").

verb_noun(/check, "check").
verb_noun(/check, "lint").
verb_noun(/check, "check-up").

verb_noun(/analyze, "analysis").
verb_noun(/analyze, "comparison").
verb_noun(/analyze, "benchmark").
verb_noun(/analyze, "assessment").
verb_noun(/analyze, "measurement").
verb_noun(/analyze, "estimate").
verb_noun(/analyze, "estimation").
verb_noun(/analyze, "profiling").

verb_noun(/inspect, "inspection").

verb_noun(/research, "research").
verb_noun(/research, "investigation").
verb_noun(/research, "survey").

verb_noun(/document, "documentation").
verb_noun(/document, "docs").

verb_noun(/explore, "exploration").

verb_noun(/explain, "explanation").
verb_noun(/explain, "summary").
verb_noun(/explain, "overview").
verb_noun(/explain, "description").
verb_noun(/explain, "walk-through").
verb_noun(/explain, "tutorial").
verb_noun(/explain, "introduction").
verb_noun(/explain, "recap").

verb_noun(/search, "search").

verb_noun(/plan, "plan").
verb_noun(/plan, "proposal").
verb_noun(/plan, "design").
verb_noun(/plan, "roadmap").

verb_noun(/migrate, "migration").

verb_noun(/convert, "conversion").

verb_noun(/translate, "translation").

verb_noun(/deploy, "deployment").
verb_noun(/deploy, "release").
verb_noun(/deploy, "rollout").

verb_noun(/delete, "deletion").
verb_noun(/delete, "removal").

verb_noun(/debug, "debugging").
verb_noun(/debug, "diagnosis").

verb_noun(/revert, "rollback").
verb_noun(/revert, "revert").

# Nouns carried by write, add, create, generate.

verb_product(/test, "test").
verb_product(/test, "testcase").
verb_product(/test, "unittest").
verb_product(/test, "spec").
verb_product(/test, "test case").
verb_product(/test, "test suite").
verb_product(/test, "test file").
verb_product(/test, "test fixture").
verb_product(/test, "mock").
verb_product(/test, "fixture").
verb_product(/test, "benchmark").

verb_product(/document, "documentation").
verb_product(/document, "docs").
verb_product(/document, "doc").
verb_product(/document, "docstring").
verb_product(/document, "readme").
verb_product(/document, "comment").
verb_product(/document, "jsdoc").
verb_product(/document, "javadoc").

verb_product(/cover, "coverage").

# Words that suggest a verb without being one.

verb_hint(/fix, "bug", 50).
verb_hint(/fix, "bugs", 50).
verb_hint(/fix, "broken", 60).
verb_hint(/fix, "broke", 55).
verb_hint(/fix, "breaks", 50).
verb_hint(/fix, "error", 50).
verb_hint(/fix, "errors", 50).
verb_hint(/fix, "exception", 50).
verb_hint(/fix, "exceptions", 50).
verb_hint(/fix, "crash", 50).
verb_hint(/fix, "crashes", 50).
verb_hint(/fix, "crashed", 50).
verb_hint(/fix, "crashing", 50).
verb_hint(/fix, "failing", 45).
verb_hint(/fix, "fails", 45).
verb_hint(/fix, "failed", 40).
verb_hint(/fix, "failure", 40).
verb_hint(/fix, "not working", 65).
verb_hint(/fix, "not work", 60).
verb_hint(/fix, "doesn't work", 65).
verb_hint(/fix, "doesnt work", 65).
verb_hint(/fix, "does not work", 65).
verb_hint(/fix, "don't work", 60).
verb_hint(/fix, "do not work", 60).
verb_hint(/fix, "isn't working", 65).
verb_hint(/fix, "stopped working", 65).
verb_hint(/fix, "no longer works", 65).
verb_hint(/fix, "no longer work", 60).
verb_hint(/fix, "problem", 50).
verb_hint(/fix, "problems", 50).
verb_hint(/fix, "issue", 35).
verb_hint(/fix, "issues", 35).
verb_hint(/fix, "wrong", 50).
verb_hint(/fix, "incorrect", 55).
verb_hint(/fix, "typo", 55).
verb_hint(/fix, "regression", 50).
verb_hint(/fix, "red", 30).
verb_hint(/fix, "stuck", 35).
verb_hint(/fix, "hangs", 40).
verb_hint(/fix, "leak", 45).
verb_hint(/fix, "leaks", 45).
verb_hint(/fix, "invalid", 30).
verb_hint(/fix, "missing", 35).
verb_hint(/fix, "cannot", 30).
verb_hint(/fix, "can't", 30).
verb_hint(/fix, "unable", 35).
verb_hint(/fix, "vulnerability", 35).
verb_hint(/fix, "glitch", 50).
verb_hint(/fix, "corrupt", 45).
verb_hint(/fix, "corrupted", 45).
verb_hint(/fix, "undefined", 30).
verb_hint(/fix, "null", 20).
verb_hint(/fix, "nullpointerexception", 55).
verb_hint(/fix, "segfault", 55).
verb_hint(/fix, "stacktrace", 40).
verb_hint(/fix, "traceback", 40).
verb_hint(/fix, "flaky", 45).
verb_hint(/fix, "deadlock", 45).
verb_hint(/fix, "wrong result", 55).
verb_hint(/fix, "faulty", 50).
verb_hint(/fix, "defect", 50).
verb_hint(/fix, "misaligned", 55).
verb_hint(/fix, "misplaced", 50).
verb_hint(/fix, "misspelled", 55).
verb_hint(/fix, "misspelt", 55).
verb_hint(/fix, "mistakes", 50).
verb_hint(/fix, "garbled", 55).
verb_hint(/fix, "cut off", 50).
verb_hint(/fix, "inverted", 35).
verb_hint(/fix, "swapped", 40).
verb_hint(/fix, "off by one", 55).
verb_hint(/fix, "malformed", 50).
verb_hint(/fix, "unreachable", 45).
verb_hint(/fix, "unresponsive", 50).
verb_hint(/fix, "overlap", 40).
verb_hint(/fix, "overlaps", 45).
verb_hint(/check, "for bugs", 60).
verb_hint(/check, "for errors", 60).
verb_hint(/check, "for problems", 60).
verb_hint(/check, "for issues", 55).
verb_hint(/check, "for mistakes", 60).
verb_hint(/check, "for typos", 60).
verb_hint(/check, "for leaks", 55).

verb_hint(/debug, "crash", 40).
verb_hint(/debug, "crashes", 40).
verb_hint(/debug, "stack trace", 50).
verb_hint(/debug, "why does it", 30).
verb_hint(/debug, "root cause", 60).
verb_hint(/debug, "segfault", 45).
verb_hint(/debug, "memory leak", 45).
verb_hint(/debug, "no idea why", 55).
verb_hint(/debug, "strange", 35).
verb_hint(/debug, "weird", 35).
verb_hint(/debug, "intermittent", 45).
verb_hint(/debug, "randomly", 35).
verb_hint(/debug, "sometimes", 25).

verb_hint(/optimize, "slow", 60).
verb_hint(/optimize, "too slow", 65).
verb_hint(/optimize, "slower", 55).
verb_hint(/optimize, "very slow", 65).
verb_hint(/optimize, "performance", 50).
verb_hint(/optimize, "latency", 50).
verb_hint(/optimize, "timeout", 30).
verb_hint(/optimize, "timeouts", 35).
verb_hint(/optimize, "sluggish", 60).
verb_hint(/optimize, "inefficient", 60).
verb_hint(/optimize, "bottleneck", 60).
verb_hint(/optimize, "too much memory", 60).
verb_hint(/optimize, "too long", 45).
verb_hint(/optimize, "takes forever", 65).
verb_hint(/optimize, "takes ages", 65).
verb_hint(/optimize, "lag", 45).
verb_hint(/optimize, "laggy", 55).
verb_hint(/optimize, "speed", 35).
verb_hint(/optimize, "memory usage", 40).
verb_hint(/optimize, "high cpu", 55).

verb_hint(/test, "untested", 60).
verb_hint(/test, "no tests", 60).
verb_hint(/test, "unit tests", 40).
verb_hint(/test, "pytest", 35).
verb_hint(/test, "tdd", 50).
verb_hint(/test, "test case", 40).
verb_hint(/test, "test cases", 40).
verb_hint(/test, "edge cases", 35).

verb_hint(/cover, "coverage", 40).
verb_hint(/cover, "test coverage", 50).
verb_hint(/cover, "uncovered", 55).

verb_hint(/review, "pr", 40).
verb_hint(/review, "pull request", 45).
verb_hint(/review, "code review", 60).
verb_hint(/review, "feedback", 40).
verb_hint(/review, "opinion", 50).
verb_hint(/review, "code smell", 50).
verb_hint(/review, "code smells", 50).
verb_hint(/review, "best practices", 30).
verb_hint(/review, "what do you think", 60).
verb_hint(/review, "thoughts", 40).
verb_hint(/review, "lgtm", 30).
verb_hint(/review, "quality", 30).
verb_hint(/review, "merge request", 45).
verb_hint(/review, "diff", 30).

verb_hint(/audit, "vulnerabilities", 50).
verb_hint(/audit, "security", 45).
verb_hint(/audit, "cve", 55).
verb_hint(/audit, "xss", 50).
verb_hint(/audit, "sql injection", 50).
verb_hint(/audit, "injection", 35).
verb_hint(/audit, "owasp", 55).
verb_hint(/audit, "compliance", 45).
verb_hint(/audit, "secure", 35).

verb_hint(/analyze, "metrics", 40).
verb_hint(/analyze, "complexity", 40).
verb_hint(/analyze, "statistics", 40).
verb_hint(/analyze, "trend", 35).
verb_hint(/analyze, "memory usage", 35).

verb_hint(/explain, "confused", 60).
verb_hint(/explain, "nobody understands", 55).
verb_hint(/explain, "no one understands", 55).
verb_hint(/explain, "don't get", 40).
verb_hint(/explain, "confusing", 55).
verb_hint(/explain, "don't understand", 60).
verb_hint(/explain, "do not understand", 60).
verb_hint(/explain, "not understand", 55).
verb_hint(/explain, "unclear", 50).
verb_hint(/explain, "meaning", 50).
verb_hint(/explain, "what is", 50).
verb_hint(/explain, "how does", 50).
verb_hint(/explain, "curious", 45).
verb_hint(/explain, "lost", 25).
verb_hint(/explain, "overview", 45).
verb_hint(/explain, "summary", 50).
verb_hint(/explain, "explanation", 55).
verb_hint(/explain, "documentation for", 20).
verb_hint(/explain, "walkthrough", 50).
verb_hint(/explain, "help me with", 20).
verb_hint(/explain, "mean", 35).
verb_hint(/explain, "means", 35).

verb_hint(/understand, "don't understand", 40).
verb_hint(/understand, "do not understand", 40).

verb_hint(/document, "docs", 40).
verb_hint(/document, "documentation", 40).
verb_hint(/document, "undocumented", 65).
verb_hint(/document, "readme", 40).
verb_hint(/document, "docstring", 50).
verb_hint(/document, "docstrings", 50).
verb_hint(/document, "comments", 25).
verb_hint(/document, "changelog", 35).
verb_hint(/document, "manual", 30).

verb_hint(/research, "best library", 50).
verb_hint(/research, "alternatives", 50).
verb_hint(/research, "options for", 40).
verb_hint(/research, "state of the art", 60).
verb_hint(/research, "papers", 45).
verb_hint(/research, "compare", 30).
verb_hint(/research, "which library", 50).

verb_hint(/find, "where", 40).
verb_hint(/find, "occurrences", 55).
verb_hint(/find, "usages", 50).
verb_hint(/find, "references", 35).
verb_hint(/find, "which file", 50).
verb_hint(/find, "locate", 40).

verb_hint(/refactor, "messy", 60).
verb_hint(/refactor, "duplicated", 50).
verb_hint(/refactor, "duplication", 50).
verb_hint(/refactor, "duplicate code", 60).
verb_hint(/refactor, "spaghetti", 65).
verb_hint(/refactor, "legacy", 35).
verb_hint(/refactor, "technical debt", 60).
verb_hint(/refactor, "tech debt", 60).
verb_hint(/refactor, "cleaner", 45).
verb_hint(/refactor, "readability", 50).
verb_hint(/refactor, "unreadable", 55).
verb_hint(/refactor, "too complex", 55).
verb_hint(/refactor, "too complicated", 55).
verb_hint(/refactor, "hard to read", 60).
verb_hint(/refactor, "ugly", 45).
verb_hint(/refactor, "dead code", 40).
verb_hint(/refactor, "cleanup", 45).

verb_hint(/add, "feature request", 55).
verb_hint(/add, "would be nice to have", 60).
verb_hint(/add, "we lack", 50).
verb_hint(/add, "new feature", 50).
verb_hint(/add, "support for", 35).
verb_hint(/add, "missing feature", 60).
verb_hint(/add, "feature", 30).
verb_hint(/add, "wish there was", 55).
verb_hint(/add, "need a new", 55).
verb_hint(/add, "we need", 30).
verb_hint(/add, "i need", 30).

verb_hint(/create, "from scratch", 50).
verb_hint(/create, "need a script", 65).
verb_hint(/create, "need a tool", 65).
verb_hint(/create, "need a function", 60).
verb_hint(/create, "need a new", 50).
verb_hint(/create, "script that", 40).
verb_hint(/create, "a function that", 45).
verb_hint(/create, "a program that", 50).
verb_hint(/create, "an app", 35).
verb_hint(/create, "a website", 40).
verb_hint(/create, "template", 25).

verb_hint(/remove, "unused", 40).
verb_hint(/remove, "obsolete", 50).
verb_hint(/remove, "deprecated", 35).
verb_hint(/remove, "no longer needed", 60).
verb_hint(/remove, "unnecessary", 45).
verb_hint(/remove, "redundant", 45).

verb_hint(/update, "outdated", 60).
verb_hint(/update, "out of date", 60).
verb_hint(/update, "stale", 45).
verb_hint(/update, "old version", 45).
verb_hint(/update, "latest version", 40).

verb_hint(/deploy, "production", 25).
verb_hint(/deploy, "staging", 25).
verb_hint(/deploy, "go-live", 50).

verb_hint(/migrate, "migration", 40).

verb_hint(/configure, "settings", 35).
verb_hint(/configure, "config", 25).
verb_hint(/configure, "configuration", 35).
verb_hint(/configure, "environment variable", 35).

verb_hint(/plan, "roadmap", 50).
verb_hint(/plan, "architecture", 35).
verb_hint(/plan, "proposal", 40).
verb_hint(/plan, "estimate", 30).
verb_hint(/plan, "strategy", 40).
verb_hint(/plan, "milestones", 45).

# Questions: what answers them only reads.

question_verb("how", /explain).
question_verb("why", /explain).
question_verb("what", /explain).
question_verb("who", /explain).
question_verb("whom", /explain).
question_verb("whose", /explain).
question_verb("when", /explain).
question_verb("is it possible", /explain).
question_verb("is there a way", /explain).
question_verb("is there any way", /explain).
question_verb("do you know", /explain).
question_verb("i wonder", /explain).
question_verb("wondering", /explain).
question_verb("not sure", /explain).
question_verb("?", /explain).
question_verb("don't understand", /explain).
question_verb("not understand", /explain).
question_verb("how come", /explain).
question_verb("should", /explain).
question_verb("can i", /explain).
question_verb("can we", /explain).
question_verb("could i", /explain).
question_verb("could we", /explain).
question_verb("may i", /explain).
question_verb("shall", /explain).
question_verb("will", /explain).
question_verb("would", /explain).

question_verb("where", /find).
question_verb("which", /find).
question_verb("which file", /find).
question_verb("which files", /find).
question_verb("is there", /find).
question_verb("are there", /find).
question_verb("do we have", /find).
question_verb("do you have", /find).
question_verb("do i have", /find).
question_verb("have we", /find).
question_verb("has anyone", /find).
question_verb("what file", /find).
question_verb("what files", /find).
question_verb("who calls", /find).
question_verb("what calls", /find).

question_verb("is", /check).
question_verb("are", /check).
question_verb("was", /check).
question_verb("were", /check).
question_verb("does", /check).
question_verb("do", /check).
question_verb("did", /check).
question_verb("has", /check).
question_verb("have", /check).
question_verb("isn't", /check).
question_verb("aren't", /check).
question_verb("doesn't", /check).
question_verb("don't", /check).
question_verb("hasn't", /check).
question_verb("any", /check).
