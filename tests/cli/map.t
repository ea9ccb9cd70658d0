drx map: where chunks are, for the worked examples of the article, and for arrays of other kinds.

The first example grows one chunk at a time: its addresses, and the axial vectors.
  $ grow() { # SHAPE CHUNK [AXIS:BY ...]
  >   drx create a --shape $1 --chunk $2 --force; shift 2; for step; do drx extend a ${step/:/ }; done
  > }
  $ inverse() { # each address is that of the chunk that it belongs to
  >   chunks=$(drx map a --json | grep -o '"chunks": *[0-9]*' | grep -o '[0-9]*$')
  >   for q in $(seq 0 $((chunks - 1))); do [[ $(drx map a --index $(drx map a --address $q)) == $q ]] || echo "$q is not its own"; done
  > }
  $ grow 1,1 1,1 1:1 0:1 0:1 1:1 0:1 1:1 0:1; drx map a; drx map a --index 4,2; drx map a --address 18; inverse
   0  1  6 12
   2  3  7 13
   4  5  8 14
   9 10 11 15
  16 17 18 19
  
  axis 0: (0;0;1 1), (1;2;2 1), (3;9;3 1), (4;16;4 1)
  axis 1: (0;-1;0 0), (1;1;1 1), (2;6;1 3), (3;12;1 4)
  18
  4,2
  $ drx map a > example; grow 2,3 2,3 1:3 0:2 0:2 1:3 0:2 1:3 0:2; drx map a | cmp - example; inverse

The last chunks of an axis may be filled in part.
  $ grow 2,3 2,3 1:3 0:2 0:2 1:3 0:2 1:1 0:2; drx info a | grep shape; drx map a | diff - example; stat -c %s a.xta
  shape      10 × 10
  960

The second example has three axes.
  $ grow 4,3,1 1,1,1 2:1 2:1 1:1 0:2 2:1; drx map a; inverse
  axis 0: (0;0;3 1 1), (4;48;12 3 1)
  axis 1: (0;-1;0 0 0), (3;36;3 12 1)
  axis 2: (0;-1;0 0 0), (1;12;3 1 12), (3;72;4 1 24)
  $ for index in 2,1,0 3,1,2 4,2,2; do echo $index $(drx map a --index $index); done
  2,1,0 7
  3,1,2 34
  4,2,2 56
  $ drx map a --json | sed -n '/bounds/,/free/p; /axial/,$p' | paste -sd' ' | tr -s ' ' | fold -sw 120
   "bounds_chunks": [6, 4, 4], "first_chunk": [0, 0, 0], "chunks": 96, "free_addresses": 0, "axial_vectors": [ [ 
  {"first_index": 0, "first_address": 0, "coefficients": [3, 1, 1]}, {"first_index": 4, "first_address": 48, 
  "coefficients": [12, 3, 1]} ], [ {"first_index": 0, "first_address": -1, "coefficients": [0, 0, 0]}, {"first_index": 3, 
  "first_address": 36, "coefficients": [3, 12, 1]} ], [ {"first_index": 0, "first_address": -1, "coefficients": [0, 0, 
  0]}, {"first_index": 1, "first_address": 12, "coefficients": [3, 1, 12]}, {"first_index": 3, "first_address": 72, 
  "coefficients": [4, 1, 24]} ] ], "low_axial_vectors": [ [], [], [] ] }

One chunk as JSON, and chunks in shells.
  $ grow 2,2 1,1; drx map a --index 1,0 --json; drx map a --address 2 --json
  {"path": "a", "index": [1, 0], "address": 2}
  {"path": "a", "index": [1, 0], "address": 2}
  $ drx create s --shape 3,3 --chunk 1,1 --shell; drx map s; drx info s | grep shells
  0 2 6
  1 3 7
  4 5 8
  
  axis 0: (0;0;1 1), (2;4;2 1)
  axis 1: (0;-1;0 0), (1;2;1 2), (2;6;1 3)
  history    made as 3 × 3, in shells

Long tables are abbreviated, unless all of them is asked for.
  $ drx create long --shape 41,100 --chunk 1,1 --type int8 --dims y,x; drx map long > short; drx map long --all > all
  $ sed -n '1p; 20,22p; 40,$p' short | cut -c1-30,85-; sed 41q all | tr -s ' ' '\n' | grep . | diff - <(seq 0 4099)
     0    1    2    3    4    5    17   18   19 …   81   82   83   84   85   86   87   88   89   90   91   92   93   94   95   96   97   98   99
  1900 1901 1902 1903 1904 1905  1917 1918 1919 … 1981 1982 1983 1984 1985 1986 1987 1988 1989 1990 1991 1992 1993 1994 1995 1996 1997 1998 1999
     …
  2200 2201 2202 2203 2204 2205  2217 2218 2219 … 2281 2282 2283 2284 2285 2286 2287 2288 2289 2290 2291 2292 2293 2294 2295 2296 2297 2298 2299
  4000 4001 4002 4003 4004 4005  4017 4018 4019 … 4081 4082 4083 4084 4085 4086 4087 4088 4089 4090 4091 4092 4093 4094 4095 4096 4097 4098 4099
  
  axis 0 (y): (0;0;100 1)
  axis 1 (x): (0;-1;0 0)
  $ sed '21d; 41,$d' short | awk '{ print length }' | sort -u | wc -l
  1
  $ for i in {1..20}; do drx extend long 0 1; drx extend long 1 1; done; drx map long | grep -c ', …'; drx map long --all | grep …
  2
  [1]

Indices and addresses that are not there.
  $ drx create b --shape 10,10 --chunk 2,3 --dims y,x
  $ for index in 5,0 4,4 4 -1,0; do refused map b --index $index; done; refused map b --address 20; refused map no
  drx map: b: --index 5 is outside of axis 0 (y), which has 5 chunks
  drx map: b: --index 4 is outside of axis 1 (x), which has 4 chunks
  drx map: b: --index has 1 numbers; give 2, one for each axis
  drx map: b: --index -1 is outside of axis 0 (y), which has 5 chunks
  drx map: b: --address 20 is outside of the array, which has 20 chunks
  drx map: no: no such array
  $ misused map b --address -1; misused map b --address 1 --index 0,0
  drx map: --address '-1' is not valid; give a whole number from 0 up
  drx map: --index and --address exclude each other; give one of them

A picture is a file of SVG; what it refuses makes none.
  $ drx create p --shape 4,4,4 --chunk 2,2,2 --dims t,y,y; for name in a.png a .svg svg a.svg.gz ''; do misused map p -o "$name"; done | alike
  drx map: --output 'a.png', 'a', '.svg', 'svg', 'a.svg.gz', '' is not an SVG file; give a name that ends in .svg, or '-'
  $ misused map p --axes 0,1; misused map p --at 0,1,0; for words in --json --all '--index 0,0,0' '--address 0'; do misused map p -o a.svg $words; done
  drx map: --axes goes with a picture; give -o FILE.svg, too
  drx map: --at goes with a picture; give -o FILE.svg, too, or --commit N for a commit of a dataset
  drx map: --output and --json exclude each other; give one of them
  drx map: --output and --all exclude each other; give one of them
  drx map: --output and --index exclude each other; give one of them
  drx map: --output and --address exclude each other; give one of them
  $ for axes in 0 '' 0,1,2; do misused map p -o a.svg --axes "$axes"; done | alike; misused map p -o a.svg --at 0,x,0; refused map no -o a.svg
  drx map: --axes '0', '', '0,1,2' is not valid; give two axes, numbers or names, separated by a comma
  drx map: --at '0,x,0' is not valid; give whole numbers, separated by commas
  drx map: no: no such array
  $ for words in '--axes t,0' '--axes t,y' '--axes 3,0' '--at 0,1' '--axes 0,1 --at 0,0,2'; do refused map p -o a.svg $words; done
  drx map: p: --axes 't,0' names one axis twice; give two different ones
  drx map: p: 'y' is the name of 2 axes; give the number of the axis
  drx map: p: no axis '3'; give 0 to 2 or one of the names t, y, y
  drx map: p: --at has 2 numbers; give 3, one for each axis
  drx map: p: --at 2 is outside of axis 2 (y), which has 2 chunks
  $ drx create one --shape 3; refused map one -o a.svg --axes 0,0; ls *.svg 2> /dev/null; drx map p -o a.svg; drx map p -o - | cmp - a.svg
  drx map: one: --axes '0,0' names two axes, but the array has one
  $ drx map p --output=B.SVG; cmp a.svg B.SVG

Growth round the first chunk, as the specification has it: indices and addresses at both ends.
  $ drx create a --shape 1,1 --chunk 1,1 --dims y,x --force
  $ drx extend a x 1 --before; drx extend a y 1; drx extend a y 1 --before; drx extend a x 1; drx map a
      -1  0  1
  -1   4  5  6
   0   1  0  7
   1   2  3  8
  
  axis 0 (y): (0;0;1 1), (1;2;2 1)
  axis 0 (y), low end: (0;4;-2 1)
  axis 1 (x): (0;-1;0 0), (1;6;1 3)
  axis 1 (x), low end: (0;1;1 -1)
  $ drx map a --index -1,1; drx map a --address 4; refused map a --index -2,0; drx map a --json | grep -A2 '"first_chunk\|low_axial'
  6
  -1,-1
  drx map: a: --index -2 is outside of axis 0 (y), which has the chunks -1 to 1
    "first_chunk": [-1, -1],
    "chunks": 9,
    "free_addresses": 0,
  --
    "low_axial_vectors": [
      [
        {"first_index": 0, "first_address": 4, "coefficients": [-2, 1]}

Chunks that were trimmed leave free addresses.
  $ drx create t --shape 6,2 --chunk 2,2 --dims y,x; drx extend t x 2; drx trim t y --before 3 --after 2; drx map t; drx info t | grep 'indices\|chunks\|  axis'
     0 1
  1  1 4
  
  axis 0 (y): (0;0;1 1)
  axis 1 (x): (0;-1;0 0), (1;3;1 3)
  free: 4 of 6 addresses, of chunks trimmed since: 0, 2–3, 5
  indices    3..3 × 0..3
  chunks     2  (1 × 2), 4 trimmed, 50 % inside the bounds
             axis 1 (x) +2
             axis 0 (y) trimmed by 5
  $ drx info t --json | grep 'lower\|{"axis'; refused map t --address 3; drx map t -o - | grep -o '4 free addresses'
    "lower": [3, 0],
      {"axis": 1, "by": 2}
  drx map: t: --address 3 is free: its chunk was trimmed
  4 free addresses

The indices of an array that begins elsewhere, and its growths at the low end.
  $ drx create l --shape 6,2 --chunk 2,2 --lower -3,5; drx extend l 1 2 --before; drx extend l 1 1 --before; drx info l | grep 'indices\|  axis'
  indices    -3..2 × 2..6
             axis 1 +3 at the low end in 2 growths: 6 × 5
  $ drx info l --json | grep '"axis\|lower'; drx create m --shape 6,2; drx info m | grep indices
    "lower": [-3, 2],
      {"axis": 1, "by": 2, "before": true, "shape": [6, 4]},
      {"axis": 1, "by": 1, "before": true, "shape": [6, 5]}
  [1]

As of each commit of a dataset that grew by no chunks, by a part of them, by several, along another axis, and again.
  $ made() { # FIRST T Y: u(t, y)
  >   ncgen -o u.nc <<.
  > netcdf u { dimensions: t = UNLIMITED; y = $3; variables: double u(t, y), t(t);
  > data: t = $(seq -s, $1 $(($1 + $2 - 1))); u = $(seq -s, $(($2 * $3))); }
  > .
  > }
  $ maps() { drx map ds/u "$@"; drx map ds/u --json "$@"; drx map ds/u --axes t,y -o - "$@"; }
  $ made 0 3 5; drx import u.nc first --dataset; drx copy first ds --chunk t=2,y=2; maps > map.1
  $ commit=1; for grown in '3 1 5 t' '4 1 5 t' '5 6 5 t' '0 11 4 y' '11 3 9 t'; do
  >   made $grown; drx import u.nc ds --append ${grown: -1}; commit=$((commit + 1)); maps > map.$commit
  > done; for then in {1..6}; do maps --commit $then | diff - map.$then; done; md5sum map.? | cut -c1-32 | sort -u | wc -l
  6
  $ drx map ds/u --commit 1 | diff - <(drx map ds/u --commit 2)
  $ drx map ds/u --commit 1 --index 1,2; refused map ds/u --commit 1 --index 2,0; drx map ds/u --commit 3 --address 8
  5
  drx map: ds/u: --index 2 is outside of axis 0 (t), which has 2 chunks
  2,2
  $ refused map ds/u --commit 1 --address 6; refused map ds/u --commit 7; refused map ds/v --commit 1; refused map b --commit 0
  drx map: ds/u: --address 6 is outside of the array, which has 6 chunks
  drx map: ds/u: ds: commit 7, expected 0 to 6
  drx map: ds/v: ds: has no variable 'v' at commit 1
  drx map: b: a lone array, which has no commits
