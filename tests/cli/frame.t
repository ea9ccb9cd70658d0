The frame of the program: help, words and options that all verbs share, and what it says of wrong ones.

`drx help`, `drx -h` and `drx --help` print the overview. Each verb prints its own help in three ways.
  $ drx --help > overview; drx help | cmp - overview; drx -h | cmp - overview
  $ verbs=$(sed -n 's/^  \([a-z-]*\)  *[A-Z].*/\1/p' overview); echo $verbs
  create extend append prepend trim add-axis retime write read info log map view import export add attr rename refs copy advise mv cp rm chmod check compact dap run
  $ for verb in ${verbs%run}; do
  >   drx $verb --help > help; drx help $verb | cmp - help; drx $verb some words -h | cmp - help
  >   for part in "^Usage: drx $verb " '^Options:$' '^Examples:$' "^  drx $verb "; do
  >     grep -q "$part" help || echo "drx $verb --help has no '$part'"
  >   done
  >   awk 'length > 100' help
  > done
  $ drx --version
  drx 0.1.0

A verb that is not there. One that is near is offered.
  $ misused
  drx: no verb is given; 'drx --help' lists the verbs
  $ for verb in grow --grow x ''; do misused "$verb"; done | alike; misused help grow
  drx: unknown verb 'grow'; 'drx --help' lists the verbs
  drx: unknown option '--grow'; 'drx --help' lists the verbs
  drx: unknown verb 'x', ''; 'drx --help' lists the verbs
  drx: unknown verb 'grow'; 'drx --help' lists the verbs
  $ for verb in infp creat exprot Read adivse compactt xport cpoy; do misused $verb; misused help $verb; done | uniq | alike
  drx: unknown verb 'infp'; did you mean 'info'?
  drx: unknown verb 'creat'; did you mean 'create'?
  drx: unknown verb 'exprot'; did you mean 'export'?
  drx: unknown verb 'Read'; did you mean 'read'?
  drx: unknown verb 'adivse'; did you mean 'advise'?
  drx: unknown verb 'compactt'; did you mean 'compact'?
  drx: unknown verb 'xport'; did you mean 'export'?
  drx: unknown verb 'cpoy'; did you mean 'copy'?

A mistyped option or value.
  $ misused create a --shpae; misused create a --chekcsum=3; misused read a --ordre; misused info a --recursiv1
  drx create: unknown option --shpae; did you mean --shape?
  drx create: unknown option --chekcsum=3; did you mean --checksum?
  drx read: unknown option --ordre; did you mean --order?
  drx info: unknown option --recursiv1; did you mean --recursive?
  $ misused map a --jsno; misused rm a --hlep; misused view a --colors diverginf; echo *
  drx map: unknown option --jsno; did you mean --json?
  drx rm: unknown option --hlep; did you mean --help?
  drx view: --colors 'diverginf' is unknown; give sequential, diverging, grey or cyclic. Did you mean 'diverging'?
  help overview

A word is missing, or there is one too many.
  $ for words in 'create --shape 3' 'extend a 0' 'append a 0' 'prepend a 0' 'add-axis a 0' 'write --at 0 a' read map view \
  >     'import a' 'export a' 'copy a' 'mv a' mv 'cp a' cp rm 'chmod 644' chmod check; do misused $words; done
  drx create: PATH is missing; the usage is drx create PATH --shape N,N,... [OPTION ...]
  drx extend: BY is missing; the usage is drx extend PATH AXIS BY [--before] [--shared]
  drx append: FILE is missing; the usage is drx append PATH AXIS FILE [--shared]
  drx prepend: FILE is missing; the usage is drx prepend PATH AXIS FILE [--shared]
  drx add-axis: NAME is missing; the usage is drx add-axis PATH AT NAME
  drx write: FILE is missing; the usage is drx write PATH --at I,I,... [--shared] FILE
  drx read: PATH is missing; the usage is drx read PATH[SELECTION] [OPTION ...]
  drx map: PATH is missing; the usage is drx map PATH [--index I,I,... | --address N] [--json] [--all] | PATH -o FILE.svg
  drx view: PATH is missing; the usage is drx view PATH[SELECTION] [-o FILE.png | --terminal] [OPTION ...]
  drx import: PATH is missing; the usage is drx import SOURCE[:VARIABLE] ... PATH [OPTION ...]
  drx export: TARGET is missing; the usage is drx export PATH[SELECTION] TARGET[:VARIABLE] [OPTION ...]
  drx copy: TARGET is missing; the usage is drx copy SOURCE TARGET [OPTION ...]
  drx mv: TARGET is missing; the usage is drx mv SOURCE... TARGET [--force]
  drx mv: SOURCE is missing; the usage is drx mv SOURCE... TARGET [--force]
  drx cp: TARGET is missing; the usage is drx cp SOURCE... TARGET [--force]
  drx cp: SOURCE is missing; the usage is drx cp SOURCE... TARGET [--force]
  drx rm: PATH is missing; the usage is drx rm PATH... [--force]
  drx chmod: PATH is missing; the usage is drx chmod MODE PATH...
  drx chmod: MODE is missing; the usage is drx chmod MODE PATH...
  drx check: PATH is missing; the usage is drx check PATH... [--repair] [--json]
  $ for words in 'create --shape 3' 'extend a 0' 'append a 0' 'prepend a 0' 'add-axis a 0' 'write --at 0 a' read map view \
  >     'export a' 'copy a'; do misused $words 1 2 3 4; done
  drx create: unexpected word '2'; the usage is drx create PATH --shape N,N,... [OPTION ...]
  drx extend: unexpected word '2'; the usage is drx extend PATH AXIS BY [--before] [--shared]
  drx append: unexpected word '2'; the usage is drx append PATH AXIS FILE [--shared]
  drx prepend: unexpected word '2'; the usage is drx prepend PATH AXIS FILE [--shared]
  drx add-axis: unexpected word '2'; the usage is drx add-axis PATH AT NAME
  drx write: unexpected word '2'; the usage is drx write PATH --at I,I,... [--shared] FILE
  drx read: unexpected word '2'; the usage is drx read PATH[SELECTION] [OPTION ...]
  drx map: unexpected word '2'; the usage is drx map PATH [--index I,I,... | --address N] [--json] [--all] | PATH -o FILE.svg
  drx view: unexpected word '2'; the usage is drx view PATH[SELECTION] [-o FILE.png | --terminal] [OPTION ...]
  drx export: unexpected word '2'; the usage is drx export PATH[SELECTION] TARGET[:VARIABLE] [OPTION ...]
  drx copy: unexpected word '2'; the usage is drx copy SOURCE TARGET [OPTION ...]

Options that are not there, also in a word that getopt has not passed.
  $ for verb in ${verbs%run}; do misused $verb --wrong; misused $verb a -x; misused $verb '' -xz; done |
  >     sed 's/^drx \([a-z-]*\): unknown option -\(-wrong\|x\); the options are .*--help$/\1/' | uniq | diff - <(echo "${verbs%?run}")
  $ misused info a --json=3; misused create a --shape; misused create a --sh 3; misused read a -o
  drx info: option --json=3 takes no value; give --json
  drx create: option --shape needs a value
  drx create: option --sh is ambiguous; give --shape or --shell or --shuffle
  drx read: option -o needs a value

A path that is a folder, or a selection that has no end.
  $ mkdir folder; refused read folder; refused read 'a[0'
  drx read: folder: is a folder, not an array; 'drx info folder' lists arrays
  drx read: a[0: no such array; a selection ends with a bracket, as in PATH[SELECTION]

Options may be before words, between them, abbreviated, and end by --.
  $ drx create --shape 3 a --type=int8; drx info --json -- a > 1; drx info --js a | cmp - 1; drx info a --json | cmp - 1
  $ drx create --shape 3 -- -dash; drx info ./-dash | head -2
  path       ./-dash
  shape      3

Standard files that are closed.
  $ drx map a >&-
  drx map: standard output: cannot write: Bad file descriptor
  [1]
  $ drx create b --shape 3 --fill 7 <&- >&- 2>&-; drx extend b 0 2 <&- >&- 2>&-; drx read b
  _  _  _  _  _
