Groups of datasets: paths of variables, dimensions and groups in all verbs.

A dataset of t(time, x), g/a(time, g/x), g/r(time, /x), g/h/b(time, n), and an empty group.
  $ made() { # NAME TYPE UNITS WIDTH: NAME(time, x) with both coordinates
  >   ncgen -o $1.nc <<.
  > netcdf $1 { dimensions: time = UNLIMITED; x = $4;
  > variables: double time(time); time:units = "days since 2001-01-01"; double x(x); $2 $1(time, x); $1:units = "$3"; :title = "root";
  > data: time = 0, 1, 2, 3; x = $(seq -s, 0 $((10 / $4)) $((10 * ($4 - 1) / $4))); $1 = $(seq -s, 0 $((4 * $4 - 1))); }
  > .
  > }
  $ made t float K 3; made a int m 5; numbers b.npy 'arange(8.).reshape(4, 2)'
  $ drx import t.nc ds; drx add ds g/x a.nc:x --dims /g/x; drx add ds g/a a.nc:a; drx add ds g/r t.nc:t --dims time,/x
  $ drx add ds g/h/b b.npy --dims time,n; drx add ds g/empty/e b.npy --dims time,n; drx rm ds/g/empty/e; drx attr ds/g source=argo
  $ drx cp ds first; again() { rm -r ds; drx cp first ds; }

drx info shows them as ncdump does, and each group by itself.
  $ drx info ds | sed 1d; drx info ds/g/ | sed 1d > g; drx info ds | grep -c 'float t('; grep 'float t(\|double b' g
  dimensions:
  	time = UNLIMITED ; // (4 currently)
  	x = 3 ;
  variables:
  	double time(time) ; // 2001-01-01 … 2001-01-04
  		time:units = "days since 2001-01-01" ;
  	double x(x) ;
  	float t(time, x) ;
  		t:units = "K" ;
  
  // global attributes:
  		:title = "root" ;
  
  group: g {
    dimensions:
    	x = 5 ;
    variables:
    	double x(x) ;
    	int a(time, x) ;
    		a:units = "m" ;
    	float r(time, /x) ;
    		r:units = "K" ;
  
    // group attributes:
    		:source = "argo" ;
  
    group: h {
      dimensions:
      	n = 2 ;
      variables:
      	double b(time, n) ;
      } // group /g/h
  
    group: empty {
      dimensions:
      	n = 2 ;
      } // group /g/empty
    } // group /g
  }
  1
    	double b(time, n) ;
  $ drx info ds --json | grep '"g/[a-z/]*"\|argo' | tr -s ' \n' ' '; drx info -r ds | sed 's/  .*//' | paste -sd' '
   "g/x": {"size": 5, "lower": 0, "unlimited": false}, "g/h/n": {"size": 2, "lower": 0, "unlimited": false}, "g/empty/n": {"size": 2, "lower": 0, "unlimited": false} "source": "argo" "g/h": { "g/empty": { "g/x": { "dims": ["g/x"], "g/a": { "dims": ["time", "g/x"], "g/r": { "g/h/b": { "dims": ["time", "g/h/n"], g/a g/h/b g/r g/x t time x
  $ for verb in refs check map log read; do refused $verb ds/g; done | alike 'drx [a-z]*'
  drx refs, drx check, drx map, drx log, drx read: ds/g: is a group of the dataset ds; give the dataset, or a variable, as in ds/g/VARIABLE

A coordinate is that of the dimension, whatever is nearer.
  $ drx read ds/g/a; drx read 'ds/g/a[x=2, time=2001-01-02]'; drx read 'ds/g/r[x=3.3, time=2001-01-03]'; drx info ds/g/a | grep '…'
   0   1   2   3   4
   5   6   7   8   9
  10  11  12  13  14
  15  16  17  18  19
  6
  7
    time              0 … 3  days since 2001-01-01
    x                 0 … 8
  $ refused read ds/g/aa; drx view ds/g/a --terminal | wc -l; drx map ds/g/a | head -1
  drx read: ds/g/aa: no such array; did you mean ds/g/a?
  21
  0

The log tells of groups. A dimension has attributes, too.
  $ drx log ds | head -6; drx attr ds --dimension time axis=T; drx info ds | grep axis; drx log ds -n 1 --json
  commit 8  2023-11-14 22:13:20  drx attr ds/g source=argo
      attribute set: g:source
  commit 7  2023-11-14 22:13:20  drx rm ds/g/empty/e
      variable removed: g/empty/e
  commit 6  2023-11-14 22:13:20  drx add ds g/empty/e b.npy --dims time,n
      group added: g/empty
  		// time:axis = "T" ;
  [
    {"commit": 9, "time_us": 1700000000000000, "message": "drx attr ds --dimension time axis=T", "changes": [{"change": "attribute set", "of": "dimension", "name": "time", "other": "axis"}]}
  ]

A variable and a group get other names. What was committed before has the old ones.
  $ drx rename ds g/a g/aa; drx log ds -n 1; drx read 'ds/g/aa[0]'; for verb in read info rm; do refused $verb ds/g/a; done | alike 'drx [a-z]*'
  commit 10  2023-11-14 22:13:20  drx rename ds g/a g/aa
      variable renamed: g/a → g/aa
  0  1  2  3  4
  drx read: ds/g/a: no such array; did you mean ds/g/x?
  drx info: ds/g/a: no such array or dataset; did you mean ds/g/x?
  drx rm: ds/g/a: no such array; did you mean ds/g/x?
  $ drx rename ds g k --group; drx read 'ds/k/aa[1]'; drx info ds | grep 'group: k'; drx check ds
  5  6  7  8  9
  group: k {
  ds: good
  $ drx copy ds/g/aa then --commit 10; drx read 'then[1]'
  5  6  7  8  9

A coordinate is a dimension and a variable. Both get the name in one commit, unless an option chooses one.
  $ again; drx rename ds time when; drx log ds -n 1; drx info ds | grep 'when = \|(when'; drx read 'ds/g/a[x=2, when=2001-01-02]'
  commit 9  2023-11-14 22:13:20  drx rename ds time when
      dimension renamed: time → when
      variable renamed: time → when
  	when = UNLIMITED ; // (4 currently)
  	double when(when) ; // 2001-01-01 … 2001-01-04
  	float t(when, x) ;
    	int a(when, x) ;
    	float r(when, /x) ;
      	double b(when, n) ;
  6
  $ drx rename ds when time --dimension; drx info ds | grep 'when('
  	double when(time) ; // 2001-01-01 … 2001-01-04

What rename refuses changes nothing.
  $ again; refused rename ds g/a a; refused rename ds t x; refused rename ds no b; refused rename ds g t; refused rename ds g/a g/.a
  drx rename: ds: variable 'g/a' cannot become 'a': it stays in its group
  drx rename: ds: has a variable 'x' already
  drx rename: ds: has no variable, dimension or group 'no'; 'drx info ds' lists what it has
  drx rename: ds: has a variable 't' already
  drx rename: ds: "g/.a" cannot name a variable: expected 1 to 200 bytes of UTF-8 in its group, no dot in front
  $ refused rename ds t tt --group; misused rename ds t b --group --variable; refused rename b.npy t b; drx log ds | diff - <(drx log first)
  drx rename: ds: has no group 't'; 'drx info ds' lists what it has
  drx rename: --variable, --dimension and --group exclude each other; without them, all of that name change
  drx rename: b.npy: is a .npy file; `drx import b.npy NEW` makes an array of it
  $ drx rename ds g/h/n g/h/h; drx rename ds x g --dimension; misused rename ds g k
  drx rename: ds: 'g' is a group and a dimension; give --group or --dimension

drx mv renames inside of a dataset, and moves nothing into it or out of it.
  $ again; drx mv ds/g/a ds/g/aa; drx mv ds/g/h/ ds/g/i; drx log ds -n 1; drx read ds/g/i/b | head -1
  commit 10  2023-11-14 22:13:20  drx mv ds/g/h/ ds/g/i
      group renamed: g/h → g/i
  0  1
  $ drx log ds > before; mkdir out; for to in ds/a a out ds ds/g/i/a ds2/g/a; do refused mv ds/g/aa $to; done | uniq -c
        6 drx mv: ds/g/aa: is part of the dataset ds, and drx mv gives it another name in its group alone: drx mv ds/g/aa ds/g/NEW; drx add puts a variable elsewhere in a dataset, drx cp makes an array of it, and drx rm removes it here
  $ refused mv ds/t ds/g out; refused mv ds/t ds/x; refused cp ds/g out; drx log ds | diff - before
  drx mv: ds/t: is part of the dataset ds, and drx mv gives it another name in its group alone: drx mv ds/t ds/NEW; drx add puts a variable elsewhere in a dataset, drx cp makes an array of it, and drx rm removes it here
  drx mv: ds: has a variable 'x' already
  drx cp: ds/g: is a group of the dataset ds; give the dataset, or a variable, as in ds/g/VARIABLE

drx rm removes variables and groups.
  $ again; drx rm ds/g/a; drx log ds -n 1; drx rm ds/g/h/; drx log ds -n 1; drx rm ds/g; ls ds | grep '^g$'; refused rm ds/g; drx check ds
  commit 9  2023-11-14 22:13:20  drx rm ds/g/a
      variable removed: g/a
  commit 10  2023-11-14 22:13:20  drx rm ds/g/h/
      group removed: g/h
  drx rm: ds/g: no such array; did you mean ds/x?
  ds: good

drx add makes the groups that are missing.
  $ again; refused add ds t/b b.npy --dims time,n; refused add ds g/b a.nc:a --dims time,/x; refused add ds g/a a.nc:a
  drx add: ds: has a variable 't' already
  drx add: a.nc:a: has 5 indices on /x, but ds has 3; select as many, for example by FROM[/x=...] of an array, or give the dimension another name with --dims
  drx add: ds/g/a: is there already; give another name, or --force to replace it; drx write stores elements in it
  $ refused add ds n/a a.nc:a; drx log ds | diff - <(drx log first)
  drx add: a.nc:a: has 5 indices on x, but ds has 3; select as many, for example by FROM[x=...] of an array, or give the dimension another name with --dims
  $ drx add ds new/deep/a a.nc:a --dims time,y; drx log ds -n 1; drx add ds g/a t.nc:t --dims time,/x --force; drx info ds | grep ' a('
  commit 9  2023-11-14 22:13:20  drx add ds new/deep/a a.nc:a --dims time,y
      groups added: new, new/deep
      dimension added: new/deep/y 5
      variables added: new/deep/a, new/deep/y
    	float a(time, /x) ;
      	int a(time, y) ;

Attributes of groups, of variables in them, and of dimensions.
  $ again; drx attr ds/g; drx attr ds/g/a units=km; drx attr ds/g/a units; drx attr ds/g/h level=3 --type int32; drx attr ds/g/h
  source = "argo"
  km
  level = 3
  $ drx attr ds/g --delete source; drx attr ds/g; drx attr ds --dimension g/x axis=X; drx attr ds --dimension g/x axis
  X
  $ refused attr ds --dimension y; refused attr ds/g/a --dimension x
  drx attr: ds: has no dimension 'y'; give a dataset, and the path of a dimension that 'drx info' lists
  drx attr: ds/g/a: has no dimension 'x'; give a dataset, and the path of a dimension that 'drx info' lists

Bounds change for all variables that have the dimension, and for no others.
  $ again; shape() { drx info $1 | grep shape; }; drx extend ds g/x 1; shape ds/g/a; shape ds/g/r; drx trim ds g/x --after 1; shape ds/g/a
  shape      4 × 6  (time, x)
  shape      4 × 3  (time, x)
  shape      4 × 5  (time, x)
  $ drx extend ds time 1; shape ds/g/h/b; drx add-axis ds/g/h/b 1 lev; drx info ds/g/h | grep lev; drx compact ds
  shape      5 × 2  (time, n)
  	lev = 1 ;
  	double b(time, lev, n) ;

The units of a coordinate in a group change by themselves.
  $ again; drx add ds g/time t.nc:time; drx retime ds g/time 'hours since 2001-01-01'; drx attr ds/g/time units; drx attr ds/time units
  hours since 2001-01-01
  days since 2001-01-01
  $ drx read ds/g/time --raw
   0  24  48  72

Copies have the groups, but not dimensions that no variable has.
  $ again; drx attr ds --dimension g/x axis=X; drx copy ds new --chunk g/x=2,time=2; diff <(drx info ds | sed 1d) <(drx info new | sed 1d)
  36,37d35
  <     dimensions:
  <     	n = 2 ;
  [1]
  $ drx info new/g/a | grep chunk; drx read new/g/a | diff - <(drx read ds/g/a)
  chunk      2 × 2  (16 bytes)
  chunks     6  (2 × 3), 83 % inside the bounds
  $ drx copy 'ds[time=2001-01-02, g/x=1:3]' part; drx read part/g/a; drx read part/g/h/b; shape part/g/r
  6
  2  3
  shape      1 × 3  (time, x)
  $ drx cp ds same; drx info same | sed 1d | diff - <(drx info ds | sed 1d); drx cp ds/g/a a; drx read a | diff - <(drx read ds/g/a)
  $ refused copy ds/g x; refused copy ds/g/a ds/g/new; refused create ds/new/a --shape 2
  drx copy: ds/g: is a group of the dataset ds; give the dataset, or a variable, as in ds/g/VARIABLE
  drx copy: ds/g/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds g/new SOURCE'
  drx create: ds/new/a: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as a, or add a variable: 'drx add ds new/a SOURCE'

A copy that fails leaves no folders.
  $ ls > before; (ulimit -f 24; refused copy ds other 2>&1 | sed 's|: .*: File|: ...: File|'); ls | diff - before
  drx copy: ...: File too large

An export has all groups; a variable goes with the coordinates of its dimensions.
  $ drx export ds out.nc; drx import out.nc again; drx info ds | sed '1d; /X" ;$/d' > ds.txt; drx info again | sed '1d; /X" ;$/d' | diff ds.txt - && rm out.nc
  $ refused export ds/g out.nc; ls out.nc 2> /dev/null
  drx export: ds/g: is a group of the dataset ds; give the dataset, or a variable, as in ds/g/VARIABLE
  [2]
  $ for name in a r; do drx export ds/g/$name out.nc; ncdump -v x,time out.nc | grep " $name(\|^ x =\|^ time ="; done
  	int a(time, x) ;
   time = 0, 1, 2, 3 ;
   x = 0, 2, 4, 6, 8 ;
  	float r(time, x) ;
   time = 0, 1, 2, 3 ;
   x = 0, 3, 6 ;

A file without groups lacks the variables in them.
  $ again; refused import t.nc ds --append time; drx log ds | diff - <(drx log first)
  drx import: t.nc: lacks variables of the dataset: g/a, g/r, g/h/b; give a file that has them

In the folder, and from one below it, after it was moved.
  $ drx rename ds g k; mv ds moved; cd moved; drx read 'k/a[0]'; drx attr k; drx mv k/a k/b; drx rm k/b
  0  1  2  3  4
  source = "argo"
  $ drx add . k/c ../b.npy --dims time,n; drx info . | grep 'double c'
    	double c(time, n) ;
