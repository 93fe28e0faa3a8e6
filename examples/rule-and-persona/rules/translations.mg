# Who translates leaves the original alone.
policy_denies(Id, "the translator writes files of other languages only") :-
  acting(/translator),
  writes_file(Id),
  action_path_part(Id, "readme.md").
