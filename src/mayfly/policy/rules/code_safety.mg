# Policy of those who write code: what they leave to the tools that make it. What a program that they run leaves behind
# is judged in changes.mg, for everybody.

Decl foreign_part(Part)
  descr [doc("a directory of code that others wrote or a tool made, in lower case")]
  bound [/string].

Decl made_suffix(Suffix)
  descr [doc("files with this suffix are made by a tool from something else")]
  bound [/string].

policy_tool("code_safety.mg", /file_read).
policy_tool("code_safety.mg", /build_check).

foreign_part("node_modules").
foreign_part("vendor").
foreign_part("site-packages").
foreign_part(".venv").
foreign_part("__pycache__").

made_suffix(".pyc").
made_suffix(".class").
made_suffix(".o").
made_suffix(".so").
made_suffix(".dll").
made_suffix(".dylib").
made_suffix(".exe").
made_suffix(".jar").
made_suffix(".min.js").
made_suffix(".pb.go").

policy_denies(Id, Reason) :-
  in_force("code_safety.mg"),
  by_hand(Id),
  action_path_part(Id, Part),
  foreign_part(Part),
  Reason = fn:string:concat("code that others wrote or a tool made is not edited: ", Part).

policy_denies(Id, Reason) :-
  in_force("code_safety.mg"),
  by_hand(Id),
  action_path_suffix(Id, Suffix),
  made_suffix(Suffix),
  Reason = fn:string:concat("a file that a tool makes is not written by hand: *", Suffix).

advice("code_safety.mg", "run the tests after every change") :- in_force("code_safety.mg").
advice("code_safety.mg", "read a file before you change it") :- in_force("code_safety.mg").
