# Completion of drx for bash 4.4 or later, with or without the package bash-completion.
#
# Verbs, options and what their values are come from `drx --help` and `drx VERB --help`
# of the program that is on the command line; names of axes from the array.

# The text that a word of the shell, perhaps unfinished, stands for; in REPLY.
_drx_unquote() {
    local text=$1 out='' quote='' c i
    for ((i = 0; i < ${#text}; i++)); do
        c=${text:i:1}
        if [[ $quote == "'" && $c != "'" ]]; then
            out+=$c
        elif [[ $c == "\\" && ($quote != '"' || ${text:i+1:1} == [\"\\\$\`]) ]]; then
            ((i++))
            out+=${text:i:1}
        elif [[ $c == "$quote" ]]; then
            quote=
        elif [[ -z $quote && ($c == "'" || $c == '"') ]]; then
            quote=$c
        else
            out+=$c
        fi
    done
    REPLY=$out
}

# Candidates for `$value` go into `found`: the words given that begin with it.
_drx_words() {
    local word
    for word; do
        [[ $word == "$value"* ]] && found+=("$word")
    done
}

# The same, to be quoted here, since readline quotes only names of files.
_drx_texts() {
    local word
    for word; do
        [[ $word == "$value"* ]] || continue
        [[ $current == [\"\']* ]] || printf -v word '%q' "$word"
        word=${word//\\,/,} # which needs no quoting
        found+=("$word")
    done
}

# The names in a dataset of the kinds given: `dims`, `groups`, `variables`; in `names`.
_drx_parts() {
    local folder=$1 kinds=$2 line kind='' name
    names=()
    while IFS= read -r line; do
        if [[ $line =~ ^'  "'([a-z]+)'": {' ]]; then
            kind=${BASH_REMATCH[1]}
        elif [[ " $kinds " == *" $kind "* && $line =~ ^'    "'((\\.|[^\"\\])*)'": {' ]]; then
            name=${BASH_REMATCH[1]//\\\"/\"}
            names+=("${name//\\\\/\\}")
        fi
    done < <(command "$program" info --json -- "$folder" 2>/dev/null)
}

# The next part of a path that leads into a dataset: variables and groups, whatever the
# names of their files.
_drx_members() {
    local place=${1%"${1##*/}"} inside='' name
    local folder=${place%/}
    local -a names=()
    while [[ ! -e ${folder:-.}/dataset.xds ]]; do
        [[ $folder ]] || return
        inside=${folder##*/}/$inside
        [[ $folder == */* ]] && folder=${folder%/*} || folder=
        [[ $folder || $place != /* ]] || return
    done
    _drx_parts "${folder:-.}" 'groups variables'
    for name in "${names[@]}"; do
        [[ $name == "$inside"* ]] || continue
        name=$place${name#"$inside"}
        [[ $name == "$1"* && ${name#"$place"} != */* ]] && printf '%s\0' "$name"
    done
    return 0
}

# Folders, and names that match one of the patterns: `*` any, `*.xmd` arrays, which lose
# the suffix, and in a dataset its variables and groups.
_drx_names() {
    local pattern=$1 name before='' after=$value
    compopt -o filenames 2>/dev/null
    # shellcheck disable=SC2088 # it is expanded here
    [[ $value == '~/'* ]] && before=$HOME after=${value:1}
    while IFS= read -r -d '' name; do
        [[ $name ]] || continue
        name=${name#"$before"}
        [[ $pattern == '*.xmd' ]] && name=${name%.x??}
        [[ $before ]] && name="~$name"
        found+=("${name%/}")
    done < <(set +f
        shopt -u failglob
        shopt -s nullglob
        [[ $pattern == '*.xmd' ]] && _drx_members "$before$after" && exit
        for name in "$before$after"*/; do printf '%s\0' "$name"; done
        [[ $pattern == '*/' ]] || for name in "$before$after"$pattern; do
            [[ -d $name ]] || printf '%s\0' "$name"
        done)
}

# The axes of the array `$array`: names, and numbers where there is no name or the same
# one twice, or a digit is there already.
_drx_axes() {
    local line rest='' name i before=''
    local -a names=() axes=()
    local -A times=()
    [[ $array ]] || return
    if [[ $1 == one && -e $array/dataset.xds ]]; then
        _drx_parts "$array" dims
        _drx_texts "${names[@]}"
        return
    fi
    while IFS= read -r line; do
        [[ $line == '  "dims": ['* ]] && rest=${line#*\[} && break
    done < <(command "$program" info --json -- "$array" 2>/dev/null)
    while [[ $rest =~ ^[,\ ]*(null|\"((\\.|[^\"\\])*)\") ]]; do
        name=${BASH_REMATCH[2]}
        rest=${rest:${#BASH_REMATCH[0]}}
        name=${name//\\\"/\"}
        [[ ${name//\\\\/} == *\\* ]] && name= # a control character
        name=${name//\\\\/\\}
        names+=("$name")
        [[ $name ]] && times[$name]=$((${times[$name]:-0} + 1))
    done
    [[ $1 == several && $value == *,* ]] && before=${value%,*},
    for i in "${!names[@]}"; do
        name=${names[i]}
        if [[ -z $name || ${value#"$before"} == [0-9]* || ${times[$name]} -gt 1 ]]; then
            name=$i
        fi
        axes+=("$before$name")
    done
    [[ $1 == several ]] && compopt -o nospace 2>/dev/null
    _drx_texts "${axes[@]}"
}

# What a word of `drx --help` stands for: PATH, C|F, ...
_drx_value() {
    local -a choices names
    case $1 in
    *'|'*)
        IFS='|' read -ra choices <<<"$1"
        _drx_words "${choices[@]}"
        ;;
    PATH* | ARRAY* | SRC* | DST*) _drx_names '*.xmd' ;;
    FILE* | SOURCE* | TARGET* | ARGUMENT*) _drx_names '*' ;;
    DIR* | FOLDER* | DATASET*) _drx_names '*/' ;;
    AXIS*) _drx_axes one ;;
    OLD)
        _drx_parts "$array" 'dims groups variables'
        _drx_texts "${names[@]}"
        ;;
    A,B*) _drx_axes several ;;
    =*) _drx_words "${1#=}" ;; # this very word
    TYPE) _drx_words int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool complex64 complex128 ;;
    VERB) _drx_words "${verbs[@]}" ;;
    PROGRAM)
        [[ $value == */* ]] && _drx_names '*' && return
        mapfile -t choices < <(compgen -c -- "$value")
        _drx_words "${choices[@]}"
        ;;
    esac
}

# Read the help of `$verb`: `options` with what each takes, and the `kinds` of words.
_drx_read_help() {
    local line usage='' token skip='' opens closes depth=0
    local -a tokens
    local option='^  (-([a-zA-Z]), )?(--[a-z0-9-]+)(\[=[^ ]*)?( ([^ ]+))?( |$)'
    while IFS= read -r line; do
        if [[ $line == "Usage: drx $verb "* ]]; then
            usage=${line#"Usage: drx $verb "}
        elif [[ $line =~ $option ]]; then
            options[${BASH_REMATCH[3]}]=${BASH_REMATCH[6]}
            [[ ${BASH_REMATCH[2]} ]] && options[-${BASH_REMATCH[2]}]=${BASH_REMATCH[6]}
        fi
    done < <(command "$program" "$verb" --help 2>/dev/null)
    [[ $verb == help ]] && usage=VERB
    read -ra tokens <<<"$usage"
    for token in "${tokens[@]}"; do
        opens=${token//[^[]/} closes=${token//[^]]/}
        token=${token#[} token=${token%]}
        if [[ $skip ]]; then # the value of an option
            skip=
        elif [[ $token == '|' && $depth == 0 ]]; then
            break
        elif [[ $token == -* ]]; then
            skip=${options[$token]}
        elif [[ $token == ... ]]; then
            repeated=${kinds[*]: -1}
        elif [[ $token == [a-z]* ]]; then
            kinds+=("=$token")
        elif [[ $token == [A-Z]* && $token != OPTION ]]; then
            kinds+=("$token")
            [[ $token == *... ]] && repeated=$token
        fi
        ((depth += ${#opens} - ${#closes}))
    done
}

# The words up to the cursor without the breaks at = and : that readline makes; `lead`
# is what of the last one comes before its last break.
_drx_join_words() {
    local line=$COMP_LINE word spaced i
    words=() lead=
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        spaced=1
        if [[ $COMP_LINE && $i -gt 0 ]]; then
            [[ $line == [[:space:]]* ]] || spaced=
            line=${line#"${line%%[![:space:]]*}"}
        fi
        line=${line#"$word"}
        if [[ $spaced ]]; then
            words+=("$word")
            lead=
        else
            lead=${words[-1]}
            words[-1]+=$word
        fi
    done
    [[ $spaced || ! $word =~ ^[=:]+$ ]] || lead=${words[-1]}
}

_drx() {
    local program verb='' current value lead array='' repeated='' expected='' REPLY word i nwords=0 ended=''
    local -a words=() verbs=() kinds=() found=()
    local -A options=()
    COMPREPLY=()
    _drx_join_words
    program=${words[0]}
    command -v -- "$program" >/dev/null || program=drx
    current=${words[-1]}
    _drx_unquote "$current"
    value=$REPLY
    _drx_unquote "$lead"
    lead=$REPLY
    while IFS= read -r word; do
        [[ $word =~ ^\ \ ([a-z-]+)\  ]] && verbs+=("${BASH_REMATCH[1]}")
    done < <(command "$program" --help 2>/dev/null)
    if ((${#words[@]} == 2)); then
        _drx_words "${verbs[@]}" help --help --version
    else
        verb=${words[1]}
        _drx_read_help
        for ((i = 2; i < ${#words[@]} - 1; i++)); do
            _drx_unquote "${words[i]}"
            if [[ $expected ]]; then
                expected=
            elif [[ ! $ended && $REPLY == -- ]]; then
                ended=1
            elif [[ ! $ended && $REPLY == -?* && $REPLY != -[0-9]* ]]; then
                expected=${options[$REPLY]}
            else
                ((nwords++)) || array=$REPLY
                [[ ${kinds[nwords - 1]} == PROGRAM ]] && ended=1 # the rest is its own
            fi
        done
        if [[ $expected ]]; then
            _drx_value "$expected"
        elif [[ ! $ended && $value == --*=* ]]; then
            word=${value%%=*}
            value=${value#*=}
            lead=${lead#"$word="}
            [[ $current == *=* ]] && current=${current#*=}
            _drx_value "${options[$word]:-none}"
        elif [[ ! $ended && $value == -* ]]; then
            _drx_words "${!options[@]}"
        else
            _drx_value "${kinds[nwords]:-${repeated:-none}}"
        fi
    fi
    for word in "${found[@]}"; do
        COMPREPLY+=("${word#"$lead"}")
    done
}

complete -F _drx drx
