# Completion of mayfly for fish. Written by: mayfly completion fish
function __mayfly_at
    set -l place ""
    set -l typed (commandline -opc)
    for word in $typed[2..]
        if contains -- "$place $word" @@places
            set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
@@words
