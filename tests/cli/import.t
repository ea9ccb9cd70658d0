drx import: a variable of a netCDF file, and what comes along with it.

  $ nc() { ncgen -4 -o in.nc <<< "netcdf in { $1 }"; }

Unlimited dimensions, also without indices.
  $ nc 'dimensions: time = UNLIMITED; record = UNLIMITED; x = 3; variables: float empty(time, x), grown(record, x); data: grown = 1, 2, 3, 4, 5, 6;'
  $ drx import in.nc:grown a; drx read a; drx import in.nc:empty b; drx info b | grep shape; drx extend b time 2
  1  2  3
  4  5  6
  shape      0 × 3  (time, x)

Chunks of the file are kept if they have a good size and are full; others are chosen. An unlimited dimension, and --grows, give room.
  $ zeros() { yes 0 | head -$1 | paste -sd,; }; chunk() { # DIMENSIONS CHUNK DATA [OPTION ...]: of an array, and of a dataset
  >   nc "dimensions: $1; variables: float u(t, y, x); ${2:+u:_ChunkSizes = $2;} ${3:+data: u = $3;}"
  >   rm -rf a.x* ds; drx import in.nc:u a ${@:4}; drx import in.nc ds --dataset ${@:4}; drx info a ds/u | grep '^chunk ' | uniq
  > }
  $ navy='t = 132; y = 73; x = 144'; for chunk in '' '1, 73, 144' '33, 37, 72' '1, 1, 144' '24, 64, 144'; do chunk "$navy" "$chunk" ''; done
  chunk      66 × 73 × 48  (903.4 KiB)
  chunk      1 × 73 × 144  (41.1 KiB)
  chunk      33 × 37 × 72  (343.4 KiB)
  chunk      66 × 73 × 48  (903.4 KiB)
  chunk      66 × 73 × 48  (903.4 KiB)
  $ for chunk in '' '1, 46, 72'; do chunk 't = 12; y = 46; x = 72' "$chunk" ''; done; chunk 't = UNLIMITED; y = 46; x = 72' '1, 46, 72' $(zeros 39744)
  chunk      12 × 46 × 72  (155.2 KiB)
  chunk      12 × 46 × 72  (155.2 KiB)
  chunk      12 × 46 × 72  (155.2 KiB)
  $ stat -c %s ds/u.xta
  158976
  $ chunk 't = 2; y = 23; x = 11' '' ''; chunk 't = UNLIMITED; y = 23; x = 11' '1, 23, 11' $(zeros 506)
  chunk      2 × 23 × 11  (2.0 KiB)
  chunk      64 × 23 × 11  (63.2 KiB)
  $ chunk 't = UNLIMITED; y = UNLIMITED; x = 11' '1, 23, 11' "{$(zeros 253)}, {$(zeros 253)}"
  chunk      10 × 115 × 11  (49.4 KiB)
  $ for axis in t x; do chunk 't = 2; y = 23; x = 11' '' '' --grows $axis; done; drx import in.nc:u c --grows 0; drx info c | grep '^chunk '
  chunk      64 × 23 × 11  (63.2 KiB)
  chunk      2 × 23 × 356  (64.0 KiB)
  chunk      64 × 23 × 11  (63.2 KiB)
  $ misused import in.nc:u b --grows z; misused import in.nc:u b --grows 3; misused import in.nc no --dataset --grows z
  drx import: --grows: there is no axis 'z'; give names of dimensions, or numbers from 0 to 2
  drx import: --grows: there is no axis '3'; give names of dimensions, or numbers from 0 to 2
  drx import: --grows: in.nc has no dimension 'z'
  $ misused import in.nc:u a --append t --grows t
  drx import: --grows goes with a new array; remove it or --append

Attributes of all types.
  $ nc 'dimensions: x = 3; variables: int u(x); u:units = "m s-1"; u:empty = ""; u:latin = "\260C \374"; u:utf8 = "°C 日本"; string u:text = "wörter";
  >   string u:strings = "one", "", "three"; u:quoted = "a \"b\" \\ c\n\t\033[1m\177"; u:one = 7; u:single = .1f, 1.f, 1e20f; u:u1 = 255UB;
  >   u:many = 0s, 1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s; u:f8 = NaN, Infinity, -Infinity, -.5; u:u8 = 18446744073709551615ULL;
  >   u:i8 = -9223372036854775807LL, 9223372036854775807LL; u:i1 = -1b; u:lengthy = "'$(printf 'x%.0s' {1..5000})'"; data: u = 1, 2, 3;'
  $ drx import in.nc:u u; drx info u | sed '1,/^attributes/d; s/x\{99,\}/xxx/'; drx info u --json | sed -n '/"attrs"/,/}/p' | cut -c1-100
  drx import: warning: in.nc:u: attribute strings is a list of 3 strings; the array keeps it as a text of that many lines
    units             "m s-1"
    empty             ""
    latin             "°C ü"
    utf8              "°C 日本"
    text              "wörter"
    strings           "one\n\nthree"
    quoted            "a "b" \ c\n\x09\x1b[1m\x7f"
    one               7  (int32)
    single            0.1 1 1e+20  (float32)
    u1                255  (uint8)
    many              0 1 2 3 4 5 6 7 … (10 values)  (int16)
    f8                nan inf -inf -0.5  (float64)
    u8                18446744073709551615  (uint64)
    i8                -9223372036854775807 9223372036854775807  (int64)
    i1                -1  (int8)
    lengthy           "xxx… (5000 bytes)"
    "attrs": {
      "units": "m s-1",
      "empty": "",
      "latin": "°C ü",
      "utf8": "°C 日本",
      "text": "wörter",
      "strings": "one\n\nthree",
      "quoted": "a \"b\" \\ c\n\t\u001b[1m\u007f",
      "one": 7,
      "single": [0.1, 1.0, 1e+20],
      "u1": 255,
      "many": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      "f8": ["NaN", "Infinity", "-Infinity", -0.5],
      "u8": 18446744073709551615,
      "i8": [-9223372036854775807, 9223372036854775807],
      "i1": -1,
      "lengthy": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    },

Missing elements stay missing, whatever marks them.
  $ nc 'dimensions: y = 2; x = 2; variables: float u(y, x); u:_FillValue = -999.f; u:units = "K"; data: u = 1, 2, _, 3;'
  $ drx import in.nc:u f --fill nan; drx attr f; drx read f; drx export f out.nc; drx import out.nc:f g; drx read g; drx info g | grep fill
  units = "K"
  1  2
  _  3
  1  2
  _  3
  fill       nan
  $ for words in 'float -99.9f,3.f' 'double -99.9f,3.f' 'short -99.,3.' 'float -99s,3s' 'float 1e20,3.' 'short 1e20f' 'short "none"'; do
  >   nc "dimensions: x = 2; variables: ${words% *} u(x); u:missing_value = ${words#* }; data: u = 1, 1;"; drx import in.nc:u m --force; drx attr m
  >   drx info m --json | grep fill
  > done 2>&1 | uniq
  drx import: warning: in.nc:u: missing_value has 2 values; the first is the fill value
  missing_value = -99.9f, 3.f
    "fill": -99.9,
  drx import: warning: in.nc:u: missing_value has 2 values; the first is the fill value
  missing_value = -99.9f, 3.f
    "fill": -99.9000015258789,
  drx import: warning: in.nc:u: missing_value has 2 values; the first is the fill value
  missing_value = -99., 3.
    "fill": -99,
  drx import: warning: in.nc:u: missing_value has 2 values; the first is the fill value
  missing_value = -99s, 3s
    "fill": -99.0,
  drx import: warning: in.nc:u: missing_value has 2 values; the first is the fill value
  missing_value = 1e+20, 3.
    "fill": 1e+20,
  drx import: warning: in.nc:u: missing_value is not a value of type int16 and is ignored as fill value
  missing_value = 1e+20f
    "fill": 0,
  missing_value = "none"
    "fill": 0,

Names of all kinds.
  $ nc 'dimensions: länge = 2; breite\ mit\ raum = 3; variables: int größe\:1(länge, breite\ mit\ raum); data: größe\:1 = 1, 2, 3, 4, 5, 6;'
  $ mv in.nc 'file: ä.nc'; drx import 'file: ä.nc:größe:1' 'feld ä'; drx import 'file: ä.nc' d; drx info 'feld ä' d/größe:1 | grep shape; drx read 'feld ä'
  shape      2 × 3  (länge, breite mit raum)
  shape      2 × 3  (länge, breite mit raum)
  1  2  3
  4  5  6

Which variable it is. Groups are paths.
  $ nc 'dimensions: x = 3; variables: double x(x); int crs; data: x = 0, 1, 2; group: ocean { group: deep { dimensions: y = 2; variables: double temp(y, x);
  >   data: temp = 1, 1, 1, 1, 1, 1; } }'
  $ drx import in.nc tree; drx info tree; drx rm tree; for name in ocean/deep/temp /ocean/deep/temp; do drx import in.nc:$name t --force; drx info t | grep shape; done; drx import in.nc:x x; drx read x
  dataset tree { // commit 1, 2023-11-14 22:13:20
  dimensions:
  	x = 3 ;
  variables:
  	double x(x) ;
  	int crs ;
  
  group: ocean {
  
    group: deep {
      dimensions:
      	y = 2 ;
      variables:
      	double temp(y, x) ;
      } // group /ocean/deep
    } // group /ocean
  }
  shape      2 × 3  (y, x)
  shape      2 × 3  (y, x)
  0  1  2
  $ for name in temp /ocean/temp ocean/deep/ ocean nothing/temp '' /; do refused import "in.nc:$name" no; done | alike; refused import in.nc:crs no
  drx import: in.nc: no variable 'temp', '/ocean/temp', 'ocean/deep/', 'ocean', 'nothing/temp', '', '/'; give one of ocean/deep/temp
  drx import: in.nc:crs: has 0 dimensions, expected 1 to 32
  $ nc 'dimensions: y = 2; x = 3; variables: double u(y, x), v(y, x);'; refused copy in.nc no; refused import in.nc:group/u no
  drx copy: in.nc: has 2 variables; give SOURCE:NAME with one of u, v
  drx import: in.nc: no variable 'group/u'; give one of u, v
  $ nc 'dimensions: x = 3; variables: double x(x); data: x = 0, 1, 2;'; refused copy in.nc no
  drx copy: in.nc: has no variable of numbers with dimensions, except coordinates; give SOURCE:NAME

Types that cannot be.
  $ nc 'types: int enum color {red = 1}; dimensions: x = 3; variables: string s(x); color e(x); int u(x); color u:kind = red; u:units = "K";'
  $ refused import in.nc:s no; drx import in.nc:e e; drx info e | grep type; drx import in.nc:u k; drx attr k
  drx import: in.nc:s: holds strings of varying length, not whole numbers, floats, complex numbers or fixed strings
  type       color enum int32 {red=1}
  kind = red
  units = "K"

What else is refused makes nothing, and leaves what is there.
  $ nc 'dimensions: y = 2; x = 3; variables: double u(y, x); data: u = 1, 2, 3, 4, 5, 6;'; drx create old --shape 5; mkdir folder; ls > before
  $ refused import no.nc:u no; refused import old.xmd:u no; refused import folder no; refused import in.nc:u old; drx info old | grep shape
  drx import: no.nc:u: no such file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import, followed by :VARIABLE if it holds several
  drx import: old.xmd: import does not know this kind of file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import
  drx import: folder: is a folder without files of netCDF or HDF5
  drx import: old.xmd: exists already; give a new path, or --force to replace it
  shape      5
  $ refused import in.nc:u none/a; refused import in.nc:u no --chunk 2; refused import in.nc:u no --dims x; misused import in.nc:u no --chunk 0,1
  drx import: none/a.xta: the folder none does not exist
  drx import: in.nc:u: --chunk has 1 numbers; give 2, one for each axis
  drx import: in.nc:u: --dims has 1 names; give 2, one for each dimension
  drx import: --chunk '0,1' is not valid; give whole numbers from 1 up, separated by commas
  $ misused import in.nc:u no --order X; drx import in.nc:u old --force --dims 'x,länge'; drx info old | grep shape; drx import in.nc:u old --force --dims x,
  drx import: --order 'X' is not valid; give C (last axis fastest) or F (first axis fastest)
  shape      2 × 3  (x, länge)
  $ drx info old | grep shape; ls | diff - before
  shape      2 × 3  (x, -)
