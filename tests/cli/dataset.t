drx import and export of whole files: what goes round, what is made, and what is refused.

  $ nc() { ncgen ${2--4} -o in.nc <<< "netcdf in { $1 }"; }; same() { diff <(ncdump in.nc | sed 1d) <(ncdump out.nc | sed 1d); }
  $ round() { rm -rf ds; drx import in.nc ds --dataset; drx export ds out.nc; same; }
  $ small='dimensions: time = 3; lat = 2; variables: double time(time); time:units = "days since 2001-01-01"; float lat(lat), u(time, lat); short v(time, lat);
  >   v:scale_factor = .5; u:_FillValue = -99.f; data: time = 0, 1, 2; lat = 0, 1; u = 1, 2, 3, _, 5, 6; v = 1, 2, 3, 4, 5, 6;'

Numbers of all types, text of both kinds, scalars, unlimited dimensions, attributes of all types.
  $ nc "dimensions: t = UNLIMITED; x = 3; member = UNLIMITED; len = 5; name_strlen = 2; variables:
  >   byte i1(t, x); short i2(t, x); int i4(t, x); int64 i8(t, x); ubyte u1(t, x); ushort u2(t, x); uint u4(t, x); uint64 u8(t, x); float f4(t, x);
  >   double f8(t, x); i2:_FillValue = 0s; i8:_FillValue = 0LL; u2:_FillValue = 0US; f8:_FillValue = 0.; i4:missing_value = -1; int scalar;
  >   i1:a = 7b, 1b; i2:a = 7s; i4:a = 7, 1; i8:a = 7LL; u1:a = 7UB, 1UB; u2:a = 7US; u4:a = 7U, 1U; u8:a = 7ULL; f4:a = 7.f, 1.f; f8:a = 7.;
  >   float empty(member, x); empty:_FillValue = 1.e+20f; char chars(x, len); chars:_FillValue = \"-\"; char letter; string name(t, x), title;
  >   byte two(name_strlen); string name:lines = \"a\", \"\", \"c\"; string name:of_lines = \"line\nend\", \"\", \"\n\"; string :s = \"of netCDF\nwith lines\";
  >   string :none = \"one\"; :text = \"of characters: é\"; :blank = \"\"; :numbers = 1.5, -2.; data: scalar = 5; letter = \"q\"; title = \"whole\"; two = 1, 1;
  >   chars = \"ab\", \"cde\", \"\"; name = \"a\", \"über\", \"\", \"line\nend\", \"  \", \"$(printf 'z%.0s' {1..99})\";
  >   $(for v in i1 i2 i4 i8 u1 u2 u4 u8 f4 f8; do echo "$v = 0, 1, 2, 3, 4, 5;"; done)"
  $ round; drx info ds | grep '	[txl][a-z]* = \|string \|char \|i2:\|f8:\|numbers'; drx read ds/i2; drx info ds --json | grep -A9 '"name": {' | grep dims; drx info ds | grep -c 'strlen_2\|drx\.'
  	t = UNLIMITED ; // (2 currently)
  	x = 3 ;
  	len = 5 ;
  		i2:_FillValue = 0s ;
  		i2:a = 7s ;
  		f8:_FillValue = 0. ;
  		f8:a = 7. ;
  	char chars(x, len) ;
  	char letter ;
  	string name(t, x) ;
  		string name:lines = "a", "", "c" ;
  		string name:of_lines = "line\nend", "", "\n" ;
  	string title ;
  		string :s = "of netCDF\nwith lines" ;
  		string :none = "one" ;
  		:numbers = 1.5, -2. ;
  _  1  2
  3  4  5
        "dims": ["t", "x", "name_strlen_2"],
  0
  [1]

Every format of netCDF, and bounds, whose dimension stays. One that no variable has is lost, which is told.
  $ for kind in 3 6 5 4 7; do nc "$small" -$kind; round; ncdump -k in.nc; done
  classic
  64-bit offset
  cdf5
  netCDF-4
  netCDF-4 classic model
  $ nc 'dimensions: time = UNLIMITED; nv = 2; unused = 7; variables: double time(time), bnds(time, nv); time:units = "days since 2001-01-01"; time:bounds = "bnds";
  >   data: time = .5, 1.5; bnds = 0, 1, 1, 2;'; round; drx info ds | grep 'time(time)'
  	double time(time) ; // 2001-01-01T12:00 … 2001-01-02T12:00

A dataset where an array is meant.
  $ for words in 'read ds[time=1]' 'view ds -o x.png' 'advise ds --access 1'; do refused $words; done | alike 'drx [a-z]*'
  drx read, drx view, drx advise: ds: is a dataset, not an array; name a variable that 'drx info ds' lists, as in ds/VARIABLE

A file is a dataset, what is named is an array. A slash after the name, and a folder that is empty, do not matter.
  $ nc "$small"; drx import in.nc several; drx import in.nc:u one; drx import in.nc slash/ --checksum; mkdir empty; drx import in.nc empty; echo one.x* several/d* slash/u.* empty/d*
  one.xmd one.xta several/dataset.xds slash/u.xcs slash/u.xta empty/dataset.xds
  $ nc 'dimensions: y = 2; x = 3; variables: double u(y, x), x(x);'; for option in '' --dataset; do drx import in.nc single $option; drx info single/u single/x | grep shape; drx rm single; done
  shape      2 × 3  (y, x)
  shape      3  (x)
  shape      2 × 3  (y, x)
  shape      3  (x)
  $ nc "$small"; drx import in.nc ds/new; misused import in.nc ds --force; refused import - a < in.nc; refused create ds --shape 3
  drx import: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
  drx import: --force goes with one variable; give SOURCE:VARIABLE, or remove it; import replaces no dataset, so remove that with 'drx rm' first
  drx import: standard input: is a file of netCDF or HDF5, which cannot come by a pipe; save it, and give 'drx import' its name
  drx create: ds/dataset.xds: a dataset has that name: give another, or rename the dataset

What is there already, or is none.
  $ mkdir full; touch full/x file; echo noise > noise; ls > before; for words in 'in.nc ds' 'in.nc full' 'in.nc file' 'in.nc no/ds' 'in.nc one' 'in.nc:u ds' \
  >     'in.nc:u ds --force' 'noise new --dataset'; do refused import $words; done
  drx import: ds: is a dataset already; give a new path, or --append to add to it
  drx import: full: is a folder that is not empty; give a new path for the folder of the dataset
  drx import: file: is a file; give a new path for the folder of the dataset
  drx import: no/ds: the folder no does not exist
  drx import: one: an array has that name; give a new path for the folder of the dataset
  drx import: ds: a dataset has that name; give a new path
  drx import: ds: a dataset has that name; give a new path
  drx import: noise: cannot open as netCDF or HDF5: NetCDF: Unknown file format
  $ misused import in.nc a --coords; misused import in.nc a --chunk 1; for words in ds.npy ds.nc:u 'ds.nc --no-coords'; do misused export ds $words; done
  drx import: --coords goes with one variable; give SOURCE:VARIABLE, or remove it
  drx import: a is a dataset, whose chunks go by names of dimensions; give --chunk NAME=N,...
  drx export: ds is a dataset, which goes to netCDF; give a target with .nc, .nc4 or .cdf, or --format netcdf
  drx export: ds is a dataset, whose variables keep their names; remove ':u'
  drx export: --no-coords goes with an array; ds is a dataset
  $ refused log in.nc; refused info in.nc --at 1; misused logg ds; ls | diff - before
  drx log: in.nc: is a netCDF file; `drx import in.nc NEW` makes an array or a dataset of it
  drx info: in.nc: is a netCDF file; `drx import in.nc NEW` makes an array or a dataset of it
  drx: unknown verb 'logg'; did you mean 'log'?

What cannot be stored is refused, whatever came before.
  $ for type in 'compound pair {int a; string b;}' 'int(*) seq'; do
  >   name=$(grep -o 'pair\|seq' <<< "$type"); nc "types: $type; dimensions: x = 3; variables: float u(x), w(x); $name bad(x);"; refused import in.nc no --dataset
  > done; nc "$small" -3; truncate -s -8 in.nc; refused import in.nc no; ls | diff - before
  drx import: warning: in.nc: the type 'pair' in the group '/' stands for compounds whose field 'b' holds strings of varying length, and its name is left out
  drx import: in.nc:bad: holds compounds whose field 'b' holds strings of varying length, not whole numbers, floats, complex numbers or text
  drx import: in.nc: 1 of its 3 variables cannot be stored, as said above; --skip-unsupported leaves them out
  drx import: warning: in.nc: the type 'seq' in the group '/' stands for lists of varying length, and its name is left out
  drx import: in.nc:bad: holds lists of varying length, not whole numbers, floats, complex numbers or text
  drx import: in.nc: 1 of its 3 variables cannot be stored, as said above; --skip-unsupported leaves them out
  drx import: in.nc:v: is cut off; the file has 372 bytes, expected at least 380
  drx import: in.nc: 1 of its 4 variables cannot be stored, as said above; --skip-unsupported leaves them out

Text of one variable goes out as text.
  $ nc 'dimensions: x = 2; variables: string s(x); data: s = "a", "grün";'; rm -rf ds; drx import in.nc ds; drx export ds/s out.nc; ncdump out.nc | tail -2
   s = "a", "grün" ;
  }
