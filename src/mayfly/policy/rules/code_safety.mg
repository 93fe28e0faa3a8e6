# Policy of those who write code: what they leave alone, and where a person looks first.

Decl foreign_part(Part)
  descr [doc("a directory of code that others wrote or a tool made, in lower case")]
  bound [/string].

Decl made_suffix(Suffix)
  descr [doc("files with this suffix are made by a tool from something else")]
  bound [/string].

Decl lock_file(Part)
  descr [doc("a file in which a package manager notes exact versions, in lower case")]
  bound [/string].

Decl pipeline_part(Part)
  descr [doc("a file or directory that says what runs by itself or on other machines, in lower case")]
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

lock_file("package-lock.json").
lock_file("yarn.lock").
lock_file("pnpm-lock.yaml").
lock_file("poetry.lock").
lock_file("uv.lock").
lock_file("pipfile.lock").
lock_file("cargo.lock").
lock_file("go.sum").
lock_file("gemfile.lock").
lock_file("composer.lock").

pipeline_part(".github").
pipeline_part(".gitlab-ci.yml").
pipeline_part(".circleci").
pipeline_part(".husky").
pipeline_part(".githooks").
pipeline_part(".pre-commit-config.yaml").
pipeline_part(".vscode").
pipeline_part(".idea").
pipeline_part(".devcontainer").
pipeline_part(".cargo").
pipeline_part("pip.conf").
pipeline_part(".yarnrc").
pipeline_part(".yarnrc.yml").
pipeline_part(".travis.yml").
pipeline_part("jenkinsfile").
pipeline_part("azure-pipelines.yml").
pipeline_part("bitbucket-pipelines.yml").

policy_denies(Id, Reason) :-
  in_force("code_safety.mg"),
  writes_file(Id),
  action_path_part(Id, Part),
  foreign_part(Part),
  Reason = fn:string:concat("code that others wrote or a tool made is not edited: ", Part).

policy_denies(Id, Reason) :-
  in_force("code_safety.mg"),
  writes_file(Id),
  action_path_suffix(Id, Suffix),
  made_suffix(Suffix),
  Reason = fn:string:concat("a file that a tool makes is not written by hand: *", Suffix).

policy_needs_approval(Id, "versions are changed by the package manager, or by a person") :-
  in_force("code_safety.mg"),
  writes_file(Id),
  action_path_part(Id, Part),
  lock_file(Part).

policy_needs_approval(Id, "what runs by itself or on other machines is changed by a person") :-
  in_force("code_safety.mg"),
  writes_file(Id),
  action_path_part(Id, Part),
  pipeline_part(Part).

advice("code_safety.mg", "run the tests after every change") :- in_force("code_safety.mg").
advice("code_safety.mg", "read a file before you change it") :- in_force("code_safety.mg").
