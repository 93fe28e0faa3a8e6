# Completion of mayfly for bash. Written by: mayfly completion bash
_mayfly() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} place="" words="" index
    for ((index = 1; index < COMP_CWORD; index++)); do
        case "$place ${COMP_WORDS[index]}" in
        @@places) place="$place ${COMP_WORDS[index]}" ;;
        esac
    done
    case "$place $before" in
@@choices
    *)
        case "$place" in
@@words
        esac
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
# Where none of the words fits, names of files do.
complete -o default -F _mayfly mayfly ./mayfly
