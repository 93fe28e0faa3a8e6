# What is known of programs that need nobody's agreement: which only look, which test or build, and what to beware of.

Decl read_only_program(Program)
  descr [doc("a program that only looks, whatever its arguments, but for those listed")]
  bound [/string].

read_only_program("ls").
read_only_program("cat").
read_only_program("head").
read_only_program("tail").
read_only_program("wc").
read_only_program("grep").
read_only_program("egrep").
read_only_program("fgrep").
read_only_program("zgrep").
read_only_program("zcat").
read_only_program("rg").
read_only_program("find").
read_only_program("fd").
read_only_program("tree").
read_only_program("file").
read_only_program("stat").
read_only_program("du").
read_only_program("df").
read_only_program("pwd").
read_only_program("echo").
read_only_program("printf").
read_only_program("true").
read_only_program("false").
read_only_program("test").
read_only_program("[").
read_only_program(":").
read_only_program("sort").
read_only_program("uniq").
read_only_program("cut").
read_only_program("tr").
read_only_program("nl").
read_only_program("tac").
read_only_program("rev").
read_only_program("comm").
read_only_program("diff").
read_only_program("cmp").
read_only_program("column").
read_only_program("fold").
read_only_program("fmt").
read_only_program("paste").
read_only_program("join").
read_only_program("seq").
read_only_program("date").
read_only_program("basename").
read_only_program("dirname").
read_only_program("realpath").
read_only_program("readlink").
read_only_program("which").
read_only_program("type").
read_only_program("whereis").
read_only_program("whoami").
read_only_program("id").
read_only_program("uname").
read_only_program("nproc").
read_only_program("arch").
read_only_program("locale").
read_only_program("cal").
read_only_program("expr").
read_only_program("od").
read_only_program("hexdump").
read_only_program("strings").
read_only_program("md5sum").
read_only_program("sha1sum").
read_only_program("sha224sum").
read_only_program("sha256sum").
read_only_program("sha512sum").
read_only_program("b2sum").
read_only_program("cksum").
read_only_program("sum").
read_only_program("sleep").
read_only_program("jq").
read_only_program("uptime").
read_only_program("free").
read_only_program("cloc").
read_only_program("tokei").
read_only_program("scc").
read_only_program("bat").
read_only_program("exit").
read_only_program("wait").

Decl wrapper_program(Program)
  descr [doc("a program that runs another one, which is looked at by itself")]
  bound [/string].

wrapper_program("time").
wrapper_program("timeout").
wrapper_program("nice").
wrapper_program("ionice").
wrapper_program("stdbuf").
wrapper_program("command").
wrapper_program("nohup").

Decl wrapper_word(Program, Word)
  descr [doc("a program that runs another one when this word is given")]
  bound [/string, /string].

wrapper_word("uv", "run").
wrapper_word("poetry", "run").
wrapper_word("pipenv", "run").
wrapper_word("bundle", "exec").
wrapper_word("hatch", "run").
wrapper_word("pdm", "run").
wrapper_word("rye", "run").

Decl changing_flag(Program, Flag)
  descr [doc("a flag with which a program that only looks does more")]
  bound [/string, /string].

changing_flag("find", "delete").
changing_flag("find", "fprint").
changing_flag("find", "fprint0").
changing_flag("find", "fprintf").
changing_flag("find", "fls").
changing_flag("find", "files0-from").
changing_flag("sort", "o").
changing_flag("sort", "output").
changing_flag("sort", "compress-program").
changing_flag("sort", "files0-from").
changing_flag("sort", "T").
changing_flag("tree", "o").
changing_flag("rg", "pre").
changing_flag("rg", "hidden").
changing_flag("rg", ".").
changing_flag("rg", "u").
changing_flag("rg", "unrestricted").
changing_flag("rg", "no-ignore").
changing_flag("rg", "f").
changing_flag("grep", "f").
changing_flag("rg", "hostname-bin").
changing_flag("date", "s").
changing_flag("date", "set").
changing_flag("file", "C").
changing_flag("file", "compile").
changing_flag("wc", "files0-from").
changing_flag("du", "files0-from").
changing_flag("time", "o").
changing_flag("time", "output").
changing_flag("fd", "x").
changing_flag("fd", "X").
changing_flag("fd", "exec").
changing_flag("fd", "exec-batch").
changing_flag("bat", "pager").
changing_flag("zgrep", "f").

Decl runner_program(Program)
  descr [doc("a program that tests or checks the workspace")]
  bound [/string].

runner_program("pytest").
runner_program("py.test").
runner_program("tox").
runner_program("nox").
runner_program("jest").
runner_program("vitest").
runner_program("mocha").
runner_program("ava").
runner_program("rspec").
runner_program("phpunit").
runner_program("pest").
runner_program("ctest").
runner_program("bats").
runner_program("busted").
runner_program("behave").
runner_program("robot").
runner_program("gotestsum").
runner_program("mypy").
runner_program("pyright").
runner_program("ruff").
runner_program("flake8").
runner_program("pylint").
runner_program("black").
runner_program("isort").
runner_program("bandit").
runner_program("pydocstyle").
runner_program("vulture").
runner_program("radon").
runner_program("eslint").
runner_program("tsc").
runner_program("prettier").
runner_program("stylelint").
runner_program("biome").
runner_program("gofmt").
runner_program("goimports").
runner_program("golangci-lint").
runner_program("staticcheck").
runner_program("rustfmt").
runner_program("shellcheck").
runner_program("shfmt").
runner_program("hadolint").
runner_program("rubocop").
runner_program("standardrb").
runner_program("yamllint").
runner_program("markdownlint").
runner_program("clang-format").
runner_program("clang-tidy").
runner_program("cppcheck").
runner_program("ktlint").
runner_program("checkstyle").
runner_program("phpstan").
runner_program("psalm").
runner_program("sqlfluff").
runner_program("actionlint").
runner_program("codespell").
runner_program("coverage").

Decl runner_word(Program, Word)
  descr [doc("a program that tests, builds or checks the workspace when this word is given")]
  bound [/string, /string].

runner_word("go", "test").
runner_word("go", "vet").
runner_word("go", "build").
runner_word("go", "fmt").
runner_word("go", "list").
runner_word("go", "version").
runner_word("go", "doc").
runner_word("cargo", "test").
runner_word("cargo", "check").
runner_word("cargo", "build").
runner_word("cargo", "clippy").
runner_word("cargo", "fmt").
runner_word("cargo", "nextest").
runner_word("cargo", "doc").
runner_word("cargo", "tree").
runner_word("cargo", "bench").
runner_word("npm", "test").
runner_word("npm", "t").
runner_word("npm", "run-script").
runner_word("npm", "run").
runner_word("npm", "ls").
runner_word("npm", "outdated").
runner_word("npm", "audit").
runner_word("yarn", "test").
runner_word("yarn", "run").
runner_word("yarn", "why").
runner_word("yarn", "list").
runner_word("pnpm", "test").
runner_word("pnpm", "run").
runner_word("pnpm", "why").
runner_word("pnpm", "list").
runner_word("bun", "test").
runner_word("deno", "test").
runner_word("deno", "lint").
runner_word("deno", "fmt").
runner_word("deno", "check").
runner_word("node", "--test").
runner_word("node", "--check").
runner_word("npx", "jest").
runner_word("npx", "vitest").
runner_word("npx", "mocha").
runner_word("npx", "playwright").
runner_word("npx", "cypress").
runner_word("npx", "eslint").
runner_word("npx", "tsc").
runner_word("npx", "prettier").
runner_word("npx", "ava").
runner_word("npx", "karma").
runner_word("npx", "jasmine").
runner_word("npx", "stylelint").
runner_word("npx", "biome").
runner_word("mvn", "test").
runner_word("mvn", "verify").
runner_word("mvn", "compile").
runner_word("mvn", "package").
runner_word("mvnw", "test").
runner_word("mvnw", "verify").
runner_word("mvnw", "compile").
runner_word("mvnw", "package").
runner_word("gradle", "test").
runner_word("gradle", "check").
runner_word("gradle", "build").
runner_word("gradle", "assemble").
runner_word("gradlew", "test").
runner_word("gradlew", "check").
runner_word("gradlew", "build").
runner_word("gradlew", "assemble").
runner_word("dotnet", "test").
runner_word("dotnet", "build").
runner_word("dotnet", "format").
runner_word("mix", "test").
runner_word("mix", "compile").
runner_word("mix", "format").
runner_word("mix", "credo").
runner_word("mix", "dialyzer").
runner_word("swift", "test").
runner_word("swift", "build").
runner_word("flutter", "test").
runner_word("flutter", "analyze").
runner_word("dart", "test").
runner_word("dart", "analyze").
runner_word("dart", "format").
runner_word("terraform", "fmt").
runner_word("terraform", "validate").
runner_word("zig", "test").
runner_word("zig", "build").
runner_word("zig", "fmt").
runner_word("bazel", "test").
runner_word("bazel", "build").
runner_word("bazel", "query").
runner_word("sbt", "test").
runner_word("sbt", "compile").
runner_word("rake", "test").
runner_word("rake", "spec").
runner_word("rake", "lint").
runner_word("rails", "test").
runner_word("meson", "test").
runner_word("meson", "compile").
runner_word("ninja", "test").
runner_word("ninja", "all").
runner_word("make", "test").
runner_word("make", "tests").
runner_word("make", "check").
runner_word("make", "lint").
runner_word("make", "build").
runner_word("make", "all").
runner_word("make", "format").
runner_word("make", "fmt").
runner_word("make", "typecheck").
runner_word("make", "types").
runner_word("make", "type-check").
runner_word("make", "coverage").
runner_word("make", "docs").
runner_word("make", "unit").
runner_word("just", "test").
runner_word("just", "tests").
runner_word("just", "check").
runner_word("just", "lint").
runner_word("just", "build").
runner_word("just", "all").
runner_word("just", "format").
runner_word("just", "fmt").
runner_word("just", "typecheck").
runner_word("just", "types").
runner_word("just", "coverage").
runner_word("just", "docs").
runner_word("just", "unit").
runner_word("task", "test").
runner_word("task", "lint").
runner_word("task", "build").
runner_word("task", "check").
runner_word("composer", "test").
runner_word("composer", "validate").
runner_word("stack", "test").
runner_word("stack", "build").
runner_word("cabal", "test").
runner_word("cabal", "build").
runner_word("lein", "test").
runner_word("rebar3", "eunit").
runner_word("rebar3", "ct").
runner_word("playwright", "test").
runner_word("cypress", "run").
runner_word("pre-commit", "run").
runner_word("pip", "list").
runner_word("pip", "show").
runner_word("pip", "freeze").
runner_word("pip", "check").
runner_word("pip3", "list").
runner_word("pip3", "show").
runner_word("pip3", "freeze").
runner_word("cmake", "--build").
runner_word("cmake", "-S").
runner_word("cmake", "-B").
runner_word("unzip", "-l").
runner_word("npm", "tests").
runner_word("npm", "test:unit").
runner_word("npm", "test:ci").
runner_word("npm", "test:watch").
runner_word("npm", "lint").
runner_word("npm", "lint:fix").
runner_word("npm", "build").
runner_word("npm", "typecheck").
runner_word("npm", "type-check").
runner_word("npm", "types").
runner_word("npm", "check").
runner_word("npm", "format").
runner_word("npm", "fmt").
runner_word("npm", "coverage").
runner_word("npm", "unit").
runner_word("yarn", "tests").
runner_word("yarn", "test:unit").
runner_word("yarn", "test:ci").
runner_word("yarn", "test:watch").
runner_word("yarn", "lint").
runner_word("yarn", "lint:fix").
runner_word("yarn", "build").
runner_word("yarn", "typecheck").
runner_word("yarn", "type-check").
runner_word("yarn", "types").
runner_word("yarn", "check").
runner_word("yarn", "format").
runner_word("yarn", "fmt").
runner_word("yarn", "coverage").
runner_word("yarn", "unit").
runner_word("pnpm", "tests").
runner_word("pnpm", "test:unit").
runner_word("pnpm", "test:ci").
runner_word("pnpm", "test:watch").
runner_word("pnpm", "lint").
runner_word("pnpm", "lint:fix").
runner_word("pnpm", "build").
runner_word("pnpm", "typecheck").
runner_word("pnpm", "type-check").
runner_word("pnpm", "types").
runner_word("pnpm", "check").
runner_word("pnpm", "format").
runner_word("pnpm", "fmt").
runner_word("pnpm", "coverage").
runner_word("pnpm", "unit").

Decl runner_stop(Program, Word)
  descr [doc("a word with which such a program does something else")]
  bound [/string, /string].

runner_stop("go", "run").
runner_stop("go", "install").
runner_stop("go", "get").
runner_stop("go", "generate").
runner_stop("go", "mod").
runner_stop("go", "tool").
runner_stop("go", "env").
runner_stop("go", "work").
runner_stop("go", "clean").
runner_stop("go", "fix").
runner_stop("go", "telemetry").
runner_stop("cargo", "run").
runner_stop("cargo", "install").
runner_stop("cargo", "add").
runner_stop("cargo", "publish").
runner_stop("cargo", "login").
runner_stop("cargo", "logout").
runner_stop("cargo", "yank").
runner_stop("cargo", "remove").
runner_stop("cargo", "uninstall").
runner_stop("cargo", "update").
runner_stop("cargo", "new").
runner_stop("cargo", "init").
runner_stop("cargo", "fix").
runner_stop("cargo", "owner").
runner_stop("npm", "install").
runner_stop("npm", "i").
runner_stop("npm", "ci").
runner_stop("npm", "add").
runner_stop("npm", "uninstall").
runner_stop("npm", "remove").
runner_stop("npm", "rm").
runner_stop("npm", "un").
runner_stop("npm", "publish").
runner_stop("npm", "exec").
runner_stop("npm", "x").
runner_stop("npm", "explore").
runner_stop("npm", "link").
runner_stop("npm", "config").
runner_stop("npm", "set").
runner_stop("npm", "login").
runner_stop("npm", "adduser").
runner_stop("npm", "token").
runner_stop("npm", "dedupe").
runner_stop("npm", "prune").
runner_stop("npm", "pack").
runner_stop("npm", "version").
runner_stop("npm", "init").
runner_stop("npm", "create").
runner_stop("npm", "fix").
runner_stop("npm", "start").
runner_stop("yarn", "add").
runner_stop("yarn", "remove").
runner_stop("yarn", "publish").
runner_stop("yarn", "global").
runner_stop("yarn", "dlx").
runner_stop("yarn", "exec").
runner_stop("yarn", "config").
runner_stop("yarn", "link").
runner_stop("yarn", "login").
runner_stop("yarn", "install").
runner_stop("yarn", "upgrade").
runner_stop("yarn", "create").
runner_stop("yarn", "init").
runner_stop("pnpm", "add").
runner_stop("pnpm", "remove").
runner_stop("pnpm", "publish").
runner_stop("pnpm", "dlx").
runner_stop("pnpm", "exec").
runner_stop("pnpm", "config").
runner_stop("pnpm", "link").
runner_stop("pnpm", "login").
runner_stop("pnpm", "install").
runner_stop("pnpm", "i").
runner_stop("pnpm", "update").
runner_stop("pnpm", "create").
runner_stop("pnpm", "init").
runner_stop("bun", "run").
runner_stop("bun", "add").
runner_stop("bun", "install").
runner_stop("bun", "x").
runner_stop("bun", "create").
runner_stop("bun", "link").
runner_stop("bun", "remove").
runner_stop("deno", "run").
runner_stop("deno", "install").
runner_stop("deno", "eval").
runner_stop("deno", "task").
runner_stop("deno", "compile").
runner_stop("deno", "publish").
runner_stop("deno", "serve").
runner_stop("node", "-e").
runner_stop("node", "--eval").
runner_stop("node", "-p").
runner_stop("node", "--print").
runner_stop("node", "-r").
runner_stop("node", "--require").
runner_stop("node", "--import").
runner_stop("node", "--loader").
runner_stop("node", "--experimental-loader").
runner_stop("mvn", "deploy").
runner_stop("mvn", "install").
runner_stop("mvn", "exec:java").
runner_stop("mvn", "exec:exec").
runner_stop("mvn", "release:perform").
runner_stop("mvnw", "deploy").
runner_stop("mvnw", "install").
runner_stop("mvnw", "exec:java").
runner_stop("mvnw", "exec:exec").
runner_stop("mvnw", "release:perform").
runner_stop("gradle", "publish").
runner_stop("gradle", "run").
runner_stop("gradle", "install").
runner_stop("gradle", "uploadArchives").
runner_stop("gradlew", "publish").
runner_stop("gradlew", "run").
runner_stop("gradlew", "install").
runner_stop("gradlew", "uploadArchives").
runner_stop("dotnet", "run").
runner_stop("dotnet", "publish").
runner_stop("dotnet", "nuget").
runner_stop("dotnet", "tool").
runner_stop("dotnet", "add").
runner_stop("dotnet", "remove").
runner_stop("mix", "run").
runner_stop("mix", "deps.get").
runner_stop("mix", "hex.publish").
runner_stop("mix", "ecto.drop").
runner_stop("mix", "ecto.reset").
runner_stop("mix", "phx.server").
runner_stop("mix", "release").
runner_stop("swift", "run").
runner_stop("swift", "package").
runner_stop("flutter", "run").
runner_stop("flutter", "pub").
runner_stop("flutter", "install").
runner_stop("dart", "run").
runner_stop("dart", "pub").
runner_stop("dart", "compile").
runner_stop("terraform", "apply").
runner_stop("terraform", "destroy").
runner_stop("terraform", "init").
runner_stop("terraform", "import").
runner_stop("terraform", "state").
runner_stop("terraform", "console").
runner_stop("zig", "run").
runner_stop("bazel", "run").
runner_stop("bazel", "clean").
runner_stop("sbt", "run").
runner_stop("sbt", "publish").
runner_stop("rails", "runner").
runner_stop("rails", "db:drop").
runner_stop("rails", "db:reset").
runner_stop("rails", "server").
runner_stop("rails", "console").
runner_stop("stack", "run").
runner_stop("stack", "exec").
runner_stop("stack", "install").
runner_stop("stack", "upload").
runner_stop("cabal", "run").
runner_stop("cabal", "exec").
runner_stop("cabal", "install").
runner_stop("cabal", "upload").
runner_stop("lein", "run").
runner_stop("lein", "deploy").
runner_stop("composer", "require").
runner_stop("composer", "install").
runner_stop("composer", "update").
runner_stop("composer", "exec").
runner_stop("composer", "global").
runner_stop("composer", "run-script").
runner_stop("pytest", "--basetemp").
runner_stop("pytest", "--pdb").
runner_stop("pytest", "--trace").
runner_stop("pre-commit", "install").
runner_stop("pip", "install").
runner_stop("pip", "uninstall").
runner_stop("pip", "download").
runner_stop("pip", "wheel").
runner_stop("pip", "config").
runner_stop("pip", "cache").
runner_stop("pip3", "install").
runner_stop("pip3", "uninstall").
runner_stop("pip3", "download").
runner_stop("pip3", "wheel").
runner_stop("pip3", "config").
runner_stop("pip3", "cache").
runner_stop("cmake", "-P").
runner_stop("cmake", "-E").
runner_stop("cmake", "--install").
runner_stop("unzip", "-o").
runner_stop("unzip", "-d").
runner_stop("mypy", "--install-types").
runner_stop("npx", "--package").
runner_stop("npx", "--call").
runner_stop("npm", "--script-shell").
runner_stop("npm", "--prefix").
runner_stop("npm", "--userconfig").
runner_stop("npm", "--globalconfig").
runner_stop("npm", "-C").
runner_stop("make", "--eval").
runner_stop("make", "--file").
runner_stop("make", "--makefile").

Decl runner_strict(Program)
  descr [doc("a program whose every word must be known: each of them is something to do")]
  bound [/string].

runner_strict("npm").
runner_strict("npx").
runner_strict("yarn").
runner_strict("pnpm").
runner_strict("make").
runner_strict("just").
runner_strict("task").
runner_strict("rake").
runner_strict("ninja").

Decl strict_argument(Program, Word)
  descr [doc("a word that a strict program may be given beside what it is to do")]
  bound [/string, /string].

strict_argument("npx", "run").
strict_argument("npx", "test").
strict_argument("npx", "tests").
strict_argument("npx", "src").
strict_argument("npx", "lib").
strict_argument("npx", "app").
strict_argument("npx", "check").
strict_argument("npx", "tsconfig.json").
strict_argument("make", "help").

Decl strict_start(Program, Text)
  descr [doc("a word that begins so is a path inside the workspace, not another thing to do")]
  bound [/string, /string].

strict_start("npx", ".").
strict_start("npx", "src/").
strict_start("npx", "test/").
strict_start("npx", "tests/").
strict_start("npx", "lib/").
strict_start("npx", "app/").

Decl version_word(Word)
  descr [doc("a word that only asks a program for its version")]
  bound [/string].

version_word("--version").
version_word("-V").
version_word("version").

Decl doubtful_text(Program, Text)
  descr [doc("a text in a word with which a program that only looks shows what it should not")]
  bound [/string, /string].

doubtful_text("jq", "env").
doubtful_text("jq", "ENV").

Decl loaded_start(Text)
  descr [doc("variables whose names begin so make a command load or run something else")]
  bound [/string].

Decl loaded_end(Text)
  descr [doc("variables whose names end so make a command load or run something else")]
  bound [/string].

Decl plain_suffix(Suffix)
  descr [doc("files with this suffix may be written by a command as they may by a tool")]
  bound [/string].

Decl naming_program(Program)
  descr [doc("a program that prints the names of files in the workspace and nothing else")]
  bound [/string].

Decl git_pair(First, Second)
  descr [doc("two words with which git only looks, though with the first of them alone it may do more")]
  bound [/string, /string].

plain_suffix(".md").
plain_suffix(".txt").
plain_suffix(".rst").
plain_suffix(".csv").
plain_suffix(".html").
plain_suffix(".css").
plain_suffix(".py").
plain_suffix(".js").
plain_suffix(".ts").
plain_suffix(".tsx").
plain_suffix(".go").
plain_suffix(".rs").
plain_suffix(".java").
plain_suffix(".c").
plain_suffix(".h").
plain_suffix(".cpp").

naming_program("find").
naming_program("fd").
naming_program("ls").

git_pair("stash", "list").
git_pair("tag", "-l").
git_pair("tag", "--list").
git_pair("worktree", "list").
git_pair("submodule", "status").

loaded_start("LD_").
loaded_start("DYLD_").
loaded_start("BASH_").
loaded_start("GIT_").
loaded_start("npm_config_").
loaded_start("NPM_CONFIG_").

loaded_end("PAGER").
loaded_end("EDITOR").
loaded_end("VISUAL").
loaded_end("BROWSER").
loaded_end("SHELL").
loaded_end("LESSOPEN").
loaded_end("NODE_OPTIONS").
loaded_end("NODE_PATH").
loaded_end("PYTHONSTARTUP").
loaded_end("PYTHONHOME").
loaded_end("PYTHONPATH").
loaded_end("PYTEST_PLUGINS").
loaded_end("RUBYOPT").
loaded_end("RUBYLIB").
loaded_end("PERL5OPT").
loaded_end("PERL5LIB").
loaded_end("JAVA_TOOL_OPTIONS").
loaded_end("_JAVA_OPTIONS").
loaded_end("MAVEN_OPTS").
loaded_end("GRADLE_OPTS").
loaded_end("RUSTC_WRAPPER").
loaded_end("RUSTC").
loaded_end("MAKEFLAGS").
loaded_end("GOFLAGS").
loaded_end("_proxy").
loaded_end("_PROXY").
loaded_end("HOME").
loaded_end("PATH").
loaded_end("IFS").
loaded_end("ENV").
loaded_end("PS4").

Decl runner_python(Module)
  descr [doc("a module that tests or checks when python runs it")]
  bound [/string].

runner_python("pytest").
runner_python("unittest").
runner_python("mypy").
runner_python("ruff").
runner_python("flake8").
runner_python("pylint").
runner_python("black").
runner_python("isort").
runner_python("coverage").
runner_python("doctest").
runner_python("py_compile").
runner_python("compileall").
runner_python("nox").
runner_python("tox").
runner_python("json.tool").
runner_python("bandit").
runner_python("pyright").

Decl python_program(Program)
  descr [doc("python by any of its names")]
  bound [/string].

python_program("python").
python_program("python2").
python_program("python3").
python_program("pypy").
python_program("pypy3").
python_program("python3.10").
python_program("python3.11").
python_program("python3.12").
python_program("python3.13").
python_program("python3.14").

Decl editing_program(Program)
  descr [doc("a program that makes or copies files")]
  bound [/string].

editing_program("mkdir").
editing_program("touch").
editing_program("cp").
editing_program("mv").
editing_program("tee").

Decl plain_mode(Word)
  descr [doc("file modes that let a file be run or read, and no more")]
  bound [/string].

plain_mode("+x").
plain_mode("u+x").
plain_mode("a+x").
plain_mode("ug+x").
plain_mode("644").
plain_mode("0644").
plain_mode("755").
plain_mode("0755").
plain_mode("600").
plain_mode("0600").
plain_mode("700").
plain_mode("0700").
plain_mode("u+r").
plain_mode("u+w").
plain_mode("+r").

Decl git_look(Word)
  descr [doc("a git command that only looks")]
  bound [/string].

git_look("status").
git_look("log").
git_look("diff").
git_look("show").
git_look("blame").
git_look("ls-files").
git_look("grep").
git_look("ls-tree").
git_look("rev-parse").
git_look("describe").
git_look("shortlog").
git_look("rev-list").
git_look("merge-base").
git_look("name-rev").
git_look("cherry").
git_look("whatchanged").
git_look("count-objects").
git_look("version").
git_look("show-ref").
git_look("range-diff").
git_look("diff-tree").

Decl git_local(Word)
  descr [doc("a git command that changes only the repository in the workspace and can be undone")]
  bound [/string].

git_local("add").
git_local("commit").
git_local("switch").
git_local("branch").
git_local("mv").
git_local("init").

Decl git_else(Word)
  descr [doc("a git command that does more")]
  bound [/string].

git_else("push").
git_else("pull").
git_else("fetch").
git_else("clone").
git_else("merge").
git_else("rebase").
git_else("reset").
git_else("clean").
git_else("rm").
git_else("checkout").
git_else("restore").
git_else("stash").
git_else("tag").
git_else("remote").
git_else("config").
git_else("submodule").
git_else("filter-branch").
git_else("filter-repo").
git_else("gc").
git_else("prune").
git_else("reflog").
git_else("update-ref").
git_else("symbolic-ref").
git_else("worktree").
git_else("cherry-pick").
git_else("revert").
git_else("am").
git_else("apply").
git_else("bisect").
git_else("difftool").
git_else("mergetool").
git_else("notes").
git_else("replace").
git_else("archive").
git_else("bundle").
git_else("daemon").
git_else("instaweb").
git_else("credential").
git_else("hook").
git_else("maintenance").
git_else("sparse-checkout").
git_else("send-email").
git_else("request-pull").
git_else("svn").
git_else("p4").
git_else("lfs").
git_else("ls-remote").
git_else("update-index").
git_else("write-tree").
git_else("commit-tree").
git_else("hash-object").
git_else("fast-import").
git_else("fast-export").
git_else("fsck").
git_else("repack").
git_else("unpack-objects").
git_else("upload-pack").
git_else("receive-pack").
git_else("var").
git_else("help").
git_else("gui").
git_else("citool").

Decl git_flag_else(Flag)
  descr [doc("a flag with which git runs or writes something else")]
  bound [/string].

git_flag_else("config-env").
git_flag_else("exec-path").
git_flag_else("ext-diff").
git_flag_else("textconv").
git_flag_else("output").
git_flag_else("D").
git_flag_else("d").
git_flag_else("delete").
git_flag_else("M").
git_flag_else("force").
git_flag_else("f").
git_flag_else("hard").
git_flag_else("no-index").
git_flag_else("O").
git_flag_else("open-files-in-pager").
git_flag_else("upload-pack").
git_flag_else("exec").
git_flag_else("config-file").
git_flag_else("git-dir").
git_flag_else("work-tree").
git_flag_else("amend").
git_flag_else("orphan").
git_flag_else("no-verify").
git_flag_else("B").

Decl git_plain_flag(Flag)
  descr [doc("a flag that the git tools may be given first")]
  bound [/string].

git_plain_flag("--stat").
git_plain_flag("--shortstat").
git_plain_flag("--numstat").
git_plain_flag("--oneline").
git_plain_flag("--cached").
git_plain_flag("--staged").
git_plain_flag("--name-only").
git_plain_flag("--name-status").
git_plain_flag("--graph").
git_plain_flag("--all").
git_plain_flag("--patch").
git_plain_flag("-p").
git_plain_flag("-a").
git_plain_flag("-A").
git_plain_flag("-u").
git_plain_flag("-m").
git_plain_flag("-am").
git_plain_flag("-q").
git_plain_flag("-v").
git_plain_flag("-vv").
git_plain_flag("-s").
git_plain_flag("-sb").
git_plain_flag("--short").
git_plain_flag("--porcelain").
git_plain_flag("--no-color").
git_plain_flag("--color").
git_plain_flag("--word-diff").
git_plain_flag("-w").
git_plain_flag("-b").
git_plain_flag("-n").
git_plain_flag("-1").
git_plain_flag("-2").
git_plain_flag("-3").
git_plain_flag("-5").
git_plain_flag("-10").
git_plain_flag("-20").
git_plain_flag("-50").
git_plain_flag("--").
git_plain_flag("--follow").
git_plain_flag("--decorate").
git_plain_flag("--format").
git_plain_flag("--pretty").
git_plain_flag("--since").
git_plain_flag("--until").
git_plain_flag("--author").
git_plain_flag("--show-current").
git_plain_flag("--list").
git_plain_flag("-l").
git_plain_flag("--merges").
git_plain_flag("--no-merges").
