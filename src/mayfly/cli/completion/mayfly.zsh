#compdef mayfly
# Completion of mayfly for zsh. Written by: mayfly completion zsh
_mayfly() {
    local place="" word
    local -a found
    for word in "${(@)words[2,CURRENT-1]}"; do
        case "$place $word" in
        @@places) place="$place $word" ;;
        esac
    done
    case "$place ${words[CURRENT-1]}" in
@@choices
    *)
        case "$place" in
@@words
        esac
        ;;
    esac
    _describe 'mayfly' found
    [[ ${words[CURRENT]} == -* ]] || _files
}
if [ "$funcstack[1]" = "_mayfly" ]; then
    _mayfly "$@"
else
    compdef _mayfly mayfly
fi
