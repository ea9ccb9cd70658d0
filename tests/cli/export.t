drx export: what other programs find in the files.

Names of axes and attributes, in a file of any name.
  $ array() { numbers n.npy "$2"; drx import n.npy "$1" --force ${3:+--dims "$3"} "${@:4}"; }
  $ array 'feld ä' 'arange(8, dtype="f4").reshape(2, 1, 4)' zeit,,länge; drx attr 'feld ä' units=m note=°; drx export 'feld ä' 'datei: ü.nc'; ncdump 'datei: ü.nc'
  netcdf datei\:\ ü {
  dimensions:
  	zeit = 2 ;
  	dim_1 = 1 ;
  	länge = 4 ;
  variables:
  	float feld\ ä(zeit, dim_1, länge) ;
  		feld\ ä:units = "m" ;
  		feld\ ä:note = "°" ;
  data:
  
   feld\ ä =
    0, 1, 2, 3,
    4, 5, 6, 7 ;
  }

The format is that of the suffix, or the one that is given.
  $ array a 'arange(12, dtype="f4").reshape(3, 4)'
  $ for target in out.npy OUT.NC out.nc4 out.cdf out.h5 out.hdf5 out.he5; do drx export a $target; head -c 6 $target | tr -cd A-Z; drx copy $target b --force; drx read b | diff - <(drx read a); done; echo
  NUMPYHDFHDFHDFHDFHDFHDF
  $ for format in npy netcdf hdf5; do drx export a strange --format $format; drx copy strange b --force; drx read b | diff - <(drx read a); done
  $ drx export 'a[::2,1]' out.nc; ncdump out.nc | tail -3; drx export 'a[1,2]' out.nc --deflate 3; ncdump out.nc | tail -3; drx export a - --format npy | head -c 6 | tail -c 5; echo
  
   a = 1, 9 ;
  }
  
   a = 6 ;
  }
  NUMPY

A fill value goes along.
  $ for words in 'float32 nan' 'int16 -999' 'uint64 18446744073709551615' 'int8 -1' 'float64 -9.99e33' 'int64 -9223372036854775808' float64; do
  >   drx create f --shape 2 --type ${words% *} ${words:+--fill ${words#* }} --force 2> /dev/null || drx create f --shape 2 --force; drx export f out.nc; drx export f out.h5
  >   echo $words: $(ncdump -h out.nc | grep Fill) $(for file in out.nc:f out.h5:f; do drx import $file b --force; drx info b --json | grep fill; done | uniq; drx attr b)
  > done
  float32 nan: f:_FillValue = NaNf ; "fill": "NaN",
  int16 -999: f:_FillValue = -999s ; "fill": -999,
  uint64 18446744073709551615: f:_FillValue = 18446744073709551615ULL ; "fill": 18446744073709551615,
  int8 -1: f:_FillValue = -1b ; "fill": -1,
  float64 -9.99e33: f:_FillValue = -9.99e+33 ; "fill": -9.99e+33,
  int64 -9223372036854775808: f:_FillValue = -9223372036854775808LL ; "fill": -9223372036854775808,
  float64: "fill": 0.0, "drx.fill_time": "never" "fill": 0.0,
  $ drx create f --shape 2 --type complex64 --fill 1+2j --force; drx export f out.h5; drx import out.h5:f b --force; drx info b | grep fill
  fill       1+2j

An attribute that says what the fill value says is no loss. In netCDF it counts.
  $ for words in 'float32 -9 float64 -9' 'float32 -9 int16 -9' 'float64 nan float32 nan' 'int16 -9 float64 -8'; do
  >   set -- $words; drx create f --shape 3 --type $1 --fill $2 --force; drx attr f _FillValue=$4 --type $3
  >   for target in out.h5 out.nc; do drx export f $target; done; drx copy out.nc b --force; drx info b --json | grep fill
  > done
    "fill": -9.0,
    "fill": -9.0,
    "fill": "NaN",
  drx export: warning: f: attribute _FillValue is left out, because the array has a fill value
    "fill": -8,

Arrays without elements.
  $ for shape in 0 0,3 3,0 0,0 2,0,3; do
  >   dims=xxy; drx create e --shape $shape --type int16 --fill -1 --force --dims $(sed 's/./&,/g; s/,$//' <<< ${dims:0:$((${#shape} / 2 + 1))})
  >   for target in out.npy out.nc out.h5; do drx export e $target; drx copy $target b --force; echo $(drx info b | grep 'shape\|fill'); done
  > done 2>&1 | uniq -c
        1 shape 0 fill 0
        2 shape 0 (x) fill -1
        1 shape 0 × 3 fill 0
        1 drx export: warning: e: a dimension cannot be called 'x' there; the file calls it 'x_2'
        1 shape 0 × 3 (x, x_2) fill -1
        1 shape 0 × 3 (x, x) fill -1
        1 shape 3 × 0 fill 0
        1 drx export: warning: e: a dimension cannot be called 'x' there; the file calls it 'x_2'
        1 shape 3 × 0 (x, x_2) fill -1
        1 shape 3 × 0 (x, x) fill -1
        1 shape 0 × 0 fill 0
        2 shape 0 × 0 (x, x) fill -1
        1 shape 2 × 0 × 3 fill 0
        1 drx export: warning: e: a dimension cannot be called 'x' there; the file calls it 'x_2'
        1 shape 2 × 0 × 3 (x, x_2, y) fill -1
        1 shape 2 × 0 × 3 (x, x, y) fill -1

Coordinates beside an array go along, as far as they fit.
  $ array u 'ones((3, 4))' y,x; array y 'ones(2)'; array x 'ones(4, "c8")'; for target in out.nc out.h5; do drx export u $target; done
  drx export: warning: u: the coordinates 'y' have 2 values for 3 indices and are left out
  drx export: warning: u: the coordinates 'y' have 2 values for 3 indices and are left out
  $ array y 'arange(3.)' y; rm x.*; for target in out.nc out.h5; do drx export u $target:y; drx export y $target; drx import $target:y b --force; drx info b | grep shape; done
  drx export: warning: u: the coordinates 'y' would have the name of the variable there and are left out
  shape      3  (y)
  drx export: warning: u: the coordinates 'y' would have the name of the variable there and are left out
  shape      3  (y)
  $ drx export u out.nc; ncdump -v y out.nc | grep 'double\|y ='; drx export 'u[::-1,1]' out.nc; ncdump -v y out.nc | tail -3; drx export u out.nc --no-coords; ncdump -h out.nc | grep double
  	y = 3 ;
  	double u(y, x) ;
  	double y(y) ;
   y = 0, 1, 2 ;
  
   y = 2, 1, 0 ;
  }
  	double u(y, x) ;
  $ array u 'arange(16.).reshape(4, 4)' x,x; array x 'arange(4.)' x; drx export 'u[:2,1:3]' out.nc; ncdump out.nc | grep ' = '; drx export 'u[:2,1:3]' out.h5; drx export u out.h5
  drx export: warning: u: a dimension cannot be called 'x' there; the file calls it 'x_2'
  	x = 2 ;
  	x_2 = 2 ;
   x = 0, 1 ;
   x_2 = 1, 2 ;
  drx export: warning: u: the coordinates 'x' would have the name of those of another axis there and are left out

Names that a file cannot have are others there.
  $ array 'u[1]' 'ones((2, 2, 3, 1))' '-b,-x,x ,'; drx export 'u[1]' out.nc; drx copy out.nc b --force; drx info b | grep shape; array ./-o 'ones((2, 3, 2))' x,x,dim_1
  drx export: warning: u[1]: a dimension cannot be called '-b' there; the file calls it '_b'
  drx export: warning: u[1]: a dimension cannot be called '-x' there; the file calls it '_x'
  drx export: warning: u[1]: a dimension cannot be called 'x ' there; the file calls it 'x'
  shape      2 × 2 × 3 × 1  (_b, _x, x, dim_3)
  $ rm x.*; drx export ./-o out.nc; drx copy out.nc b --force; drx info b | grep shape; drx export ./-o out.h5; drx copy out.h5 b --force; drx info b | grep shape
  drx export: warning: ./-o: cannot be the name of a variable; the file calls it '_o'
  drx export: warning: ./-o: a dimension cannot be called 'x' there; the file calls it 'x_2'
  shape      2 × 3 × 2  (x, x_2, dim_1)
  shape      2 × 3 × 2  (x, x, dim_1)
  $ for name in '' / a//b -a a/ 'a ' 'a/b '; do refused export 'u[1]' "out.nc:$name"; done | alike; for name in '' / a//b a/ a/./b; do refused export 'u[1]' "out.h5:$name"; done | alike
  drx export: '', '/', 'a//b', '-a', 'a/', 'a ', 'a/b ' cannot be the name of a variable; give names separated by slashes, each beginning with a letter, a digit or _
  drx export: '', '/', 'a//b', 'a/', 'a/./b' cannot be the name of a variable; give names separated by slashes

A target that is a link stays one, with the permissions of the file.
  $ for target in out.npy out.nc out.h5; do printf old > real; chmod 640 real; ln -sf real $target; drx export a $target; readlink $target; stat -c %a real; rm $target; done | paste -sd' '
  real 640 real 640 real 640
  $ ln -s nowhere broken.nc; refused export a broken.nc; rm broken.nc; rm -f out.* real
  drx export: broken.nc: is a broken link; give a file or a new name

What is refused leaves no file.
  $ mkdir dir.nc; ls > before; for words in out .nc 'out.nc --format zarr' 'out.nc --order F' 'out.npy --order X' 'out.npy --deflate 1' 'out.nc --deflate 10' out.npy:u; do
  >   misused export a $words; done
  drx export: out: the suffix does not name a format; give .npy, .nc, .nc4, .cdf, .h5, .hdf5 or .he5, or --format
  drx export: .nc: the suffix does not name a format; give .npy, .nc, .nc4, .cdf, .h5, .hdf5 or .he5, or --format
  drx export: --format 'zarr' is unknown; give npy, netcdf or hdf5
  drx export: --order goes with a .npy file, not with out.nc
  drx export: --order 'X' is not valid; give C (last axis fastest) or F (first axis fastest)
  drx export: --deflate goes with netCDF and HDF5, not with out.npy
  drx export: --deflate 10 is too large; give 0 to 9
  drx export: out.npy holds one array; remove ':u'
  $ misused export 'a[x]' out.npy; refused export 'a[7]' out.npy; refused export no out.npy; for target in no/out.npy no/out.nc no/out.h5 dir.nc; do refused export a $target; done
  drx export: selection [x] of a is not valid; give an index such as 3 or -1, or a slice such as 10:20, :, ::2 or ::-1, for each axis, or coordinates such as lat=-10:10, separated by commas
  drx export: a: index 7 is outside of axis 0; give -3 to 2
  drx export: no: no such array
  drx export: no/out.npy: the folder no does not exist
  drx export: no/out.nc: the folder no does not exist
  drx export: no/out.h5: the folder no does not exist
  drx export: dir.nc: cannot write: Is a directory
  $ for suffix in xmd xta; do for format in npy netcdf hdf5; do refused export a a.$suffix --format $format; done; done | uniq -c; drx export a /dev/null --format hdf5
        3 drx export: a.xmd: is a file of the array itself; give another name
        3 drx export: a.xta: is a file of the array itself; give another name
  $ truncate -s 10 a.xta; for target in out.npy out.nc out.h5; do refused export a $target; done | sort | uniq -c; ls | diff - before
        3 drx export: a.xta: damaged: ends before offset 8, which its last sync promised
        3 drx export: warning: a.xta: damaged: 10 bytes long, its last sync promised 3888
