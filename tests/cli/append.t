drx import --append: coordinates and variables are compared by what they mean, of arrays and of datasets.

  $ made() { # TIME [NAME=VALUE ...]: in.nc with u(time, lat) of 1, 2, ... along time, or of value, and its coordinates
  >   local time=$1 name=u units='days since 2001-01-01' lat='1, 2' value=1 of=double time_of=double lat_of=double dims='time, lat' file=in.nc more=
  >   shift; [ $# = 0 ] || local "$@"
  >   ncgen -4 -o $file <<.
  > netcdf in { dimensions: time = $(wc -w <<< $time); lat = $(wc -w <<< $lat);
  > variables: $of $name($dims); $time_of time(time); $lat_of lat(lat); time:units = "$units"; $more
  > data: time = $time; lat = $lat; $name = $(for t in $time; do for l in $lat; do echo $value; done; value=$((value + 1)); done | paste -sd,); }
  > .
  > }
  $ start() { rm -f *.x*; made "$@"; drx import in.nc:u u --coords; }; app() { drx import in.nc:u u --coords --append time "$@"; }
  $ no() { refused import in.nc:u u --coords --append time "$@"; }; times() { echo $(drx read ${1-time} --raw); }; u() { echo $(drx read "u[:,${1-0}]"); }

Another reference date is encoded again. Calendars, and units that are no dates, must fit.
  $ start '.5, 1.5'; made '.5, 1.5' units='days since 2002-01-01'; app; made '36, 60' time_of=int units='hours since 2002-01-02'; app; times
  drx import: warning: time goes from 2001-01-02T12:00 to 2002-01-01T12:00, a step of 364 days, but its other steps are 1 days; is a part missing? 'drx trim u time --after 2' takes this append back, and the same of the coordinate beside it
  0.5 1.5 365.5 366.5 367.5 368.5
  $ for calendar in noleap 360_day julian; do made '.5, 1.5' units='days since 2003-01-01' more="time:calendar = \"$calendar\";"; no; done
  drx import: in.nc:time: neither continues time nor leads up to it: time: the calendar is noleap, but that of the stored dates is standard; dates are not moved between calendars: give a file in the calendar standard, for example by convert_calendar of xarray; --no-coords appends without it
  drx import: in.nc:time: neither continues time nor leads up to it: time: the calendar is 360_day, but that of the stored dates is standard; dates are not moved between calendars: give a file in the calendar standard, for example by convert_calendar of xarray; --no-coords appends without it
  drx import: in.nc:time: neither continues time nor leads up to it: time: the calendar is julian, but that of the stored dates is standard; dates are not moved between calendars: give a file in the calendar standard, for example by convert_calendar of xarray; --no-coords appends without it
  $ made '.5, 1.5' units=m; no; made 2.5 units='days since 2003-01-01' more='time:calendar = "proleptic_gregorian";'; app; times
  drx import: in.nc:time: neither continues time nor leads up to it: time: the units 'days since 2001-01-01' are dates, but 'm' are not; --no-coords appends without it
  0.5 1.5 365.5 366.5 367.5 368.5 732.5

Indices that are stored already are skipped or replaced on demand.
  $ start '.5, 1.5, 2.5'; made '36, 60, 84' units='hours since 2001-01-01' value=7; no; app --overlap skip; times; u
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 0 is 2001-01-02T12:00, which is stored already at index 1 (2001-01-02T12:00); the stored ones end at 2001-01-03T12:00; --overlap skip leaves those that are stored, --overlap replace overwrites them; --no-coords appends without it
  0.5 1.5 2.5 3.5
  1 2 3 9
  $ made '1.5, 2.5, 3.5, 4.5' value=20; app --overlap replace; times; u 1; app --overlap skip; drx info u | grep shape
  0.5 1.5 2.5 3.5 4.5
  1 20 21 22 23
  shape      5 × 2  (time, lat)
  $ made '1.75, 5.5'; no --overlap skip; for words in '--overlap skip' '--as u' '--from 1'; do misused import in.nc:u u $words; done
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 0 is 2001-01-02T18:00, but the stored ones go from 2001-01-01T12:00 to 2001-01-05T12:00, and none of them equals it; the nearest is 2001-01-02T12:00, index 1; give those that go on from the last one, or lead up to the first; --no-coords appends without it
  drx import: --overlap goes with --append; give both
  drx import: --as goes with --append; give both
  drx import: --from goes with --append; give both
  $ for words in --coords '--overlap skip'; do misused import in.nc:u u --append time --no-coords $words; done
  drx import: --no-coords does not go with --coords; remove one of them
  drx import: --no-coords does not go with --overlap; remove one of them

What leads up to the first coordinate makes the array grow at its low end, and the coordinate, too.
  $ start '.5, 1.5'; made '-48, -24, 0' units='hours since 2001-01-01T12:00' value=5; no; app --overlap skip; times; u
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 2 is 2001-01-01T12:00, which is stored already at index 0 (2001-01-01T12:00); the stored ones begin at 2001-01-01T12:00; --overlap skip leaves those that are stored, --overlap replace overwrites them; --no-coords appends without it
  -1.5 -0.5 0.5 1.5
  5 6 1 2
  $ drx info u | grep indices; made '-3.5, -2.5, -1.5, -.5' value=10; app --overlap replace; times; made '2.5, 3.5' value=30; app; u 1
  indices    -2..1 × 0..1
  -3.5 -2.5 -1.5 -0.5 0.5 1.5
  10 11 12 13 1 2 30 31
  $ made '-4.5, 4.5'; no; made '-6.5, -5.5' value=0; app --from 1; times
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 0 is 2000-12-27T12:00, before the first stored one, 2000-12-28T12:00, and new index 1 is 2001-01-05T12:00, after the last one; give those before and those after one after the other; --no-coords appends without it
  drx import: warning: time goes from 2000-12-26T12:00 to 2000-12-28T12:00, a step of 2 days, but its other steps are 1 days; is a part missing? 'drx trim u time --before 1' takes this append back, and the same of the coordinate beside it
  -5.5 -3.5 -2.5 -1.5 -0.5 0.5 1.5 2.5 3.5

Two arrays share a coordinate: what one of them has grown, the other finds, at both ends, as after a kill between the two.
  $ v() { drx import in.nc:v v --coords "$@"; }; start '.5, 1.5'; made '.5, 1.5' name=v; v
  $ made '2.5, 3.5, 4.5'; app; made '2.5, 3.5, 4.5' name=v; v --append time; times; drx info u v | grep shape; made 5.5; app
  0.5 1.5 2.5 3.5 4.5
  shape      5 × 2  (time, lat)
  shape      5 × 2  (time, lat)
  $ made 6.5 name=v; refused import in.nc:v v --coords --append time; made '5.5, 6.5' name=v; v --append time; times
  drx import: time: has 6 indices already, 1 more than the array, and they are not those of in.nc:time: time: index 0 is 2001-01-07T12:00, but 2001-01-06T12:00 is stored; --no-coords appends without it
  0.5 1.5 2.5 3.5 4.5 5.5 6.5
  $ start '.5, 1.5'; made '.5, 1.5' name=v; v; made '-2.5, -1.5, -.5' value=8; app; made '-2.5, -1.5, -.5' name=v value=8; v --append time; times
  -2.5 -1.5 -0.5 0.5 1.5
  $ echo $(drx read 'v[:,0]'); made -3.5; app; for time in -4.5 2.5; do made $time name=v; refused import in.nc:v v --coords --append time; done
  8 9 10 1 2
  drx import: time: has 6 indices already, 1 more than the array, and they are not those of in.nc:time: time: index 0 is 2000-12-27T12:00, but 2000-12-28T12:00 is stored; --no-coords appends without it
  drx import: time: has the indices -4 to 1, but the array -3 to 1; trim it to those, or --no-coords appends without it
  $ made '-4.5, -3.5' name=v; v --append time; times
  -4.5 -3.5 -2.5 -1.5 -0.5 0.5 1.5

Latitudes fall, and grow to both poles. Coordinates rise or fall all along, and are equal up to rounding.
  $ start '.5, 1.5' lat='20, 10'; made '.5, 1.5' lat='40, 30' value=5; drx import in.nc:u u --coords --append lat
  $ made '.5, 1.5' lat='0, -10' value=9; drx import in.nc:u u --coords --append lat; times lat; echo $(drx read 'u[0]')
  40 30 20 10 0 -10
  5 5 1 1 9 9
  $ start '.5, 1.5' lat='.1, .2'; for time in '2.5, 3.5, 3.5' '3.5, 2.5'; do made "$time" lat='.1, .2'; no; done
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 1 is 2001-01-04T12:00 and index 2 is 2001-01-04T12:00, which repeats it; coordinates must differ; --no-coords appends without it
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 0 is 2001-01-04T12:00 and index 1 is 2001-01-03T12:00; coordinates must all rise or all fall; --no-coords appends without it
  $ made '1.5, 2.5, 3.5' lat='.1, .2'; app --from 1; times; made 4.5 lat='.1, .2' lat_of=float; app; made 5.5 lat='.1, .21'; no
  0.5 1.5 2.5 3.5
  drx import: lat: its values differ from the coordinates in.nc:lat: lat: index 1 is 0.21, but 0.2 is stored; --no-coords appends without it

Another variable is told by its standard_name, or its name.
  $ start '.5, 1.5' more='u:standard_name = "eastward_wind";'; made 2.5 name=v more='v:standard_name = "northward_wind";'; refused import in.nc:v u --append time
  drx import: in.nc:v: the standard_name is 'northward_wind', but that of u is 'eastward_wind'; --as u appends it all the same
  $ made 2.5 name=v; refused import in.nc:v u --append time; refused import in.nc:v u --append time --as w; drx import in.nc:v u --append time --as u
  drx import: in.nc:v: is called 'v', but the array 'u', and no standard_name or long_name says that they are one variable; --as u appends it all the same
  drx import: --as says 'w', but the array is 'u'; give that name
  $ made 3.5 name=ugrd more='ugrd:standard_name = "eastward_wind";'; drx import in.nc:ugrd u --append time; made 4.5 name=U; drx import in.nc:U u --append time; times
  0.5 1.5 2.5 3.5 4.5

Coordinates beside an array need no option. They can be left out.
  $ no() { refused import in.nc:u u --append time "$@"; }; app() { drx import in.nc:u u --append time "$@"; }
  $ start '.5, 1.5'; made '.5, 1.5' units='days since 2002-01-01'; app; no; made 400.5 more='time:calendar = "noleap";'; no; made 400.5 lat='1, 3'; no
  drx import: warning: time goes from 2001-01-02T12:00 to 2002-01-01T12:00, a step of 364 days, but its other steps are 1 days; is a part missing? 'drx trim u time --after 2' takes this append back, and the same of the coordinate beside it
  drx import: in.nc:time: neither continues time nor leads up to it: time: new index 0 is 2002-01-01T12:00, which is stored already at index 2 (2002-01-01T12:00); the stored ones end at 2002-01-02T12:00; --overlap skip leaves those that are stored, --overlap replace overwrites them; --no-coords appends without it
  drx import: in.nc:time: neither continues time nor leads up to it: time: the calendar is noleap, but that of the stored dates is standard; dates are not moved between calendars: give a file in the calendar standard, for example by convert_calendar of xarray; --no-coords appends without it
  drx import: lat: its values differ from the coordinates in.nc:lat: lat: index 1 is 3, but 2 is stored; --no-coords appends without it
  $ made '366.5, 400.5' value=7; app --overlap skip; drx info u time | grep shape; made 3.5; app --no-coords; made 500.5; no
  shape      5 × 2  (time, lat)
  shape      5  (time)
  drx import: time: has the indices 0 to 4, but the array has 0 to 5 there; append the missing ones to it, or --no-coords appends without it
  $ drx info u time | grep shape; drx import in.nc:time time --append 0; made 501.5; app; times
  shape      6 × 2  (time, lat)
  shape      5  (time)
  0.5 1.5 365.5 366.5 400.5 500.5 501.5
  $ start '.5, 1.5'; made '7.5, 8.5'; refused import in.nc:u w; drx import in.nc:u w --no-coords; made '.5, 1.5'; drx import in.nc:u x
  drx import: time: its values differ from the coordinates in.nc:time: time: index 0 is 2001-01-08T12:00, but 2001-01-01T12:00 is stored; import into another folder, or give --no-coords
  $ made '7.5, 8.5, 9.5'; drx import in.nc:u y; times; made 2.5; printf nonsense | dd of=time.xmd conv=notrunc status=none; no; app --no-coords
  0.5 1.5
  drx import: time: time.xmd: not the metadata of a DRX array (its first bytes are not the magic number); --no-coords appends without it

Arrays beside it that are not its coordinates: of another grid, or of two dimensions. Axes without names have none.
  $ start '.5, 1.5'; numbers c.npy 'arange(3.)'; drx import c.npy lat --force; made 2.5; app; drx info time lat | grep shape
  shape      3  (time)
  shape      3
  $ numbers c.npy 'ones((2, 2))'; drx import c.npy time --force; made 1.5; app; no --coords; no --overlap skip; drx info u | grep shape
  drx import: time: must have one dimension and real numbers to hold the coordinates in.nc:time; --no-coords appends without it
  drx import: u: --overlap needs a coordinate of axis 0 (time): in in.nc, and an array of it beside u
  shape      4 × 2  (time, lat)
  $ drx create plain --shape 2,2; drx import in.nc:u plain --append 0 --as plain; drx info plain | grep shape
  shape      3 × 2

Elements are converted to the units of the array, those that are replaced, too. Units that do not fit are forced, and stay as they are.
  $ start '.5, 1.5' more='u:units = "m";'; made '1.5, 2.5' value=3 more='u:units = "km";'; app --overlap replace; u
  1 3000 4000
  $ made 3.5 more='u:units = "K";'; no; app --force; u
  drx import: in.nc:u: u: the units 'K' cannot be converted to 'm'; --force appends its numbers as they are
  1 3000 4000 1

Of datasets: coordinates of another type fit when their numbers do, elements do not.
  $ no() { refused import in.nc ds --append time "$@"; }; app() { drx import in.nc ds --append time "$@"; }
  $ start() { rm -rf ds; made "$@"; drx import in.nc ds --dataset; }; start '0, 1' of=float
  $ for kind in 'int64 2, 3' 'short 4, 5' 'float 6, 7' 'uint64 8, 9'; do made "${kind#* }" time_of=${kind%% *} lat_of=${kind%% *} of=float; app; done; times ds/time; echo $(drx read 'ds/u[:,1]')
  0 1 2 3 4 5 6 7 8 9
  1 2 1 2 1 2 1 2 1 2
  $ made '10, 9007199254740993' time_of=int64 of=float; no; for kind in double short; do made '10, 11' of=$kind; no; done
  drx import: in.nc:time: index 1 is 9007199254740993 (9007199254740992), which float64 cannot hold exactly; the nearest that it holds is 9007199254740992
  drx import: in.nc:u: holds float64, but float32 in ds; store it as float32 in the file, or import the dataset with --type, in which both fit
  drx import: in.nc:u: holds int16, but float32 in ds; store it as float32 in the file, or import the dataset with --type, in which both fit
  $ start '0, 1' time_of=int64; made '2, 3'; app; times ds/time; made '4, 5.5'; no; made '4, 1e30'; no
  0 1 2 3
  drx import: in.nc:time: index 1 is 2001-01-06T12:00, not a whole number of its units, which an integer type needs; what begins with finer units, or with a floating-point type, can hold it; 'drx retime' rewrites what is stored in finer units
  drx import: in.nc:time: index 1 is 1e+30, which int64 cannot hold; it holds -9.22337203685478e+18 to 9.22337203685478e+18

The type is told last: coordinates that differ, units, and what is stored already come first.
  $ start '0, 1' of=float; made '2, 3' lat='7, 8'; no; made '2, 3' units=m; no; made '1, 2'; no
  drx import: in.nc:lat: index 0 is 7, but 1 is stored
  drx import: in.nc:time: the units 'days since 2001-01-01' are dates, but 'm' are not
  drx import: in.nc:time: new index 0 is 2001-01-02, which is stored already at index 1 (2001-01-02); the stored ones end at 2001-01-02; --overlap skip leaves those that are stored, --overlap replace overwrites them

Targets that cannot be appended to.
  $ made '0, 1' file=one.nc; echo text > text; mkdir folder; for words in 'one.nc dss' 'one.nc no/ds' 'one.nc ds/u' 'one.nc:u ds/u' 'one.nc:u ds' \
  >     'one.nc in.nc' 'one.nc text' 'one.nc folder' 'none.nc ds'; do refused import $words --append time; done
  drx import: dss: no such array or dataset; without --append, drx import makes it
  drx import: no/ds: the folder no does not exist
  drx import: ds/u: is a variable of the dataset ds, whose variables grow together; give all of the file: drx import FILE ds --append time
  drx import: ds/u: is a variable of the dataset ds, whose variables grow together; give all of the file: drx import FILE ds --append time
  drx import: ds: is a dataset, whose variables grow together; give all of the file, without ':u'
  drx import: in.nc: is a file, but not an array or dataset; 'drx import in.nc NAME' makes one of it
  drx import: text: is a file, but not an array or dataset; 'drx import text NAME' makes one of it
  drx import: folder: is a folder, but not a dataset; give a dataset, or an array in the folder
  drx import: none.nc: no such file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import, followed by :VARIABLE if it holds several
  $ (cd ds; refused import ../one.nc u --append time); rm -f u.*; drx import one.nc:u alone; drx import one.nc:u alone --append time --as alone --force; refused import one.nc alone --append time
  drx import: u: is a variable of the dataset ., whose variables grow together; give all of the file: drx import FILE . --append time
  drx import: one.nc:time: neither continues time nor leads up to it: time: new index 1 is 2001-01-02, but the stored ones go from 2001-01-01T12:00 to 2001-01-02T12:00, and none of them equals it; the nearest is 2001-01-01T12:00, index 0; give those that go on from the last one, or lead up to the first; --no-coords appends without it
  drx import: one.nc:u: is called 'u', but the array 'alone', and no standard_name or long_name says that they are one variable; --as alone appends it all the same
  $ refused import one.nc other.nc new; refused import folder new; misused import one.nc one.nc new --raw --type f4 --shape 1; refused import ds new
  drx import: other.nc: no such file
  drx import: folder: is a folder without files of netCDF or HDF5
  drx import: --raw goes with one source; give one at a time, and add the others with --append AXIS
  drx import: ds: is a dataset already; drx copy ds new copies it
  $ for name in in.nc classic.nc; do printf 'CDF\1 and so on' > classic.nc; refused append alone time $name; done
  drx append: in.nc: is a file of netCDF or HDF5, not .npy; use 'drx import', which appends it with --append AXIS
  drx append: classic.nc: is a file of netCDF or HDF5, not .npy; use 'drx import', which appends it with --append AXIS

Times that are stored come first; a part of the latitudes is told as one. Coordinates may run the other way, or round the Earth.
  $ start '0, 1' lat='1, 2, 3'; made '0, 1'; no; made '0, 1' lat='1, 2, 3'; no; made '.5, 1.5' lat='1, 2, 3'; no; made '2, 3' lat='2, 3'; no
  drx import: in.nc:time: new index 0 is 2001-01-01, which is stored already at index 0 (2001-01-01); the stored ones end at 2001-01-02; besides, dimension 'lat' has 2 indices, but 3 in ds
  drx import: in.nc:time: new index 0 is 2001-01-01, which is stored already at index 0 (2001-01-01); the stored ones end at 2001-01-02; --overlap skip leaves those that are stored, --overlap replace overwrites them
  drx import: in.nc:time: new index 0 is 2001-01-01T12:00, but the stored ones go from 2001-01-01 to 2001-01-02, and none of them equals it; the nearest is 2001-01-01, index 0; give those that go on from the last one, or lead up to the first
  drx import: in.nc:u: dimension 'lat' has 2 indices, but 3 in ds; all of these are stored, but 1 others are missing; give a file with all of them, for example by xarray's reindex(lat=...), which adds missing values
  $ made '2, 3' lat='2, 2.5'; no; made '2, 3' lat='3, 2, 1'; no; made '2, 3' lat='1, 2, 4'; no
  drx import: in.nc:u: dimension 'lat' has 2 indices, but 3 in ds; give a file with the same coordinates 'lat'
  drx import: in.nc:lat: 'lat' runs the other way, from 3 to 1, but from 1 to 3 in ds; turn it round in the file, for example by isel(lat=slice(None, None, -1)) of xarray
  drx import: in.nc:lat: index 2 is 4, but 3 is stored
  $ for units in degrees_east m; do for turned in '2.5 357.5 -177.5 177.5' '-177.5 177.5 2.5 357.5'; do
  >   set -- $turned; more="lat:units = \"$units\";"; start 0 lat="$(seq -s ", " $1 45 $2)" more="$more"; made 1 lat="$(seq -s ", " $3 45 $4)" more="$more"; no
  > done; done
  drx import: in.nc:lat: the longitudes go from -180 to 180, but from 0 to 360 in ds; turn them in the file, for example by ds.assign_coords(lat=ds.lat % 360).sortby('lat') of xarray
  drx import: in.nc:lat: the longitudes go from 0 to 360, but from -180 to 180 in ds; turn them in the file, for example by ds.assign_coords(lat=(ds.lat + 180) % 360 - 180).sortby('lat') of xarray
  drx import: in.nc:lat: index 0 is -177.5, but 2.5 is stored
  drx import: in.nc:lat: index 0 is 2.5, but -177.5 is stored

A step that is longer than all others is told, with the command that takes the append back.
  $ months() { for month in {1..12}; do echo $((($(date -u -d "$1-$month-15" +%s) - 978307200) / 86400)); done | paste -sd, | sed 's/,/, /g'; }
  $ start "$(months 1990)"; made "$(months 1993)"; app; drx trim ds time --after 12; made "$(months 1985)"; app; drx trim ds time --before 12; times ds/time
  drx import: warning: time goes from 1990-12-15 to 1993-01-15, a step of 762 days, but its other steps are 28 to 31 days; is a part missing? 'drx trim ds time --after 12' takes this append back, and --leave-gaps leaves room for the part
  drx import: warning: time goes from 1985-12-15 to 1990-01-15, a step of 1492 days, but its other steps are 28 to 31 days; is a part missing? 'drx trim ds time --before 12' takes this append back, and --leave-gaps leaves room for the part
  -4004 -3973 -3945 -3914 -3884 -3853 -3823 -3792 -3761 -3731 -3700 -3670
  $ rm -f *.x*; drx import in.nc:u u --coords; made "$(months 1988)"; drx import in.nc:u u --append time; start '0, 1' more='lat:units = "degrees_north";'
  drx import: warning: time goes from 1985-12-15 to 1988-01-15, a step of 761 days, but its other steps are 28 to 31 days; is a part missing? 'drx trim u time --after 12' takes this append back, and the same of the coordinate beside it
  $ made '0, 1' lat='9, 10' more='lat:units = "degrees_north";'; drx import in.nc ds --append lat
  drx import: warning: lat goes from 2 to 9, a step of 7 degrees_north, but its other steps are 1 degrees_north; is a part missing? 'drx trim ds lat --after 2' takes this append back, and --leave-gaps leaves room for the part
  $ steps() { start "$1"; shift; for time; do made "$time"; app; done; } # none of these is a gap
  $ steps "$(months 1999)" "$(months 2000)" 14 45 '73, 104'; steps '0, 1, 2' '2.25, 2.5' '3.5, 4.5' 5.5; steps 0 900 '1800, 2700'; steps '0, 1, 9' 13 '14, 14.5'
  $ steps -701 -673 -642; steps '-717, -352' '14, 379' 744 # ends of months, and years
