What the program says when a folder is missing, a path names something else, or a word is not there.

A folder in a path that is missing, or is none, is what the message names, in every verb.
  $ numbers x.npy 'ones((2, 3))'; drx import x.npy a; touch file; ls > before
  $ every_verb() { # FOLDER
  >   b=$1/b x=$1/x
  >   for words in "create $b --shape 2" "info $b" "read $b" "extend $b 0 1" "view $b -o v.png" "export $b o.npy" "copy $b c" \
  >       "copy a $b" "map $b" "refs $b" "mv a $b" "cp a $b" "cp $b c" "mv $b c" "import x.npy $b" "import $x.npy c" \
  >       "append a 0 $x.npy" "write a $x.npy --at 0,0" "export a $x.npy" "read a -o $x.npy" "export a $x.nc" "export a $x.h5" \
  >       "view a -o $x.png" "map a -o $x.svg" "refs a -o $x.json" "dap check $x.json"; do
  >     refused $words
  >   done 2>&1 | sed "s/^drx [a-z]*: //" | sort | uniq -c
  > }
  $ every_verb no; every_verb no/deep | grep -v 'the folder no does not exist'; every_verb /no | grep -v "the folder /no does not exist"
        2 a: no/b.xmd: the folder no does not exist
        1 a: no/b.xta: the folder no does not exist
        2 no/b.xta: the folder no does not exist
       10 no/b: the folder no does not exist
        1 no/x.h5: the folder no does not exist
        2 no/x.json: the folder no does not exist
        1 no/x.nc: the folder no does not exist
        5 no/x.npy: the folder no does not exist
        1 no/x.png: the folder no does not exist
        1 no/x.svg: the folder no does not exist
  [1]
  $ every_verb file; ls | diff - before
        2 a: file/b.xmd: file is not a folder
        1 a: file/b.xta: file is not a folder
        2 file/b.xta: file is not a folder
       10 file/b: file is not a folder
        1 file/x.h5: file is not a folder
        2 file/x.json: file is not a folder
        1 file/x.nc: file is not a folder
        5 file/x.npy: file is not a folder
        1 file/x.png: file is not a folder
        1 file/x.svg: file is not a folder

Where the folder is there, the file is missing.
  $ refused info b; refused read b; refused log b; refused append a 0 y.npy; refused info b/
  drx info: b: no such array or dataset
  drx read: b: no such array
  drx log: b: no such dataset
  drx append: y.npy: no such file
  drx info: b: no such folder

A variable whose name is nearest may be meant.
  $ ncgen -o tas.nc <<. 
  > netcdf tas { dimensions: x = 2; variables: double tas(x); data: tas = 1, 1; }
  > .
  $ drx import tas.nc d --dataset; refused read d/tass; refused info d/tass; refused check d/tass; refused read d/pressure
  drx read: d/tass: no such array; did you mean d/tas?
  drx info: d/tass: no such array or dataset; did you mean d/tas?
  drx check: d/tass: no such array; did you mean d/tas?
  drx read: d/pressure: no such array

A path that names something else than an array or a dataset: the message says what it is, and what would do.
  $ ncgen -o in.nc <<< 'netcdf in { }'; ncgen -4 -o four.nc <<< 'netcdf four { }'; printf '\x89HDF\r\n\x1a\n' > in.h5; numbers in.npy 'ones(3)'
  $ echo no array, and longer than eight bytes > text; printf CDF > short
  $ for name in in.nc in.h5 four.nc in.npy text short; do
  >   for words in "info $name" "log $name" "read $name" "rm $name" "compact $name" "mv $name b"; do refused $words; done
  > done 2>&1 | sed 's/^drx [a-z]*: //' | uniq -c
        6 in.nc: is a netCDF file; `drx import in.nc NEW` makes an array or a dataset of it
        6 in.h5: is an HDF5 file; `drx import in.h5 NEW` makes an array or a dataset of it
        6 four.nc: is a netCDF file; `drx import four.nc NEW` makes an array or a dataset of it
        6 in.npy: is a .npy file; `drx import in.npy NEW` makes an array of it
        6 text: is a file of another kind, not an array; 'drx info' lists the arrays of this folder
        6 short: is a file of another kind, not an array; 'drx info' lists the arrays of this folder
  $ mkdir folder; drx import in.npy folder/sst --dims time; refused log folder/sst; refused read folder; refused log d/tas; refused read d
  drx log: folder/sst: is an array, not a dataset; give the folder of one
  drx read: folder: is a folder, not an array; 'drx info folder' lists arrays
  drx log: d/tas: is a variable of the dataset d; give the dataset
  drx read: d: is a dataset, not an array; name a variable that 'drx info d' lists, as in d/VARIABLE

Options of other programs, and names of axes.
  $ misused export --compress a b; misused export --compress=4 a b; misused copy --compress a b; misused create --compression a b
  drx export: unknown option --compress; did you mean --deflate?
  drx export: unknown option --compress=4; did you mean --deflate?
  drx copy: unknown option --compress; did you mean --codec?
  drx create: unknown option --compression; did you mean --codec?
  $ misused create --chunks a b; misused create --dtype a b; misused log --compress
  drx create: unknown option --chunks; did you mean --chunk?
  drx create: unknown option --dtype; did you mean --type?
  drx log: unknown option --compress; the options are --count, --json, --help
  $ drx create named --shape 2,3 --dims time,lat; drx create nameless --shape 3
  $ refused read 'named[Time=1]'; refused read 'named[depth=1]'; refused read 'nameless[x=1]'
  drx read: named: has no axis Time; there are time, lat; did you mean time?
  drx read: named: has no axis depth; there are time, lat
  drx read: nameless: has no axis x; its axes have no names
