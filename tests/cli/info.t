drx info: the page of an array, lines of a folder, several paths.

The page of one array.
  $ drx create a --shape 0,180 --chunk 1,180 --dims time,lat --type float32 --fill 1e20 --order F --align 512
  $ for i in 1 2 3; do drx extend a time 1; done; drx extend a lat 10; touch -d 2001-01-01T12:00 a.*; drx info a
  path       a
  shape      3 × 190  (time, lat)
  chunk      1 × 180  (720 bytes)
  type       float32
  order      F  (first axis fastest)
  fill       1e+20
  align      512 bytes
  chunks     6  (3 × 2), 53 % inside the bounds
  segments   4, in 2 expansion records
  data       6.0 KiB, 8.0 KiB on disk
  metadata   8.5 KiB
  changed    2001-01-01 12:00
  history    made as 0 × 180
             axis 0 (time) +3 in 3 growths: 3 × 180
             axis 1 (lat) +10: 3 × 190

A long history is abbreviated in text only.
  $ drx create h --shape 1,1 --chunk 1,1 --type int8; for i in {1..30}; do drx extend h $((i % 2)) 1; done
  $ drx info h | sed -n '/more/p; $p'; drx info h | grep -c ' +1: '; drx info h --json | grep -c '"by"'
             … 18 more
             axis 0 +1: 16 × 16
  12
  30

What chunks and segments there are.
  $ page() { drx create p --force "$@"; drx info p | grep 'chunks  \|segments'; }
  $ page --shape 10,10 --chunk 2,3; page --shape 4 --chunk 2; page --shape 4,4 --chunk 2,2; page --shape 0,4 --chunk 2,2
  chunks     20  (5 × 4), 83 % inside the bounds
  chunks     2
  chunks     4  (2 × 2)
  chunks     0  (0 × 2)
  $ page --shape 1,1 --chunk 1000,1000; page --shape 3,5 --chunk 1,1 --shell
  chunks     1  (1 × 1), less than 1 % inside the bounds
  chunks     15  (3 × 5)
  segments   5, in 4 expansion records
  $ drx create p --shape 1,1 --chunk 1,1 --force; for axis in 1 0 0 1; do drx extend p $axis 1; done; drx info p | grep segments
  segments   5, in 4 expansion records

Long names are cut.
  $ for name in $(printf 'é%.0s' {1..100}) x$(printf 'é%.0s' {1..99}) $(printf '日%.0s' {1..66}) $(printf 'n%.0s' {1..80}) \
  >     "$(printf '\t%.0s' {1..60})"; do
  >   drx create p --shape 3,3 --dims "$name,x" --force; drx extend p 0 1; drx info p | grep 'axis 0'
  > done
             axis 0 (éééééééééééééééééééééééééééééééééééééééé…) +1: 4 × 3
             axis 0 (xééééééééééééééééééééééééééééééééééééééé…) +1: 4 × 3
             axis 0 (日日日日日日日日日日日日日日日日日日日日日日日日日日…) +1: 4 × 3
             axis 0 (nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn) +1: 4 × 3
             axis 0 (\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09\x09…) +1: 4 × 3

A torn tail of the log is told, and goes with the next change.
  $ drx create torn --shape 4; printf torn >> torn.xmd; drx info torn > page; drx info torn --json 2> said | grep report; cat said
  drx info: warning: torn.xmd: the last 4 bytes, from offset 8360 on, are not whole records (a torn tail): passed over
    "report": "torn.xmd: the last 4 bytes, from offset 8360 on, are not whole records (a torn tail): passed over"
  drx info: warning: torn.xmd: the last 4 bytes, from offset 8360 on, are not whole records (a torn tail): passed over
  $ drx extend torn 0 1; drx info torn --json | grep report
  drx extend: warning: torn.xmd: the last 4 bytes, from offset 8360 on, are not whole records (a torn tail): dropped
  [1]

Files of another kind, and half an array.
  $ for i in {1..10}; do printf 'something else, and long enough to have a description '; done | tee no.xmd > no.xta
  $ for verb in info map read; do refused $verb no; done | alike 'drx [a-z]*'; rm no.xta; refused info no; rm no.xmd
  drx info, drx map, drx read: no.xmd: not the metadata of a DRX array (its first bytes are not the magic number)
  drx info: no.xmd: not the metadata of a DRX array (its first bytes are not the magic number)

Coordinates are arrays of one dimension beside an array, with the names of its axes.
  $ mkdir d; numbers lat.npy '[90, .5, -90]'; numbers Länge.npy 'arange(4, dtype="i2")'; numbers time.npy '[.25, 7]'
  $ for name in lat Länge time; do drx import $name.npy d/$name; done; drx create d/two --shape 3,3
  $ drx create d/a --shape 5,3,4,3,3 --dims time,lat,Länge,two,no; drx info d/a | sed -n '/^coord/,$p'
  coordinates
    time              0.25 … 7  (2 values for 5 indices)
    lat               90 … -90
    Länge             0 … 3
  $ cd d; drx info a | grep -- -90; drx create self --shape 3 --dims self; drx info self | grep coordinates
    lat               90 … -90
  [1]
  $ printf broken > lat.xmd; drx info a | grep ' lat  '; cd ..
  $ drx create lon --shape 3; drx attr lon "units=$(printf 'degrees\e  east '; printf 'é%.0s' {1..100})"
  $ drx create on --shape 3 --dims lon; drx info on | grep ' lon  '
    lon               0 … 0  degrees\x1b  east ééééééééééééééééééééééééééééééé

A folder: a line for each array, with its room on disk and the last change.
  $ mkdir f; cd f; drx create sst --shape 2,3,5 --chunk 2,2,2 --dims time,lat,lon --type float32; drx extend sst time 130
  $ drx create m --shape 10,10 --chunk 2,2; drx create 'half named' --shape 4,5 --chunk 2,2 --dims x,
  $ touch -d 2001-01-01T12:00 *.xta; touch -d 1970-01-01 *.xmd; drx info . | sed 's/ \{1,\}[0-9.]* KiB/  SIZE/'
  half named  float64  x=4, 5  SIZE  0 growths  2001-01-01 12:00
  m           float64  10 × 10  SIZE  0 growths  2001-01-01 12:00
  sst         float32  time=132, lat=3, lon=5  SIZE  1 growth   2001-01-01 12:00
  $ drx info | perl -CS -lne 'print length' | uniq | wc -l
  1
  $ printf %800s > m.xta; size=$(($(stat -c %b m.xmd) + $(stat -c %b m.xta))); drx info | grep -c " $((size / 2)).0 KiB  "; cd ..
  1

Names are in the order of their numbers.
  $ mkdir order; cd order; for name in a a1 a01 a2 a2b a10 a10.5 a10.12 a99999999999999999999999 B b 'é x'; do
  >   drx create "$name" --shape 3; done; drx info | sed 's/  .*//' | paste -sd/; drx info --json | grep -o '"path": "[^"]*' | cut -c10- | paste -sd/; cd ..
  B/a/a01/a1/a2/a2b/a10/a10.5/a10.12/a99999999999999999999999/b/é x
  B/a/a01/a1/a2/a2b/a10/a10.5/a10.12/a99999999999999999999999/b/é x

Folders in it are looked into on demand, but not links and hidden ones.
  $ mkdir -p w/sub w/.folder; for name in w/x w/sub/y w/sub/z w/.hidden w/.folder/h; do drx create $name --shape 3; done
  $ ln -s .. w/sub/up; listed() { drx info "$@" | sed 's/  .*//' | paste -sd' '; }
  $ for folder in w w/ w// ./w "$PWD/w"; do listed "$folder"; listed "$folder" -r; done | sort | uniq -c
        5 x
        5 x sub/y sub/z
  $ listed w/sub/up; cd w; listed; listed -r; cd ..; for path in $(drx info --recursive --json w/ | grep -o 'w/[a-z/]*'); do drx info $path | head -1; done
  x
  x
  x sub/y sub/z
  path       w/x
  path       w/sub/y
  path       w/sub/z

An array goes before a folder of its name.
  $ mkdir both; drx create both --shape 3; drx create both/inside --shape 3; drx info both | head -1; drx info both.xmd | head -1
  path       both
  path       both
  $ listed both/; drx info both --json | head -c1; echo; drx info both/ --json | head -c1; echo; rm both.xta; refused info both
  inside
  {
  [
  drx info: both.xta: missing, only both.xmd is there

A folder without arrays.
  $ mkdir -p e/e; cd e; drx info; drx info -r; cd ..; drx info e; drx info e --json 2> /dev/null
  drx info: warning: .: no arrays in this folder; -r looks into the folders in it
  drx info: warning: .: no arrays in this folder
  drx info: warning: e: no arrays in this folder; -r looks into the folders in it
  []

Arrays that cannot be opened are listed with the reason, and the others, too.
  $ mkdir broken; cd broken; for name in good 'no chunks' 'no metadata' junk torn short; do drx create "$name" --shape 30,30 --chunk 2,2; done
  $ drx extend short 0 3; rm 'no chunks.xta' 'no metadata.xmd'; for i in {1..100}; do printf '\e[31m something else '; done > junk.xmd
  $ printf torn >> torn.xmd; truncate -s 5 short.xta; mkdir 'not array.xmd'
  $ drx info 2> said | sed 's/float64 .*/float64 .../'; cat said; drx info . > dot; drx info 2> /dev/null | cmp - dot
  good         float64 ...
  junk         cannot be opened: junk.xmd: not the metadata of a DRX array (its first bytes are not the magic number)
  no chunks    cannot be opened: no chunks.xta: missing, only no chunks.xmd is there
  no metadata  cannot be opened: no metadata.xmd: missing, only no metadata.xta is there
  short        float64 ...
    warning: short.xta: damaged: 5 bytes long, its last sync promised 8160
  torn         float64 ...
    warning: torn.xmd: the last 4 bytes, from offset 8424 on, are not whole records (a torn tail): passed over
  drx info: .: 3 of 6 arrays cannot be opened
  drx info: .: 3 of 6 arrays cannot be opened
  $ drx info --json 2> said | grep '"path"\|"error"\|"report"'; cat said
      "path": "good",
      "path": "junk",
      "error": "junk.xmd: not the metadata of a DRX array (its first bytes are not the magic number)"
      "path": "no chunks",
      "error": "no chunks.xta: missing, only no chunks.xmd is there"
      "path": "no metadata",
      "error": "no metadata.xmd: missing, only no metadata.xta is there"
      "path": "short",
      "report": "short.xta: damaged: 5 bytes long, its last sync promised 8160"
      "path": "torn",
      "report": "torn.xmd: the last 4 bytes, from offset 8424 on, are not whole records (a torn tail): passed over"
  drx info: .: 3 of 6 arrays cannot be opened
  $ refused info 'no metadata'; cd ..
  drx info: no metadata.xmd: missing, only no metadata.xta is there

Paths that are not there, or not to be read.
  $ refused info no/; refused info no; touch file; refused info file/
  drx info: no: no such folder
  drx info: no: no such array or dataset
  drx info: file: cannot read the folder: Not a directory

Names that a terminal would obey, and those that are not UTF-8.
  $ mkdir odd; cd odd; drx create $'tab\there' --shape 3,4 --dims $'a\nb,c'; drx create $'\xff' --shape 3; drx create '日本 é' --shape 3
  $ drx info | cut -c1-30; cd ..
  tab\x09here  float64  a\nb=3, 
  日本 é         float64  3  
  \xff         float64  3       

Many arrays.
  $ mkdir many; cd many; drx create x --shape 3; for i in {0..999}; do ln x.xmd x$i.xmd; ln x.xta x$i.xta; done
  $ listed | tr ' ' '\n' | diff - <(echo x; seq -f x%g 0 999); cd ..

Several paths are told one after the other. Those that fail do not stop the others.
  $ mkdir s; cd s; drx create a --shape 3; drx create b --shape 4,4; mkdir d; drx create d/c --shape 3; drx extend b 0 4
  $ (drx info a; echo; echo d:; drx info d; echo; drx info b) > one; drx info a d b | diff - one
  $ drx info a d b --json | grep '"path"\|growths'; drx info a d b --json | sed 's/^  //' | grep '^  "' | grep -v growths > one
      "path": "a",
      "growths": 0,
      "path": "d/c",
      "growths": 0,
      "path": "b",
      "growths": 1,
  $ for path in a d/c b; do drx info $path --json; done | grep '^  "' | grep -v history | diff - one
  $ drx info a no b 2> said | grep path; cat said; drx info a no b --json 2> said | grep '"path"\|"error"\|"shape"'; cat said
  path       a
  path       b
  drx info: no: no such array or dataset
      "path": "a",
      "shape": [3],
      "path": "no",
      "error": "no.xmd: no such file"
      "path": "b",
      "shape": [8, 4],
  drx info: no: no such array or dataset
