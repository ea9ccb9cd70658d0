Commits of datasets: appended, trimmed, told, forgotten, and shown as they were.

  $ made() { # FIRST N FILE: u(time, lat) and v(time, lat) from that time on
  >   ncgen -4 -o $3.nc <<.
  > netcdf in { dimensions: time = UNLIMITED; lat = 4; variables: double time(time); time:units = "days since 2001-01-01"; float lat(lat), u(time, lat);
  > lat:units = "degrees_north"; u:_FillValue = -99.f; short v(time, lat); v:scale_factor = .5; :history = "made";
  > data: time = $(seq -s, $1 $(($1 + $2 - 1))); lat = 0, 1, 2, 3; u = $(seq -s, $((4 * $1)) $((4 * ($1 + $2) - 1))); v = $(seq -s, $((4 * $2))); }
  > .
  > }
  $ same() { diff <(ncdump $1.nc | sed 1d) <(ncdump $2.nc | sed 1d); }; times() { echo $(drx read ds/time --raw); }; new() { rm -rf ds; drx import a.nc ds; }
  $ made 0 3 a; made 3 2 b; new

An append grows all variables in one commit. What was exported before is what comes out as of then.
  $ drx import b.nc ds --append time; times; drx log ds; drx log ds -n 1 --json; drx info ds | grep UNLIM; drx export ds out.nc; ncdump -v u out.nc | tail -7
  0 1 2 3 4
  commit 2  2023-11-14 22:13:20  drx import b.nc ds --append time
      time 3 → 5
  commit 1  2023-11-14 22:13:20  drx import a.nc ds
      dimensions added: time 3, lat 4
      variables added: time, lat, u, v
      attribute set: :history
  commit 0  2023-11-14 22:13:20  created
  [
    {"commit": 2, "time_us": 1700000000000000, "message": "drx import b.nc ds --append time", "changes": [{"change": "bounds", "of": "dimension", "name": "time", "lower_before": 0, "upper_before": 3, "lower": 0, "upper": 5}]}
  ]
  	time = UNLIMITED ; // (5 currently)
   u =
    0, 1, 2, 3,
    4, 5, 6, 7,
    8, 9, 10, 11,
    12, 13, 14, 15,
    16, 17, 18, 19 ;
  }
  $ drx export ds first.nc --at 1; same a first; drx info ds --at 1 | grep UNLIM
  	time = UNLIMITED ; // (3 currently)

An array as of a commit has the bounds of then, which negative indices count from. --at is another name of --commit, where it is not an index.
  $ drx read 'ds/u[-1]' --commit 1; drx read ds/u --commit 1 | diff - <(drx read 'ds/u[:3]'); drx read ds/u --at 0,0 --commit 1 | tail -1
   8   9  10  11
   8   9  10  11
  $ refused read 'ds/u[3]' --commit 1; for commit in 3 0; do refused read ds/u --commit $commit; done; drx export ds/u u.nc --at 1; ncdump -v time u.nc | grep 'time ='
  drx read: ds/u: index 3 is outside of axis 0 (time); give -3 to 2
  drx read: ds/u: ds: commit 3, expected 0 to 2
  drx read: ds/u: ds: has no variable 'u' at commit 0
  	time = 3 ;
   time = 0, 1, 2 ;
  $ for words in 'info ds' 'view ds/u --terminal' 'refs ds' 'refs ds/u' 'copy ds then'; do
  >   for option in --commit --at; do drx $words $option 1 > $option; rm -rf then; done; cmp ./--commit ./--at
  > done; misused read 'ds/u[-1]' --at 1; misused map ds/u --at 1; refused read ds/u --at 1; drx copy ds/u other; refused export other u.nc --at 1
  drx read: [-1] and --at exclude each other; give one of them, or --commit N for a commit of a dataset
  drx map: --at goes with a picture; give -o FILE.svg, too, or --commit N for a commit of a dataset
  drx read: ds/u: --at has 1 number; give 2, one for each axis, or --commit 1 for that commit of a dataset
  drx export: other: a lone array, which has no commits

A trim takes indices away at both ends. What it has removed is not shown as of then. Appends go on.
  $ drx trim ds time --before 2 --after 1; times; drx read ds/u; drx log ds -n 1; refused export ds out.nc --at 1; refused trim ds time --before 3
  2 3
   8   9  10  11
  12  13  14  15
  commit 3  2023-11-14 22:13:20  drx trim ds time --before 2 --after 1
      time trimmed from 0 → 2
      time trimmed 5 → 4
  drx export: ds/time: axis 0: indices 0 to 2 were asked for, and 2 to 2 are left by a trim since it was opened or refreshed
  drx trim: ds: dimension 'time': trimming 3 and 0 indices, it has 2
  $ refused trim ds depth --before 3; refused trim ds/u time --before 1; made 4 2 c; drx import c.nc ds --append time; times; drx check ds
  drx trim: ds: has no dimension 'depth'
  drx trim: ds/u: a variable of a dataset: its bounds are those of its dimensions: drx_dataset_extend, drx_dataset_extend_before and drx_dataset_trim change them
  2 3 4 5
  note: ds/time.xta: 1 chunk holds other than the fill outside the bounds, left by a trim, which growth clears
  note: ds/u.xta: 1 chunk holds other than the fill outside the bounds, left by a trim, which growth clears
  note: ds/v.xta: 1 chunk holds other than the fill outside the bounds, left by a trim, which growth clears
  ds: good
  $ drx trim ds time --after 1; drx log ds -n 1 | head -1
  commit 5  2023-11-14 22:13:20  drx trim ds time --after 1

All but the last commits are forgotten on demand; these keep their numbers.
  $ new; for first in 3 5 7; do made $first 2 c; drx import c.nc ds --append time; done; drx log ds > log; drx compact ds --keep 9; drx log ds | diff log -; drx compact ds --keep 2
  $ drx log ds; drx log ds -n 1 | head -1; drx read ds/u --commit 3 | wc -l; refused info ds --commit 2; drx check ds; refused compact ds/u --keep 2; misused compact ds --keep 0
  commit 4  2023-11-14 22:13:20  drx import c.nc ds --append time
      time 7 → 9
  commit 3  2023-11-14 22:13:20  drx import c.nc ds --append time
      time 5 → 7
  commit 4  2023-11-14 22:13:20  drx import c.nc ds --append time
  7
  drx info: ds: commit 2 was forgotten: the oldest one is 3
  ds: good
  drx compact: ds/u: no dataset; --keep takes datasets alone
  drx compact: --keep 0: a dataset keeps 1 commit at least

What compressed variables have out of use goes; the log stays.
  $ drx create noise --shape 64,64 --chunk 64,64 --type int32 --codec zstd --dims y,x; drx add ds packed noise --codec zstd; drx log ds > log
  $ for seed in 0 1 2; do numbers part.npy "random.default_rng($seed).integers(0, 1 << 30, (64, 64), 'i4')"; drx write ds/packed --at 0,0 part.npy; done; before=$(stat -c %b ds/packed.xtz)
  $ drx compact ds/; (($(stat -c %b ds/packed.xtz) < before)) && echo smaller; drx check ds; drx log ds | diff log -; drx read ds/packed -o got.npy; cmp got.npy part.npy
  smaller
  ds: good
  $ drx compact ds/*; times; drx read ds/u --commit 3 | wc -l
  0 1 2 3 4 5 6 7 8
  7

Another axis moves no element, and an earlier commit has no such axis, also after a compaction.
  $ rm -rf ds; drx import a.nc ds --grows time; drx import b.nc ds --append time; drx export ds two.nc; for name in u v; do drx add-axis ds/$name 0 run; done; drx info ds | grep 'u('; drx read 'ds/u[0]' | head -1; drx log ds -n 1
  	float u(run, time, lat) ;
   0   1   2   3
  commit 4  2023-11-14 22:13:20  drx add-axis ds/v 0 run
      variable with a new axis: v 0 run
  $ drx export ds out.nc; ncdump -h out.nc | grep ' u('; for axis in '2 run' '0 lat'; do refused add-axis ds/time $axis; done; for axis in run lat; do refused add-axis ds/u 0 $axis; done
  	float u(run, time, lat) ;
  drx add-axis: ds: time: a new axis 2, expected 0 to 1
  drx add-axis: ds: time: a new axis has the index 0 alone, but dimension 'lat' has the bounds 0 and 4
  drx add-axis: ds: u: has the dimension 'run' already
  drx add-axis: ds: u: has the dimension 'lat' already
  $ refused add-axis ds/w 0 x; drx compact ds; for words in 'a 1' 'two 2'; do drx export ds then.nc --commit ${words#* }; same ${words% *} then; done
  drx add-axis: ds: has no variable 'w'

Nothing is put into the folder of a dataset, and a variable whose files are lost can be removed.
  $ drx import b.nc new --dataset; for verb in cp mv; do refused $verb new ds; refused $verb new ds --force; done | uniq -c; new; rm ds/u.xta; drx rm ds/u; drx info ds | grep 'u('; drx check ds; ls ds
        2 drx cp: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
        2 drx mv: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
  ds: good
  dataset.xds
  lat.xta
  time.xta
  v.xta

A folder of arrays is no dataset. Coordinates that lie beside an array are its own.
  $ mkdir folder; for name in u v; do drx import a.nc:$name folder/$name --coords; done; refused log folder; refused export folder out.nc; mkdir empty; refused export empty/ out.nc
  drx log: folder: is a folder, but not a dataset; give a dataset, or an array in the folder
  drx export: folder: is a folder, but not a dataset; give a dataset, or an array in the folder
  drx export: empty/: is a folder, but not a dataset; give a dataset, or an array in the folder
  $ drx export folder/u out.nc; ncdump -v time,lat,u out.nc | sed -n '/^data/,$p' | sort | diff - <(ncdump -v time,lat,u a.nc | sed -n '/^data/,$p' | sort)

The log tells what each commit has changed, in words and in JSON.
  $ new; drx log ds --json; drx log ds/dataset.xds -n 1 | head -2; drx attr ds/u units=K long_name=wind; drx attr ds/u --delete long_name; drx add-axis ds/u 1 run
  [
    {"commit": 1, "time_us": 1700000000000000, "message": "drx import a.nc ds", "changes": [{"change": "attribute set", "of": "dataset", "name": "", "other": "history"}, {"change": "added", "of": "dimension", "name": "time", "lower_before": 0, "upper_before": 0, "lower": 0, "upper": 3}, {"change": "added", "of": "dimension", "name": "lat", "lower_before": 0, "upper_before": 0, "lower": 0, "upper": 4}, {"change": "added", "of": "variable", "name": "time"}, {"change": "added", "of": "variable", "name": "lat"}, {"change": "added", "of": "variable", "name": "u"}, {"change": "added", "of": "variable", "name": "v"}]},
    {"commit": 0, "time_us": 1700000000000000, "message": "created", "changes": []}
  ]
  commit 1  2023-11-14 22:13:20  drx import a.nc ds
      dimensions added: time 3, lat 4
  $ drx info ds --at 1 | grep -c variables; drx info ds/ --at 0 | grep -c variables; drx rm ds/v; drx log ds -n 4; drx log ds --json -n 2 | grep -o '{"change": "axis".*}'
  1
  0
  commit 5  2023-11-14 22:13:20  drx rm ds/v
      variable removed: v
  commit 4  2023-11-14 22:13:20  drx add-axis ds/u 1 run
      dimension added: run 1
      variable with a new axis: u 1 run
  commit 3  2023-11-14 22:13:20  drx attr ds/u --delete long_name
      attribute deleted: u:long_name
  commit 2  2023-11-14 22:13:20  drx attr ds/u units=K long_name=wind
      attributes set: u:units, u:long_name
  {"change": "axis", "of": "variable", "name": "u", "other": "run", "axis": 1}]}
  $ refused info ds --at 6; drx export ds none.nc --at 0; ncdump none.nc
  drx info: ds: commit 6, expected 0 to 5
  netcdf none {
  }
