# What the rules are given: the words that the reader, the kernel and the runtime speak. Nothing is derived here.

# From the reader: one fact for each thing that was asked.

Decl user_intent(Id, Category, Verb, Target, Constraint)
  descr [doc("what was asked; Category is /command, /question or /instruction; Constraint is /none or a text")]
  bound [/any, /name, /name, /string, /any].

Decl intent_guess(Id, Verb, Percent)
  descr [doc("a verb that the words suggest where none was said, with how sure perception is")]
  bound [/any, /name, /number].

Decl intent_makes(Id)
  descr [doc("it asks to make the thing that its verb is about: \"add a test\", not \"run the tests\"")]
  bound [/any].

# From the world: asked when needed, not stored.

Decl file_exists(Path)
  descr [external(), mode("+"), doc("a file of the workspace exists; the path is relative to its root")]
  bound [/string].

Decl file_contains(Path, Text)
  descr [external(), mode("+", "+"), doc("a file of the workspace contains a text")]
  bound [/string, /string].

Decl file_topology(Path, Hash, Language, Modified, IsTest)
  descr [doc("a file of the workspace as the last scan saw it; IsTest is /true or /false")]
  bound [/string, /string, /name, /any, /name].

# Who acts, with what.

Decl asked_by(Who)
  descr [doc("/person where somebody asks by himself, and neither a persona nor an artifact acts for him")]
  bound [/name].

Decl acting(Persona)
  descr [doc("the persona on whose behalf the pending action is asked for")]
  bound [/name].

Decl only_asked()
  descr [doc("what the person said only asks: nothing is to be changed")].

Decl granted_tool(Tool)
  descr [doc("a tool of the acting agent's configuration; only these count")]
  bound [/name].

Decl granted_policy(File)
  descr [doc("a policy file of the acting agent's configuration; only these are in force")]
  bound [/string].

Decl tier(Tier)
  descr [doc("the trust tier of the artifact that acts: /ephemeral, /memo, /authored, /promoted or /builtin")]
  bound [/name].

Decl grant(Effect, Detail)
  descr [doc("an effect that the acting artifact was granted, such as grant(/net, \"example.org\")")]
  bound [/name, /any].

Decl workspace(Path)
  descr [doc("the absolute path of the directory in which the agent works")]
  bound [/string].

Decl allowed_host(Host)
  descr [doc("a host, or a domain with all below it, that may be reached; \"*\" is every public one")]
  bound [/string].

Decl send_host(Host)
  descr [doc("a host that data may be sent to without asking")]
  bound [/string].

Decl allowed_package(Name)
  descr [doc("a package that agents may install for their tools without asking")]
  bound [/string].

Decl spend_limit(Cents)
  descr [doc("how much one action may spend without asking")]
  bound [/number].

Decl spend_cap(Scope, Cents)
  descr [doc("how much may be spent without asking in all of a /session or a /day")]
  bound [/name, /number].

Decl payment_payee(Id, Address)
  descr [doc("a payment with a token goes to that address")]
  bound [/any, /string].

Decl payment_asset(Id, Network, Address)
  descr [doc("a payment is made with the token at that address of that chain")]
  bound [/any, /string, /string].

Decl payment_micros(Id, Micros)
  descr [doc("a payment with a token is of so many millionths of a coin")]
  bound [/any, /number].

Decl seller_host(Host)
  descr [doc("the operator lets sellers at the host be paid; * is any public one")]
  bound [/string].

Decl seller_payee(Address)
  descr [doc("the operator lets the address be paid; where none is listed, any may be")]
  bound [/string].

Decl paid_with(Network, Address)
  descr [doc("the token and chain that the wallet pays with")]
  bound [/string, /string].

Decl purchase_cap(Micros)
  descr [doc("so many millionths of a coin may one purchase cost")]
  bound [/number].

Decl purchase_over(Scope)
  descr [doc("with it, more would be paid in this /session or /day than may be without asking")]
  bound [/name].

Decl spent(Scope, Cents)
  descr [doc("how much this /session or this /day has spent before the action")]
  bound [/name, /number].

# Said by routing, and by every rule that makes a persona: whoever has a verb is known.
Decl verb_persona(Verb, Persona)
  descr [doc("requests with this verb are the persona's work")]
  bound [/name, /name].

# The one action that is asked for, and what the kernel computed of it.

Decl pending_action(Id, Action, Target, Payload, Time)
  descr [doc("the action that is asked for")]
  bound [/any, /name, /string, /string, /any].

Decl approved(Action, Target, Payload, Until)
  descr [doc("a valid, unexpired, signed approval of exactly this action")]
  bound [/name, /string, /string, /any].

Decl action_path(Id, Path, Where)
  descr [doc("a path the action is about, normalised; Where is /inside, /outside, /system or /unclear")]
  bound [/any, /string, /name].

Decl action_path_part(Id, Part)
  descr [doc("one component of a path of the action, in lower case")]
  bound [/any, /string].

Decl action_path_suffix(Id, Suffix)
  descr [doc("the suffix of a path of the action, such as \".py\"")]
  bound [/any, /string].

Decl action_host(Id, Host, Kind)
  descr [doc("a host the action reaches; Kind is /public, /private, /loopback or /unclear")]
  bound [/any, /string, /name].

Decl action_host_within(Id, Domain)
  descr [doc("the host of the action or a domain above it")]
  bound [/any, /string].

Decl payload_host(Id, Host, Kind)
  descr [doc("a host that the payload names; Kind as in action_host")]
  bound [/any, /string, /name].

Decl action_amount(Id, Cents)
  descr [doc("what the action would spend")]
  bound [/any, /number].

Decl action_word(Id, Word)
  descr [doc("a word in the target or payload with which SQL removes something or gives rights, in lower case")]
  bound [/any, /string].

Decl action_method(Id, Method)
  descr [doc("the method of HTTP that the payload names, in capitals")]
  bound [/any, /string].

Decl action_body(Id)
  descr [doc("the payload has something that a request would send as its body")]
  bound [/any].

Decl push_fault(Id, Reason)
  descr [doc("why the payload does not name exactly one remote and one ref; only a push is asked for it")]
  bound [/any, /string].

# What is true of paths, whether an action names them or a change is about them.

Decl path_secret(Id, Reason)
  descr [doc("a path of the action or change holds secrets or belongs to the runtime, by the one list of such paths")]
  bound [/any, /string].

Decl git_file(Id, Top, Name)
  descr [doc("a path lies in a .git; Top is the first name below that, Name the last one, both empty for .git itself")]
  bound [/any, /string, /string].

Decl git_holds(Id, What)
  descr [doc("what a changed path below a .git is by place and content: /data of git's own, its /index, or what is /never right there; nothing where it is none of these")]
  bound [/any, /name].

# A set of changes: what a command or a file tool did in the workbench, each change with an id of its own.

Decl pending_change(Id, Kind, Entry, Tracked)
  descr [doc("one change; Kind says what happened, Entry what is there now; Tracked is /tracked, /untracked or /ignored")]
  bound [/any, /name, /name, /name].

Decl change_same_code(Id)
  descr [doc("a changed file of exact versions names the same code as before, word for word")]
  bound [/any].

Decl change_mode(Id, Bit)
  descr [doc("the file gets the bit /setuid or /setgid")]
  bound [/any, /name].

Decl change_link(Id, Target, Where)
  descr [doc("the link leads to Target; Where is /inside, /programs (of this machine) or /outside")]
  bound [/any, /string, /name].

Decl changed_name(Name)
  descr [doc("some file of this name, in lower case, is created or changed in the set; only names that rules speak of")]
  bound [/string].

Decl removed_tracked(Set, Number)
  descr [doc("so many files that git tracked when the session began are deleted, emptied or replaced by the set and what the session did before")]
  bound [/any, /number].

Decl removal_limit(Number)
  descr [doc("so many such files may be removed at once without asking")]
  bound [/number].

Decl history_lost(Set, What)
  descr [doc("commits or objects of a repository that were there before the session, and that the set would lose")]
  bound [/any, /string].

Decl beyond_undo(Set, Bytes)
  descr [doc("so many bytes more than undo keeps would be needed to take the set back")]
  bound [/any, /number].

Decl runtime_state(Path)
  descr [doc("where in the workspace the runtime keeps its state, where it does")]
  bound [/string].

# The places where policies and dropped-in files add their word.

Decl policy_allows(Action, Target, Payload)
  descr [doc("a policy permits this action, unless it is refused or needs an approval")]
  bound [/name, /string, /string].

Decl policy_denies(Id, Reason)
  descr [doc("a policy refuses the action; no approval helps")]
  bound [/any, /string].

Decl policy_needs_approval(Id, Reason)
  descr [doc("a policy wants the action approved by a person")]
  bound [/any, /string].

Decl policy_tool(Policy, Tool)
  descr [doc("a policy file works with a tool, so who is under the policy has the tool")]
  bound [/string, /name].

Decl advice(Policy, Text)
  descr [doc("what a policy tells the agent it governs, beyond what is permitted")]
  bound [/string, /string].
