# What kind of thing each action is. One thing has many names in the tools that models were trained on; the rules speak
# of classes, so a new name is one fact here. An action that is not in the list is unknown, and refused.

Decl action_class(Action, Class)
  descr [doc("an action, by any of its names, is of that class")]
  bound [/name, /name].

Decl class_of(Id, Class)
  descr [doc("the class of the pending action, or of one change of a set that is judged")]
  bound [/any, /name].

Decl class_known(Id)
  descr [doc("the pending action has a class")]
  bound [/any].

Decl class_covers(Class, Other)
  descr [doc("who may do the one may ask for the other")]
  bound [/name, /name].

Decl runs_command(Class)
  descr [doc("what such an action is given is a command or a name, not a path that it reaches")]
  bound [/name].

Decl in_workbench(Class)
  descr [doc("such an action is done in the workbench, and what it changed there is judged when it ends")]
  bound [/name].

Decl reading_method(Method)
  descr [doc("a method of HTTP that asks and sends nothing")]
  bound [/string].

Decl sends_more(Id)
  descr [doc("the action fetches by its name, and by its payload it sends")]
  bound [/any].

Decl target_is_text(Class)
  descr [doc("the target of such an action is said to somebody: no path, no command")]
  bound [/name].

Decl known_class(Class)
  descr [doc("some action is of the class")]
  bound [/name].

Decl unknown_action(Id)
  descr [doc("nothing is known of an action of this name")]
  bound [/any].

Decl writes_file(Id)
  descr [doc("the pending action, or the change, writes a file")]
  bound [/any].

Decl by_hand(Id)
  descr [doc("the one who acts writes the file himself, and no program that he runs")]
  bound [/any].

Decl needs_path(Class)
  descr [doc("such an action is about a file of the workspace")]
  bound [/name].

# /ask: asking and telling the person.
action_class(/ask_user, /ask).
action_class(/escalate_to_user, /ask).
action_class(/ask, /ask).
action_class(/clarify, /ask).
action_class(/notify_user, /ask).
action_class(/report_progress, /ask).
action_class(/explain_decision, /ask).
action_class(/request_approval, /ask).

# /read: one file, read.
action_class(/file_read, /read).
action_class(/read_file, /read).
action_class(/fs_read, /read).
action_class(/open_file, /read).
action_class(/view_file, /read).
action_class(/cat_file, /read).
action_class(/read_error_log, /read).
action_class(/read, /read).
action_class(/view, /read).
action_class(/file_view, /read).
action_class(/read_many_files, /read).

# /search: looking for files or places in them.
action_class(/search_files, /search).
action_class(/impact_analysis, /search).
action_class(/doc_parse, /search).
action_class(/search_code, /search).
action_class(/list_files, /search).
action_class(/list_dir, /search).
action_class(/ls, /search).
action_class(/glob, /search).
action_class(/glob_files, /search).
action_class(/grep, /search).
action_class(/find_files, /search).
action_class(/get_element, /search).
action_class(/get_elements, /search).
action_class(/query_elements, /search).
action_class(/query_symbols, /search).
action_class(/parse_ast, /search).
action_class(/code_graph, /search).
action_class(/check_syntax, /search).
action_class(/analyze_code, /search).
action_class(/analyze_root_cause, /search).
action_class(/refresh_scope, /search).
action_class(/close_scope, /search).
action_class(/get_impacted_tests, /search).
action_class(/vector_search, /search).
action_class(/knowledge_query, /search).
action_class(/research_cache_get, /search).
action_class(/kb_search, /search).
action_class(/db_query, /search).
action_class(/search, /search).
action_class(/list, /search).
action_class(/find, /search).
action_class(/file_list, /search).
action_class(/file_search, /search).
action_class(/list_directory, /search).
action_class(/read_directory, /search).
action_class(/find_references, /search).
action_class(/go_to_definition, /search).

# /write: one file, made or changed.
action_class(/file_write, /write).
action_class(/write_file, /write).
action_class(/fs_write, /write).
action_class(/create_file, /write).
action_class(/edit_file, /write).
action_class(/edit_lines, /write).
action_class(/insert_lines, /write).
action_class(/delete_lines, /write).
action_class(/edit_element, /write).
action_class(/append_file, /write).
action_class(/apply_patch, /write).
action_class(/generate_patch, /write).
action_class(/rename_file, /write).
action_class(/move_file, /write).
action_class(/copy_file, /write).
action_class(/make_dir, /write).
action_class(/mkdir, /write).
action_class(/write, /write).
action_class(/edit, /write).
action_class(/create, /write).
action_class(/update, /write).
action_class(/file_edit, /write).
action_class(/file_create, /write).
action_class(/file_append, /write).
action_class(/file_move, /write).
action_class(/file_copy, /write).
action_class(/file_rename, /write).
action_class(/str_replace, /write).
action_class(/str_replace_editor, /write).
action_class(/multi_edit, /write).
action_class(/notebook_edit, /write).

# /delete: files, removed.
action_class(/delete_file, /delete).
action_class(/file_delete, /delete).
action_class(/fs_delete, /delete).
action_class(/remove_file, /delete).
action_class(/delete_dir, /delete).
action_class(/remove_dir, /delete).
action_class(/rmdir, /delete).
action_class(/delete, /delete).
action_class(/remove, /delete).

# /run: a command line, in the workbench.
action_class(/shell_exec, /run).
action_class(/exec_cmd, /run).
action_class(/run_command, /run).
action_class(/bash, /run).
action_class(/shell, /run).
action_class(/sh, /run).
action_class(/exec, /run).
action_class(/execute_command, /run).
action_class(/terminal, /run).
action_class(/execute, /run).
action_class(/run, /run).
action_class(/command, /run).
action_class(/cmd, /run).
action_class(/exec_command, /run).
action_class(/run_shell, /run).
action_class(/shell_command, /run).

# /arbitrary: a command or code outside the workbench, approved as it stands.
action_class(/run_arbitrary_command, /arbitrary).
action_class(/run_code, /arbitrary).
action_class(/exec_code, /arbitrary).
action_class(/python_exec, /arbitrary).
action_class(/eval_code, /arbitrary).
action_class(/docker_run, /arbitrary).
action_class(/run_script, /arbitrary).

# /system: the machine itself.
action_class(/system_modify, /system).
action_class(/service_control, /system).
action_class(/kill_process, /system).
action_class(/set_environment, /system).
action_class(/chmod, /system).
action_class(/chown, /system).
action_class(/mount, /system).

# /test: the tests of the workspace.
action_class(/test_exec, /test).
action_class(/run_tests, /test).
action_class(/run_test, /test).
action_class(/test_single, /test).
action_class(/run_impacted_tests, /test).
action_class(/coverage_analyzer, /test).
action_class(/coverage, /test).
action_class(/campaign_run_test, /test).
action_class(/run_pytest, /test).

# /build: a build or a check of the workspace.
action_class(/build_check, /build).
action_class(/run_build, /build).
action_class(/build, /build).
action_class(/lint, /build).
action_class(/type_check, /build).
action_class(/format_check, /build).
action_class(/check_security, /build).
action_class(/compile_check, /build).
action_class(/run_mypy, /build).
action_class(/run_syntax_check, /build).

# /git: git, whatever follows.
action_class(/git, /git).
action_class(/git_operation, /git).
action_class(/git_command, /git).

# /git_read: git, looking only.
action_class(/git_diff, /git_read).
action_class(/git_log, /git_read).
action_class(/git_status, /git_read).
action_class(/git_show, /git_read).
action_class(/git_blame, /git_read).
action_class(/git_branch_list, /git_read).

# /git_commit: git, on this machine; undo takes it back.
action_class(/git_commit, /git_commit).
action_class(/git_add, /git_commit).
action_class(/git_branch, /git_commit).
action_class(/git_checkout, /git_commit).
action_class(/git_switch, /git_commit).
action_class(/git_stash, /git_commit).
action_class(/git_tag, /git_commit).
action_class(/commit, /git_commit).
action_class(/git_merge, /git_commit).
action_class(/merge, /git_commit).
action_class(/git_rebase, /git_commit).
action_class(/git_cherry_pick, /git_commit).
action_class(/git_revert, /git_commit).
action_class(/git_reset_hard, /git_commit).
action_class(/git_rewrite_history, /git_commit).

# /git_push: git, to another machine.
action_class(/git_push, /git_push).
action_class(/push, /git_push).

# /git_force: git, to another machine and over what others did.
action_class(/git_force, /git_force).
action_class(/git_force_push, /git_force).
action_class(/git_push_force, /git_force).

# /git_merge: git, bringing in what others did from another machine.
action_class(/merge_pull_request, /git_merge).
action_class(/git_pull, /git_merge).
action_class(/git_fetch, /git_merge).
action_class(/git_clone, /git_merge).

# /package: packages, installed or removed.
action_class(/package_install, /package).
action_class(/install_package, /package).
action_class(/install_packages, /package).
action_class(/pip_install, /package).
action_class(/npm_install, /package).
action_class(/add_dependency, /package).
action_class(/package_remove, /package).
action_class(/uninstall_package, /package).
action_class(/install, /package).
action_class(/uninstall, /package).

# /net: something fetched.
action_class(/web_fetch, /net).
action_class(/http_get, /net).
action_class(/download, /net).
action_class(/fetch_url, /net).
action_class(/browser_navigate, /net).
action_class(/fetch, /net).
action_class(/http_fetch, /net).

# /lookup: a question to a service that was set up beforehand, with no address in it.
action_class(/web_search, /lookup).
action_class(/context7, /lookup).
action_class(/context7_fetch, /lookup).
action_class(/browser_extract, /lookup).
action_class(/browser_screenshot, /lookup).
action_class(/browser_read_dom, /lookup).
action_class(/browser_close, /lookup).

# /send: something sent.
action_class(/http_post, /send).
action_class(/http_put, /send).
action_class(/http_delete, /send).
action_class(/http_patch, /send).
action_class(/http_request, /send).
action_class(/upload, /send).
action_class(/send_email, /send).
action_class(/send_message, /send).
action_class(/webhook, /send).
action_class(/publish, /send).
action_class(/browser_click, /send).
action_class(/browser_type, /send).
action_class(/deploy, /send).
action_class(/release, /send).

# /spend: money.
action_class(/spend, /spend).
action_class(/pay, /spend).
action_class(/buy, /spend).
action_class(/purchase, /spend).
action_class(/x402_payment, /spend).
action_class(/transfer, /spend).
action_class(/send_payment, /spend).
action_class(/payment, /spend).
action_class(/make_payment, /spend).

# /spawn: another agent.
action_class(/spawn_agent, /spawn).
action_class(/spawn_subagent, /spawn).
action_class(/delegate, /spawn).
action_class(/spawn, /spawn).

# /ddl: the agent's own tables and their rows.
action_class(/ddl, /ddl).
action_class(/schema_apply, /ddl).
action_class(/schema_extend, /ddl).
action_class(/migrate, /ddl).
action_class(/db_write, /ddl).

# /tool: tools of the library.
action_class(/tool_write, /tool).
action_class(/tool_update, /tool).
action_class(/tool_rollback, /tool).
action_class(/tool_delete, /tool).
action_class(/generate_tool, /tool).
action_class(/refine_tool, /tool).
action_class(/tool_call, /tool).
action_class(/exec_tool, /tool).
action_class(/compile, /tool).

# /library: using what the library has; whoever may write tools may use them.
action_class(/tool_use, /library).
action_class(/tool_find, /library).

# /promote: what the project itself consists of.
action_class(/promote_capability, /promote).
action_class(/stage_builtin, /promote).
action_class(/builtin_modify, /promote).

# /think: a computation that changes nothing.
action_class(/hypothesis_gen, /think).
action_class(/preflight, /think).
action_class(/review, /think).
action_class(/embed_text, /think).
action_class(/compress_context, /think).
action_class(/create_checkpoint, /think).

# /recall: the rest of what a tool said before in the same session.
action_class(/output_read, /recall).

# /memory: what the agent remembers.
action_class(/kb_ingest, /memory).
action_class(/remember, /memory).
action_class(/research_cache_set, /memory).
action_class(/update_world_model, /memory).
action_class(/todo_write, /memory).
action_class(/save_memory, /memory).

# /config: settings, limits and rules.
action_class(/config_write, /config).
action_class(/settings, /config).
action_class(/settings_write, /config).
action_class(/config_set, /config).
action_class(/set_config, /config).
action_class(/policy_write, /config).
action_class(/rule_write, /config).
action_class(/grant_add, /config).
action_class(/raise_limit, /config).
action_class(/persona_add, /config).

known_class(Class) :- action_class(_, Class).

# What only changes are: no action has such a name.
known_class(/product).
known_class(/git_state).

class_covers(/read, /search).
class_covers(/write, /delete).
class_covers(/run, /arbitrary).
class_covers(/run, /system).
class_covers(/run, /package).
class_covers(/run, /test).
class_covers(/run, /build).
class_covers(/git, /git_read).
class_covers(/git, /git_commit).
class_covers(/git, /git_push).
class_covers(/git, /git_force).
class_covers(/git, /git_merge).
class_covers(/net, /lookup).
class_covers(/net, /send).
class_covers(/tool, /library).

runs_command(/run).
runs_command(/arbitrary).
runs_command(/system).
runs_command(/test).
runs_command(/build).
runs_command(/git).
runs_command(/git_read).
runs_command(/git_commit).
runs_command(/git_push).
runs_command(/git_force).
runs_command(/git_merge).
runs_command(/package).

target_is_text(/ask).
target_is_text(/think).
target_is_text(/recall).
target_is_text(/spawn).
target_is_text(/tool).
target_is_text(/library).
target_is_text(/lookup).
target_is_text(/spend).

needs_path(/read).
needs_path(/write).
needs_path(/delete).

in_workbench(/run).
in_workbench(/test).
in_workbench(/build).
in_workbench(/git).
in_workbench(/git_read).
in_workbench(/git_commit).

reading_method("GET").
reading_method("HEAD").
reading_method("OPTIONS").

class_of(Id, Class) :-
  pending_action(Id, Action, _, _, _),
  action_class(Action, Class),
  !sends_more(Id).

class_of(Id, /send) :- sends_more(Id).

sends_more(Id) :-
  action_method(Id, Method),
  pending_action(Id, Action, _, _, _),
  action_class(Action, /net),
  !reading_method(Method).

sends_more(Id) :-
  action_body(Id),
  pending_action(Id, Action, _, _, _),
  action_class(Action, /net).

class_known(Id) :- class_of(Id, _).

unknown_action(Id) :-
  pending_action(Id, _, _, _, _),
  !class_known(Id).

by_hand(Id) :-
  pending_action(Id, _, _, _, _),
  class_of(Id, /write).

writes_file(Id) :- by_hand(Id).

# A directory by itself holds nothing.
writes_file(Id) :-
  pending_change(Id, _, /file, _),
  class_of(Id, /write).

writes_file(Id) :-
  pending_change(Id, _, /link, _),
  class_of(Id, /write).
