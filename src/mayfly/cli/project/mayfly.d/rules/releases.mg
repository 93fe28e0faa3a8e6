# What is released is written by a person or a script, never by an agent.
#
# Try it:   mayfly permit file_write releases/1.txt
# Test it:  mayfly policy test mayfly.d/rules
policy_denies(Id, "releases/ is not written by agents") :-
  writes_file(Id),
  action_path_part(Id, "releases").
