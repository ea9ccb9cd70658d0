Each verb shows a commit with the attributes, names and axes of then, and not those of now.

  $ made() { # FIRST: the file a.nc of three times from there on
  >   ncgen -o a.nc <<.
  > netcdf a { dimensions: t = UNLIMITED; x = 4; nv = 2;
  > variables: double t(t), bounds(t, nv), lat(t, x), lon(t, x); float x(x); short u(t, x); x:units = "m"; t:units = "days since 2000-01-01";
  > t:bounds = "bounds"; lat:units = "degrees_north"; lon:units = "degrees_east"; u:scale_factor = 0.5; u:add_offset = 1.; u:units = "K";
  > u:missing_value = 5s; u:_FillValue = -1s; u:coordinates = "lat lon"; :title = "one";
  > data: t = $(seq -s, $1 $(($1 + 2))); x = 0, 10, 20, 30; bounds = $1, $(($1 + 1)), $(($1 + 1)), $(($1 + 2)), $(($1 + 2)), $(($1 + 3));
  > lat = $(seq -s, 0 .1 1.1); lon = 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3; u = $(seq -s, -1 10); }
  > .
  > }
  $ made 0; drx import a.nc ds --dataset --codec none
  $ shown() { # [--commit 1]: what each verb prints, and what is in the file, array or dataset that it writes
  >   for words in 'read ds/u' 'read ds/u --raw' 'read ds/u[t=2000-01-02]' 'read ds/u[x=15:30]' 'read ds/t' 'read ds/bounds' \
  >       'read ds/u[lon=1,lat=0]' 'read ds/u -o of.npy' 'view ds/u --terminal --size 40x10' 'view ds/u[:,1] -o of.png' 'view ds/u -o of.png' \
  >       'map ds/u' 'map ds/u --json' 'info ds' 'info ds --json' 'info ds/u' 'info ds/u --json' 'refs ds' 'refs ds/u' 'export ds of.nc' \
  >       'export ds[t=2000-01-02,x=15:30] of.nc' 'export ds/u of.nc' 'export ds/u[t=2000-01-02] of.nc' 'export ds/u of.h5' 'export ds/u of.npy' \
  >       'copy ds/u of.nc' 'copy ds/u[x=15:30] of.nc' 'copy ds/u lone' 'copy ds/u[1] lone' 'copy ds other'; do
  >     echo "drx $words"; drx $words "$@" 2>&1
  >     for path in lone other; do [ ! -e $path ] && [ ! -e $path.xmd ] || { drx export $path of.nc; drx rm $path; }; done
  >     for file in of.*; do case $file in *.nc | *.h5) ncdump $file;; of.?*[a-z]) md5sum $file;; esac; rm -f $file; done
  >   done | grep -v '^dataset\|^metadata\|^data \|^changed\|^history\|  axis\|_bytes\|"\(commit\|last_commit\|time_us\|growths\|addresses\|history\|path\)":\|{"axis"'
  > }
  $ shown > then; grep -c '^drx' then; wc -l < then
  30
  583

Later, all is otherwise.
  $ made 3; drx import a.nc ds --append t; drx attr ds title=two; drx attr ds/u scale_factor=2.0 units=m missing_value=7; drx attr ds/u --delete add_offset
  $ drx attr ds/u coordinates=x; drx attr ds/x units=km; drx attr ds/t 'units=hours since 1990-01-01'; drx attr ds/lat units=1
  $ drx add-axis ds/u 0 run; drx add-axis ds/lat 0 run; shown --commit 1 | diff then -; shown | cmp -s then - || echo otherwise
  otherwise
