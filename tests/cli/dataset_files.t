Whole datasets as files: mv, cp, rm and check.

  $ ncgen -o small.nc <<< 'netcdf small { dimensions: time = 2; x = 3; variables: float a(time, x); short b(x); data: a = 1, 2, 3, 4, 5, 6; b = 7, 8, 9; }'
  $ drx import small.nc ds; drx read ds/a
  1  2  3
  4  5  6

A dataset is copied and moved under other names, into folders, and removed, also with a slash after its name.
  $ drx cp ds copy; drx mv ds moved; echo *; for path in copy moved; do drx read $path/a | head -1; drx log $path -n 1 | head -1; done
  copy moved small.nc
  1  2  3
  commit 1  2023-11-14 22:13:20  drx import small.nc ds
  1  2  3
  commit 1  2023-11-14 22:13:20  drx import small.nc ds
  $ touch taken; refused cp moved taken; mkdir folder; drx mv moved copy folder; echo folder/*; drx rm folder/copy folder/moved; ls folder
  drx cp: taken: exists already; give a new path
  folder/copy folder/moved
  $ drx import small.nc ds; drx cp ds/ copy; drx mv copy/ moved; drx check moved/; drx mv moved/ folder/; ls folder; drx rm folder/moved/; ls folder
  moved: good
  moved

An array of the same name has precedence, if other programs have made it so; drx does not.
  $ refused create ds --shape 3 --force
  drx create: ds/dataset.xds: a dataset has that name: give another, or rename the dataset
  $ for words in 'cp ds copy' 'mv ds moved' 'rm ds'; do
  >   drx create aside --shape 3 --force; mv aside.xmd ds.xmd; mv aside.xta ds.xta; drx $words; drx info ds/ | grep variables
  > done; echo *.xmd
  variables:
  variables:
  variables:
  copy.xmd moved.xmd

A variable stays where it is.
  $ refused mv ds/a b; refused extend ds/a time 1
  drx mv: ds/a: is part of the dataset ds, and drx mv gives it another name in its group alone: drx mv ds/a ds/NEW; drx add puts a variable elsewhere in a dataset, drx cp makes an array of it, and drx rm removes it here
  drx extend: ds/a: a variable of a dataset: its bounds are those of its dimensions: drx_dataset_extend, drx_dataset_extend_before and drx_dataset_trim change them

A variable is removed in a commit of its own; the others stay.
  $ refused rm ds/nothing; drx rm ds/a; echo ds/*; drx log ds -n 1; drx check ds; drx read ds/b
  drx rm: ds/nothing: no such array
  ds/b.xta ds/dataset.xds
  commit 2  2023-11-14 22:13:20  drx rm ds/a
      variable removed: a
  ds: good
  7  8  9
  $ cd ds; drx rm --force b.xmd b.xta; ls; cd ..; drx rm ds; ls | grep ds
  dataset.xds
  [1]

What a crash leaves after the last commit is no damage; a file that is missing is.
  $ drx import small.nc ds; drx check ds; printf 'left by a crash' >> ds/dataset.xds; drx check ds; drx check --repair ds; drx check ds
  ds: good
  warning: ds/dataset.xds: 15 bytes after the last commit, from offset 8728 on, of a transaction that was not committed: taken back when it is next opened for writing
  ds: good, 1 warning
  ds: good
  ds: good
  $ rm ds/b.xta; drx check ds
  error: ds/b.xta: missing, only ds/b.xmd is there
  ds: damaged: 1 error
  [1]

Variables with other names are told as such in an append, when standard_name and extent say that they are the same.
  $ made() { # FILE FIRST LAT LON N
  >   ncgen -o $1 <<.
  > netcdf x { dimensions: time = 1; $3 = $5; $4 = 2;
  > variables: double u(time, $3, $4), time(time), $3($3), $4($4); time:units = "days since 2001-01-01"; $3:standard_name = "latitude";
  > $4:standard_name = "longitude"; data: time = $2; $3 = $(seq -s, 1 $5); $4 = 0, 1; u = $(seq -s, 1 $((2 * $5))); }
  > .
  > }
  $ made a.nc 0 lat lon 3; made b.nc 1 latitude longitude 3; made c.nc 1 latitude longitude 4; drx import a.nc new --dataset
  $ refused import b.nc new --append time; refused import c.nc new --append time
  drx import: b.nc: other names: 'latitude' is 'lat' in new, 'longitude' is 'lon' in new; rename them, and the dimensions of these names, in the file, for example by rename of xarray
  drx import: c.nc: other names: 'longitude' is 'lon' in new; rename them, and the dimensions of these names, in the file, for example by rename of xarray
