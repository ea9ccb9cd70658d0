drx dap check: exports of the Distributed Array Protocol that fit together, and each way in which they do not.

An export of each rank in JSON. Axes are block, cyclic or unstructured; {} is not distributed.
  $ axis() { printf '{"dist_type": "%s", "size": %s, "proc_grid_size": %s, "proc_grid_rank": %s, %s}' "$@"; } # TYPE SIZE RANKS RANK MORE
  $ b() { axis b $1 $4 $5 "\"start\": $2, \"stop\": $3$6"; } # SIZE START STOP RANKS RANK [MORE]
  $ c() { axis c $1 $2 $3 "\"start\": $(($3 * ${4-1}))${4+, \"block_size\": $4}$5"; } # SIZE RANKS RANK [BLOCK [MORE]]
  $ u() { axis u $1 $2 $3 "\"indices\": [$4]$5"; } # SIZE RANKS RANK INDICES [MORE]
  $ of() { shape=$1; shift; (IFS=,; printf '{"__version__": "0.10.0", "buffer": {"shape": [%s], "typestr": "<f8"}, "dim_data": [%s]}' "$shape" "$*"); }
  $ ranks() { n=0; printf {; for export; do printf '%s"%s": %s' "${sep-}" $n "$export"; n=$((n + 1)); sep=,; done; sep=; printf }; }
  $ good() { ranks "$@" > good.json; drx dap check good.json; }

Padded periodic blocks over 2, cyclic in blocks of 2 over 3, and an axis that is not distributed.
  $ more=', "padding": [1, 1], "periodic": true'
  $ exports=(); for i in 0 1; do for j in 0 1 2; do
  >   exports+=("$(of 21,$((j < 2 ? 3 - j : 2)),9 "$(b 40 $((19 * i)) $((21 + 19 * i)) 2 $i "$more")" "$(c 7 3 $j 2)" {})"); done; done
  $ exports[0]=${exports[0]/21,3/21,3}; good "${exports[@]}"; cp good.json 2x3.json; drx dap check good.json --json | grep 'form\|typestr'; drx dap check - < good.json | head -1
  good.json: good: 6 ranks, grid 2 x 3 x 1, <f8
    axis 0: size 40 over 2, block, 20 each, boundary padding 1 and 1, communication padding 1, periodic
    axis 1: size 7 over 3, cyclic in blocks of 2, 2 to 3 each
    axis 2: size 9, undistributed
      "typestr": "<f8",
        {"dist_type": "b", "size": 40, "proc_grid_size": 2, "owned": [20, 20], "form": "b 0 20 40 padding 1 1 1 periodic"},
        {"dist_type": "c", "size": 7, "proc_grid_size": 3, "owned": [2, 3], "form": "c 7 over 3 block 2"},
        {"dist_type": "b", "size": 9, "proc_grid_size": 1, "owned": [9, 9], "form": "{} 9"}
  standard input: good: 6 ranks, grid 2 x 3 x 1, <f8

Paddings as in the protocol's text, what is left out, and indices in any order.
  $ good "$(of 11 "$(b 40 0 11 4 0 ', "padding": [4, 1]')")" "$(of 13 "$(b 40 9 22 4 1 ', "padding": [1, 2]')")" \
  >   "$(of 15 "$(b 40 18 33 4 2 ', "padding": [2, 3]')")" "$(of 13 "$(b 40 27 40 4 3 ', "padding": [3, 0]')")"
  good.json: good: 4 ranks, grid 4, <f8
    axis 0: size 40 over 4, block, 10 each, boundary padding 4 and 0, communication padding 1 to 3
  $ good "$(of 3 "$(c 5 2 0)")" "$(of 2 "$(c 5 2 1)")"; good "$(of 2 "$(u 4 2 0 7,-1)")" "$(of 2 "$(u 4 2 1 2,7)")"
  good.json: good: 2 ranks, grid 2, <f8
    axis 0: size 5 over 2, cyclic, 2 to 3 each
  good.json: good: 2 ranks, grid 2, <f8
    axis 0: size 4 over 2, unstructured, 2 each
  $ good "$(of 2 "$(u 2 1 0 7,-1 ', "one_to_one": true')")"; good "$(of '')"; good "$(of 0 {})"
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 2, undistributed, in any order, one to one
  good.json: good: 1 rank, <f8
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 0, undistributed

Corners: empty sections, starts beyond the size and clamped ones, keys that are not known, texts of any length.
  $ good "$(of 1 "$(b 2 0 1 4 0)")" "$(of 1 "$(b 2 1 2 4 1)")" "$(of 0 "$(b 2 2 2 4 2)")" "$(of 0 "$(b 2 2 2 4 3)")"
  good.json: good: 4 ranks, grid 4, <f8
    axis 0: size 2 over 4, block, 0 to 1 each
  $ good "$(of 0 "$(b 0 0 0 2 0)")" "$(of 0 "$(b 0 0 0 2 1)")"
  good.json: good: 2 ranks, grid 2, <f8
    axis 0: size 0 over 2, block, 0 each
  $ cyclic() { good "$(of 2 "$(c 3 4 0 2)")" "$(of 1 "$(c 3 4 1 2)")" "$(of 0 "$(c 3 4 2 2)")" "$(of 0 "$(c 3 4 3 2)")"; }; cyclic
  good.json: good: 4 ranks, grid 4, <f8
    axis 0: size 3 over 4, cyclic in blocks of 2, 0 to 2 each
  $ sed 's/"start": [46]/"start": 3/g' good.json > clamped.json; drx dap check clamped.json
  clamped.json: good: 4 ranks, grid 4, <f8
    axis 0: size 3 over 4, cyclic in blocks of 2, 0 to 2 each
  $ good "$(of 8 "$(b 8 0 8 1 0 ', "padding": [2, 3], "periodic": true')")"; good "$(of 5 {} | sed s/0.10.0/0.9.3/)"
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 8, undistributed, boundary padding 2 and 3, periodic
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 5, undistributed
  $ good "$(of 5 "$(b 5 0 5 1 0 ', "color": "red", "other": {"a": [1]}')")"; good "$(of 5 "$(c 5 1 0 1 ', "padding": [9, 9], "stop": "x"')")"
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 5, undistributed
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 5, undistributed
  $ good "$(of 5 "$(b 5 0 5 1 0 ", \"name\": \"$(printf 'ä€%.0s' {1..100000})\"")")"
  good.json: good: 1 rank, grid 1, <f8
    axis 0: size 5, undistributed
  $ good "$(of 5 {} | sed 's/<f8"/<M8[ns]", "strides": [8]/')"; sed 's/\[1, 1\]/[0, 1]/' 2x3.json > other.json; drx dap check other.json
  good.json: good: 1 rank, grid 1, <M8[ns]
    axis 0: size 5, undistributed
  other.json: good: 6 ranks, grid 2 x 3 x 1, <f8
    axis 0: size 40 over 2, block, 20 each, boundary padding 0 and 1, communication padding 1, periodic
    axis 1: size 7 over 3, cyclic in blocks of 2, 2 to 3 each
    axis 2: size 9, undistributed
  $ for i in {0..89}; do rows+=("$(b 900 $((10 * i)) $((10 * i + 10)) 90 $i)"); columns+=("$(c 100 90 $i)"); done
  $ wide="$(of 10,2 ROW COLUMN)" narrow="$(of 10,1 ROW COLUMN)"; exports=(); for row in "${rows[@]}"; do for j in {0..89}; do
  >   ((j < 10)) && export=$wide || export=$narrow; export=${export/ROW/"$row"}; exports+=("${export/COLUMN/"${columns[j]}"}"); done; done; good "${exports[@]}"
  good.json: good: 8100 ranks, grid 90 x 90, <f8
    axis 0: size 900 over 90, block, 10 each
    axis 1: size 100 over 90, cyclic, 1 to 2 each

Files that are not there, or hold no JSON, or another value.
  $ refused dap check nowhere.json; refused dap check .
  drx dap: nowhere.json: no such file
  drx dap: .: cannot read: Is a directory
  $ wrong() { printf "%b" "$1" > wrong.json; refused dap check wrong.json; }
  $ for text in '' ' ' '{' '{"0": {' '{"0' '"0' tru '\0' '{"0": 5}\0' '{"0":\n {"a" 1}}' '{"0": {}} {}' null 5 '[1]' '{}'; do wrong "$text"; done | alike 'column [0-9]*|[^ ]*(?=, expected)'
  drx dap: wrong.json: line 1, column 1, column 2, column 2, column 8, column 4, column 3, column 4, column 1: unexpected end of data
  drx dap: wrong.json: line 1, column 9: more text after the value
  drx dap: wrong.json: line 2, column 7: object property name separator ':' expected
  drx dap: wrong.json: line 1, column 11: more text after the value
  drx dap: wrong.json: line 1, column 5: null instead of an object
  drx dap: wrong.json: 5, [1], {}, expected an object with an export for each rank

Ranks are the keys.
  $ one=$(of 2 "$(b 4 0 2 2 0)"); two=$(of 2 "$(b 4 2 4 2 1)")
  $ for key in 2 01 one '' -1; do wrong "{\"0\": $one, \"$key\": $two}"; done | alike '".*"'; wrong "{\"0\": $one, \"1\": 5}"
  drx dap: wrong.json: rank 1: missing; 2 keys stand for the ranks 0 to 1
  drx dap: wrong.json: rank 1: missing; 2 keys stand for the ranks 0 to 1
  drx dap: wrong.json: key "one", "", "-1", expected a rank
  drx dap: wrong.json: rank 1: 5, expected an object with __version__, buffer and dim_data

Three keys are in each export. `as` changes an export by sed.
  $ as() { ranks "$1" | sed "$2" > wrong.json; refused dap check wrong.json | sed 's/^drx dap: wrong.json: //'; }; values='[a-z_]*: .*(?=, expected)'; one=$(of 3 {})
  $ as "$one" 's/"__version__": "0.10.0", //'; as "$one" 's/"buffer": {[^}]*}, //'; as "$one" 's/, "dim_data": \[{}\]//'; as "$one" 's/"buf/"name": "x", &/'
  rank 0, __version__: missing
  rank 0, buffer: missing
  rank 0, dim_data: missing
  rank 0, name: unexpected; give only __version__, buffer and dim_data
  $ for version in '"0.10"' '"0.10.0.0"' '"0.10.x"' '""' '"0.10."' '".1.2"' '" 0.10.0"' '"0.10.0 "' 0.1 '["0.10.0"]' '"4294967296.10.0"' '"1.0.0"'; do
  >   as "$one" "s/\"0.10.0\"/$version/"; done | alike "$values"
  rank 0, __version__: "0.10", __version__: "0.10.0.0", __version__: "0.10.x", __version__: "", __version__: "0.10.", __version__: ".1.2", __version__: " 0.10.0", __version__: "0.10.0 ", __version__: 0.1, __version__: ["0.10.0"], __version__: "4294967296.10.0", expected "major.minor.patch", such as "0.10.0"
  rank 0, __version__: 1.0.0, expected 0.x.x, as 0.10.0
  $ for buffer in '[3]' '{"typestr": "<f8"}' '{"shape": [3]}'; do as "$one" "s/\"buffer\": {[^}]*}/\"buffer\": $buffer/"; done
  rank 0, buffer: [3], expected an object with shape and typestr
  rank 0, buffer: shape is missing
  rank 0, buffer: typestr is missing
  $ for shape in 3 [3.0] [-3] [4611686018427387904] [18446744073709551616]; do as "$one" "s/\[3\]/$shape/"; done
  rank 0, shape: 3, expected a list of whole numbers
  rank 0, shape: 3.0, expected a whole number
  rank 0, axis 0, shape: less than 0
  rank 0, shape: the bytes of the section do not fit 64 bits
  rank 0, shape: a number that does not fit in 64 bits
  $ for type in '"f8"' '"<f"' '"<q8"' '"<f8x"' '"<f9999999999"' 8 '"|V0"'; do as "$one" "s/\"<f8\"/$type/"; done | alike "$values"
  rank 0, typestr: "f8", typestr: "<f", typestr: "<q8", typestr: "<f8x", typestr: "<f9999999999", typestr: 8, expected NumPy's name of a type, such as "<f8"
  rank 0, itemsize: 0 bytes, expected at least 1
  $ for axes in {} [] '[{}, {}]' '[5]'; do as "$one" "s/\[{}\]/$axes/"; done
  rank 0, dim_data: {}, expected a list of dictionaries
  rank 0, dim_data: 0 dictionaries, expected 1, one for each axis of the buffer
  rank 0, dim_data: 2 dictionaries, expected 1, one for each axis of the buffer
  rank 0, axis 0, dim_data: 5, expected a dictionary

Keys of axes that are missing, and values of another kind.
  $ for axis in "$(b 3 0 3 1 0)" "$(c 3 1 0 1)" "$(u 3 1 0 5,6,7)"; do
  >   for key in $(grep -o '"[a-z_]*":' <<< "$axis" | grep -v block_size); do as "$(of 4,3 {} "$axis")" "s/$key \(\[[^]]*\]\|[^],}]*\),\? \?//; s/, }/}/"; done
  > done | sort | uniq -c
        3 rank 0, axis 1, dist_type: missing
        1 rank 0, axis 1, indices: missing
        3 rank 0, axis 1, proc_grid_rank: missing
        3 rank 0, axis 1, proc_grid_size: missing
        3 rank 0, axis 1, size: missing
        2 rank 0, axis 1, start: missing
        1 rank 0, axis 1, stop: missing
  $ one=$(of 3 "$(b 3 0 3 1 0 ', "padding": [0, 0], "periodic": false')")
  $ for value in 3.0 '"3"' true '[3]'; do
  >   for key in size proc_grid_size proc_grid_rank start stop; do as "$one" "s/\"$key\": [0-9]*/\"$key\": $value/"; done
  > done | alike "$values"
  rank 0, axis 0, size: 3.0, proc_grid_size: 3.0, proc_grid_rank: 3.0, start: 3.0, stop: 3.0, size: "3", proc_grid_size: "3", proc_grid_rank: "3", start: "3", stop: "3", size: true, proc_grid_size: true, proc_grid_rank: true, start: true, stop: true, size: [3], proc_grid_size: [3], proc_grid_rank: [3], start: [3], stop: [3], expected a whole number
  $ for value in 0 [0] '[0, 0, 0]' '"00"' '[0, true]' '{"a": 1}'; do as "$one" "s/\[0, 0\]/$value/"; done | alike "$values"
  rank 0, axis 0, padding: 0, padding: [0], padding: [0,0,0], padding: "00", expected a list of two whole numbers
  rank 0, axis 0, padding: true, expected a whole number
  rank 0, axis 0, padding: {"a":1}, expected a list of two whole numbers
  $ for value in 0 1 '"true"' []; do as "$one" "s/false/$value/"; done | alike "$values"
  rank 0, axis 0, periodic: 0, periodic: 1, periodic: "true", periodic: [], expected true or false
  $ for value in '"x"' '"bb"' '""' 5 '"B"'; do as "$one" "s/\"b\"/$value/"; done | alike "$values"
  rank 0, axis 0, dist_type: "x", dist_type: "bb", dist_type: "", dist_type: 5, dist_type: "B", expected "b", "c" or "u"
  $ for value in 9223372036854775808 1180591620717411303424 -1180591620717411303424; do as "$one" "s/\"size\": 3/\"size\": $value/"; done | uniq -c
        3 rank 0, axis 0, size: a number that does not fit in 64 bits
  $ one=$(of 3 "$(u 3 1 0 5,6,7 ', "one_to_one": false')")
  $ for value in 5 '"567"' '[5, 6, 7.0]' '[[5, 6, 7]]' '{"0": 5}'; do as "$one" "s/\[5,6,7\]/$value/"; done | alike "$values"; as "$one" s/false/1/
  rank 0, axis 0, indices: 5, indices: "567", expected a list of whole numbers
  rank 0, axis 0, indices: 7.0, indices: [5,6,7], expected a whole number
  rank 0, axis 0, indices: {"0":5}, expected a list of whole numbers
  rank 0, axis 0, one_to_one: 1, expected true or false
  $ as "$(of 3 "$(c 3 1 0 1)")" 's/"block_size": 1/"block_size": 1.5/'
  rank 0, axis 0, block_size: 1.5, expected a whole number

The library's rules, one of each kind; all of them are tested there.
  $ changed() { sed "$1" 2x3.json > wrong.json; refused dap check wrong.json; }
  $ changed 's/"stop": 21/"stop": 39/'; changed 's/"block_size": 2/"block_size": 0/3'; changed 's/"size": 40/"size": 41/5'
  drx dap: wrong.json: rank 0, axis 0, shape: 21, expected 39, which is stop - start
  drx dap: wrong.json: rank 2, axis 1, block_size: 0, expected at least 1
  drx dap: wrong.json: rank 4, axis 0, stop: 40, expected 41, the size, since this is the last grid rank
  $ changed 's/"padding": \[1/"padding": [2/5'; changed 's/true/false/6'; changed 's/,"5": .*/}/'
  drx dap: wrong.json: rank 4, axis 0, padding: not as on rank 3, which has the same proc_grid_rank 1
  drx dap: wrong.json: rank 5, axis 0, periodic: false, expected true as on rank 0
  drx dap: wrong.json: proc_grid_size: their product is 6, expected 5, the number of ranks
  $ changed 's/"1": /"x": /; s/"2": /"1": /; s/"x": /"2": /'
  drx dap: wrong.json: rank 1, axis 1, proc_grid_rank: 2, expected 1, since ranks are row-major
  $ one=$(of 3 {}); wrong "$(ranks "$one" "$one")"; one=$(of ''); wrong "$(ranks "$one" "$one")"
  drx dap: wrong.json: proc_grid_size: an undistributed array on 2 ranks, expected 1: nothing is replicated
  drx dap: wrong.json: proc_grid_size: a zero-dimensional array on 2 ranks, expected 1: nothing is replicated
  $ wrong "$(ranks "$(of 1 "$(u 2 2 0 4 ', "one_to_one": true')")" "$(of 1 "$(u 2 2 1 4 ', "one_to_one": true')")")"
  drx dap: wrong.json: rank 1, axis 0, indices: 4 is on grid rank 0, too, expected one_to_one
  $ one=$(of 2 "$(c 4 2 0)"); two=$(of 2 "$(c 4 2 1)"); wrong "$(ranks "$one" "${two/<f8/<f4}")"; wrong "$(ranks "$one" "$(of 2,1 "$(c 4 2 1)" {})")"
  drx dap: wrong.json: rank 1, itemsize: 4 bytes, expected 8 as on rank 0
  drx dap: wrong.json: rank 1, dim_data: 2 axes, expected 1 as on rank 0

Several files, and wrong words.
  $ drx dap check 2x3.json 2x3.json | grep good; drx dap check wrong.json 2x3.json none.json 2> said | head -1; cat said; drx dap check --json wrong.json 2x3.json 2> /dev/null | grep 'path\|verdict\|failure'
  2x3.json: good: 6 ranks, grid 2 x 3 x 1, <f8
  2x3.json: good: 6 ranks, grid 2 x 3 x 1, <f8
  2x3.json: good: 6 ranks, grid 2 x 3 x 1, <f8
  drx dap: wrong.json: rank 1, dim_data: 2 axes, expected 1 as on rank 0
  drx dap: none.json: no such file
      "path": "wrong.json",
      "verdict": "wrong",
      "failure": "rank 1, dim_data: 2 axes, expected 1 as on rank 0"
      "path": "2x3.json",
      "verdict": "good",
      "failure": null,
  $ misused dap; misused dap check; misused dap verify x; misused dap check x --yaml
  drx dap: check is missing; the usage is drx dap check FILE... [--json]
  drx dap: FILE is missing; the usage is drx dap check FILE... [--json]
  drx dap: unknown word 'verify'; the usage is drx dap check FILE... [--json]
  drx dap: unknown option --yaml; the options are --json, --help
