drx import of .npy files, of bare elements, and of coordinates that lie beside a variable.

Options of a new array. Files that are cut off are told as such.
  $ numbers in.npy 'arange(24, dtype="i2").reshape(6, 4)'; drx import in.npy a --dims y,x --fill -9 --chunk 4,4 --order F; drx info a | sed -n '/shape/,/fill/p'
  shape      6 × 4  (y, x)
  chunk      4 × 4  (32 bytes)
  type       int16
  order      F  (first axis fastest)
  fill       -9
  $ refused import in.npy b --fill 1.5; refused import in.npy b --dims y; refused import in.npy:u b; numbers in.npy 'zeros((100, 100))'
  drx import: in.npy: --fill '1.5' is not a value of that type; give a value of type int16
  drx import: in.npy: --dims has 1 names; give 2, one for each dimension
  drx import: in.npy: holds one array; remove ':u'
  $ for size in 70000 60 3 0; do truncate -s $size in.npy; refused import in.npy b; done; echo *.xmd
  drx import: in.npy: ends after 69872 bytes of elements, expected 80000
  drx import: in.npy: ends within its header
  drx import: in.npy: import does not know this kind of file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import
  drx import: in.npy: import does not know this kind of file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import
  a.xmd
  $ for shape in '0,' '0, 3' '3, 0, 2'; do numbers in.npy "zeros(($shape))"; drx import in.npy e --force; drx info e | grep shape; done
  shape      0
  shape      0 × 3
  shape      3 × 0 × 2

Bare elements have a type, a shape and perhaps an offset. All of the file must be used.
  $ numbers n.npy 'arange(15, dtype=">f4").reshape(5, 3)'; (printf head; tail -c 60 n.npy; printf more) > in.raw; words='--raw --type >f4 --shape 5,3'; drx import n.npy n
  $ drx import in.raw r $words --offset 4; drx read r | diff - <(drx read n); drx import - r $words --offset 4 --force < in.raw; drx read r | diff - <(drx read n)
  $ tail -c +5 in.raw | head -c 60 | drx import - r $words --force; drx read r | diff - <(drx read n); refused import in.raw b $words; refused import in.raw b $words --offset 9
  drx import: in.raw: has 68 bytes, expected 60 from --shape and --type; give --offset if the file holds other bytes, too
  drx import: in.raw: has 68 bytes, expected 69 from --shape and --type after --offset
  $ refused import in.raw b --raw --type f8 --shape 5,3; refused import - b $words < in.raw; head -c 40 in.raw | refused import - b $words
  drx import: in.raw: has 68 bytes, expected 120 from --shape and --type
  drx import: standard input: goes on after the elements of --shape
  drx import: standard input: ends before its last element
  $ refused import - b $words --offset 1K < in.raw; for words in '--raw --type f4' '--raw --shape 4' '--raw --shape 4 --type >q9' '--type f4' '--shape 3' '--source-order F' \
  >     '--offset 3'; do misused import in.raw b $words; done
  drx import: standard input: ends before --offset 1024
  drx import: --shape is missing; --raw needs it
  drx import: --type is missing; --raw needs it
  drx import: --type '>q9' is unknown; give int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128, bool, or S1 to S4096 or U1 to U1024 for strings
  drx import: --type goes with a file of bare elements; give --raw, too
  drx import: --shape goes with a file of bare elements; give --raw, too
  drx import: --source-order goes with a file of bare elements; give --raw, too
  drx import: --offset goes with a file of bare elements; give --raw, too
  $ refused import in.raw b --raw --type f8 --shape 4000000000,4000000000,9; refused import in.raw:x b --raw --type f8 --shape 0
  drx import: in.raw: --shape and --type give a size that does not fit in 64 bits
  drx import: in.raw: holds one array; remove ':x'
  $ refused import no.raw b --raw --type f8 --shape 0; > in.raw; drx import in.raw z --raw --shape 0,4 --type f8; drx info z | grep shape
  drx import: no.raw: no such file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import, followed by :VARIABLE if it holds several
  shape      0 × 4

What is appended fits the array. A .npy file knows neither names nor attributes.
  $ made() { # [NAME=VALUE ...]
  >   local of=float t=2 lat=3 dims='time, lat, lon' first=time last=lon units=K; [ $# = 0 ] || local "$@"
  >   ncgen -4 -o in.nc <<< "netcdf in { dimensions: $first = $t; lat = $lat; $last = 4; variables: $of u($dims); u:units = \"$units\"; u:scale_factor = 2.f; }"
  > }
  $ made; drx import in.nc:u base; app() { refused import in.nc:u base --append time --as base; }; made of=double; app; made dims='time, lat'; app; made lat=5; app
  drx import: in.nc:u: has type float64, but float32 of base
  drx import: in.nc:u: has 2 dimensions, expected 3 as base has
  drx import: in.nc:u: has 5 indices on axis 1 (lat), expected 3 as base has
  $ made last=longitude dims='time, lat, longitude'; app; made first=t dims='t, lat, lon'; app
  drx import: in.nc:u: axis 2 is called 'longitude', but 'lon' in base; --dims gives other names
  drx import: in.nc:u: axis 0 is called 't', but 'time' in base; --dims gives other names
  $ for units in m 'days since 2001-01-01'; do made units="$units"; app; drx import in.nc:u base --append time --as base --force; done; drx info base | grep shape
  drx import: in.nc:u: base: the units 'm' cannot be converted to 'K'; --force appends its numbers as they are
  drx import: in.nc:u: base: the units 'days since 2001-01-01' are dates, but 'K' are not; --force appends its numbers as they are
  shape      6 × 3 × 4  (time, lat, lon)
  $ numbers in.npy 'ones((1, 3, 4), "f4")'; drx import in.npy base --append time; refused import in.npy base --append height; refused import in.npy no --append 0
  drx import: base: no axis 'height'; give 0 to 2 or one of the names time, lat, lon
  drx import: no: no such array or dataset; without --append, drx import makes it
  $ refused import in.npy base --append 0 --from 2; for words in '--chunk 1,1,1' '--order F'; do misused import in.npy base --append 0 $words; done; misused import in.npy b --from 2
  drx import: in.npy: has 1 indices on axis 0 (time); give at most that many with --from
  drx import: --chunk goes with a new array; remove it or --append
  drx import: --order goes with a new array; remove it or --append
  drx import: --from goes with --append; give both
  $ drx create g --shape 3,0; for words in '4,0:0' '7,0:1' '7,2:1' '0,2:0'; do numbers in.npy "zeros((${words%:*}))"; drx import in.npy g --append ${words#*:}; drx info g | grep shape; done
  shape      7 × 0
  shape      7 × 0
  shape      7 × 2
  shape      7 × 2

Coordinates come along under the names of the axes. Those that are not numbers are left out.
  $ rm *.x*; coords() { ncgen -4 -o in.nc <<< "netcdf in { dimensions: time = 3; lat = 2; x = 2; variables: double u(time, lat, x), lat(lat); int time(time); data: lat = $1; time = $2; }"; }
  $ coords '1, 2' '10, 20, 30'; drx import in.nc:u u --coords --dims 't,breite ü,'; echo *.xmd; drx read t; refused import in.nc:u v --coords --dims a/b,,; refused import in.nc:u u --coords
  breite ü.xmd t.xmd u.xmd
  10  20  30
  drx import: in.nc:u: coordinates cannot be stored as 'a/b'; give another name with --dims
  drx import: u.xmd: exists already; give a new path, or --force to replace it
  $ numbers in.npy 'ones(3)'; drx import in.npy a --coords --dims x; ncgen -4 -o c.nc <<< 'netcdf c { dimensions: y = 2; x = 3; variables: double u(y, x); char x(x); }'
  $ drx import c.nc:u b --coords; ncgen -4 -o g.nc <<< 'netcdf g { dimensions: x = 3; variables: double x(x); data: x = 0, 1, 2; group: g { dimensions: y = 2; variables:
  >   double y(y), u(y, x); data: y = 0, 1; } }'
  $ mkdir inner other; drx import g.nc:g/u inner/u --coords; drx read inner/x; drx read inner/y
  0  1  2
  0  1

They are appended to, unless they differ.
  $ cd other; cp ../in.nc .; drx import in.nc:u u --coords; coords '1, 2' '40, 50, 60'; drx import in.nc:u u --coords --append time; drx read time; drx import in.nc:u u --append time --no-coords
  10  20  30  40  50  60
  $ refused import in.nc:u u --coords --append time; coords '5, 6' '70, 80, 90'; drx trim u time --after 3; refused import in.nc:u u --coords --append time; drx info u time | grep shape
  drx import: time: has the indices 0 to 5, but the array has 0 to 8 there; append the missing ones to it, or --no-coords appends without it
  drx import: lat: its values differ from the coordinates in.nc:lat: lat: index 0 is 5, but 1 is stored; --no-coords appends without it
  shape      6 × 2 × 2  (time, lat, x)
  shape      6  (time)
