# Which test frameworks a workspace uses, read from the files that each of them leaves there.

Decl framework_file(Framework, Path)
  descr [doc("a file that only a project tested with the framework has")]
  bound [/name, /string].

Decl framework_text(Framework, Path, Text)
  descr [doc("a file that names the framework when the project is tested with it")]
  bound [/name, /string, /string].

Decl framework_language(Framework, Language)
  descr [doc("a framework that comes with its language: test files in that language are enough")]
  bound [/name, /name].

Decl framework_replaces(Framework, Other)
  descr [doc("where the first is used, test files in the language do not speak for the other")]
  bound [/name, /name].

Decl framework_detected(Framework)
  descr [doc("files of the workspace show the framework")]
  bound [/name].

Decl framework_replaced(Framework)
  descr [doc("something more telling than test files in its language was found")]
  bound [/name].

Decl test_framework(Framework)
  descr [doc("the workspace is tested with the framework")]
  bound [/name].

framework_file(/go_test, "go.mod").
framework_file(/go_test, "go.work").

framework_file(/jest, "jest.config.js").
framework_file(/jest, "jest.config.ts").
framework_file(/jest, "jest.config.mjs").
framework_file(/jest, "jest.config.cjs").
framework_file(/jest, "jest.config.json").
framework_text(/jest, "package.json", "\"jest\"").

framework_file(/vitest, "vitest.config.js").
framework_file(/vitest, "vitest.config.ts").
framework_file(/vitest, "vitest.config.mjs").
framework_file(/vitest, "vitest.config.mts").
framework_file(/vitest, "vitest.workspace.ts").
framework_text(/vitest, "package.json", "\"vitest\"").

framework_file(/mocha, "mocharc.json").
framework_file(/mocha, ".mocharc.js").
framework_file(/mocha, ".mocharc.cjs").
framework_file(/mocha, ".mocharc.json").
framework_file(/mocha, ".mocharc.yml").
framework_file(/mocha, ".mocharc.yaml").
framework_text(/mocha, "package.json", "\"mocha\"").

framework_file(/playwright, "playwright.config.js").
framework_file(/playwright, "playwright.config.ts").
framework_file(/cypress, "cypress.config.js").
framework_file(/cypress, "cypress.config.ts").
framework_file(/cypress, "cypress.json").
framework_file(/karma, "karma.conf.js").
framework_file(/jasmine, "spec/support/jasmine.json").
framework_text(/ava, "package.json", "\"ava\"").
framework_file(/deno_test, "deno.json").
framework_file(/deno_test, "deno.jsonc").
framework_text(/bun_test, "package.json", "bun test").
framework_text(/node_test, "package.json", "node --test").

framework_file(/pytest, "pytest.ini").
framework_file(/pytest, ".pytest.ini").
framework_file(/pytest, "conftest.py").
framework_file(/pytest, "tests/conftest.py").
framework_file(/pytest, "test/conftest.py").
framework_text(/pytest, "pyproject.toml", "pytest").
framework_text(/pytest, "setup.cfg", "[tool:pytest]").
framework_text(/pytest, "tox.ini", "[pytest]").
framework_text(/pytest, "requirements-dev.txt", "pytest").
framework_text(/pytest, "requirements.txt", "pytest").
framework_text(/pytest, "Pipfile", "pytest").
framework_language(/unittest, /python).
framework_replaces(/pytest, /unittest).
framework_file(/tox, "tox.ini").
framework_file(/nox, "noxfile.py").
framework_text(/behave, "behave.ini", "[behave]").
framework_text(/robot, "robot.toml", "robot").

framework_file(/cargo_test, "Cargo.toml").
framework_file(/cargo_nextest, ".config/nextest.toml").

framework_file(/rspec, ".rspec").
framework_file(/rspec, "spec/spec_helper.rb").
framework_text(/rspec, "Gemfile", "rspec").
framework_text(/minitest, "Gemfile", "minitest").
framework_file(/minitest, "test/test_helper.rb").
framework_file(/cucumber, "cucumber.yml").

framework_text(/junit, "pom.xml", "junit").
framework_text(/junit, "build.gradle", "junit").
framework_text(/junit, "build.gradle", "useJUnitPlatform").
framework_text(/junit, "build.gradle.kts", "junit").
framework_text(/junit, "build.gradle.kts", "useJUnitPlatform").
framework_text(/testng, "pom.xml", "testng").
framework_text(/testng, "build.gradle", "testng").
framework_text(/kotest, "build.gradle.kts", "kotest").
framework_text(/scalatest, "build.sbt", "scalatest").

framework_file(/phpunit, "phpunit.xml").
framework_file(/phpunit, "phpunit.xml.dist").
framework_text(/phpunit, "composer.json", "phpunit/phpunit").
framework_file(/pest, "tests/Pest.php").

framework_language(/dotnet_test, /csharp).
framework_language(/dotnet_test, /fsharp).
framework_text(/xunit, "Directory.Packages.props", "xunit").
framework_text(/nunit, "Directory.Packages.props", "NUnit").
framework_replaces(/xunit, /dotnet_test).
framework_replaces(/nunit, /dotnet_test).

framework_text(/ctest, "CMakeLists.txt", "enable_testing").
framework_text(/ctest, "CMakeLists.txt", "add_test").
framework_text(/gtest, "CMakeLists.txt", "GTest").
framework_text(/catch2, "CMakeLists.txt", "Catch2").
framework_text(/meson_test, "meson.build", "test(").
framework_text(/bazel_test, "BUILD.bazel", "_test(").

framework_language(/bats, /bats).
framework_file(/bats, "test/test_helper/bats-support/load.bash").
framework_file(/exunit, "mix.exs").
framework_file(/swift_test, "Package.swift").
framework_text(/flutter_test, "pubspec.yaml", "flutter_test").
framework_text(/dart_test, "pubspec.yaml", "test:").
framework_text(/zig_test, "build.zig", "addTest").
framework_text(/eunit, "rebar.config", "eunit").
framework_file(/busted, ".busted").

framework_detected(Framework) :-
  framework_file(Framework, Path),
  file_exists(Path).

framework_detected(Framework) :-
  framework_text(Framework, Path, Text),
  file_exists(Path),
  file_contains(Path, Text).

framework_replaced(Other) :-
  framework_replaces(Framework, Other),
  framework_detected(Framework).

test_framework(Framework) :- framework_detected(Framework).

test_framework(Framework) :-
  framework_language(Framework, Language),
  file_topology(_, _, Language, _, /true),
  !framework_replaced(Framework).
