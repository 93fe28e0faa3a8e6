# Policy of those who test: which command runs the tests of this workspace.

Decl test_command(Framework, Command)
  descr [doc("how tests of the framework are run")]
  bound [/name, /string].

Decl advised_command(Command)
  descr [doc("a command that runs the tests of this workspace")]
  bound [/string].

Decl framework_found()
  descr [doc("at least one test framework was found")].

policy_tool("framework_detection.mg", /test_exec).

test_command(/go_test, "go test ./...").
test_command(/jest, "npx jest").
test_command(/vitest, "npx vitest run").
test_command(/mocha, "npx mocha").
test_command(/playwright, "npx playwright test").
test_command(/cypress, "npx cypress run").
test_command(/karma, "npx karma start --single-run").
test_command(/jasmine, "npx jasmine").
test_command(/ava, "npx ava").
test_command(/deno_test, "deno test").
test_command(/bun_test, "bun test").
test_command(/node_test, "node --test").
test_command(/pytest, "python -m pytest").
test_command(/unittest, "python -m unittest").
test_command(/tox, "tox").
test_command(/nox, "nox").
test_command(/behave, "behave").
test_command(/robot, "robot tests").
test_command(/cargo_test, "cargo test").
test_command(/cargo_nextest, "cargo nextest run").
test_command(/rspec, "bundle exec rspec").
test_command(/minitest, "bundle exec rake test").
test_command(/cucumber, "bundle exec cucumber").
test_command(/junit, "mvn test").
test_command(/testng, "mvn test").
test_command(/kotest, "./gradlew test").
test_command(/scalatest, "sbt test").
test_command(/phpunit, "vendor/bin/phpunit").
test_command(/pest, "vendor/bin/pest").
test_command(/dotnet_test, "dotnet test").
test_command(/xunit, "dotnet test").
test_command(/nunit, "dotnet test").
test_command(/ctest, "ctest").
test_command(/gtest, "ctest").
test_command(/catch2, "ctest").
test_command(/meson_test, "meson test").
test_command(/bazel_test, "bazel test //...").
test_command(/bats, "bats test").
test_command(/exunit, "mix test").
test_command(/swift_test, "swift test").
test_command(/flutter_test, "flutter test").
test_command(/dart_test, "dart test").
test_command(/zig_test, "zig build test").
test_command(/eunit, "rebar3 eunit").
test_command(/busted, "busted").

framework_found() :- test_framework(_).

advised_command(Command) :-
  in_force("framework_detection.mg"),
  test_framework(Framework),
  test_command(Framework, Command).

advice("framework_detection.mg", "no test framework was found: ask which one to use") :-
  in_force("framework_detection.mg"),
  !framework_found().
