Fixed strings: bytes (S12) and Unicode (U12).

  $ names='array([[b"Reading", b"Oslo", b""], [b"a b", b"say \"hi\"", b"tab\t\\"]], "S9")'; towns='array(["Zürich", "北京", "", "🌍 7", "København"], "U9")'
  $ array() { numbers n.npy "$2"; drx import n.npy $1 --force "${@:3}"; }

They are printed in quotes, as C writes them. Bytes that are not UTF-8, and halves of characters, are escaped.
  $ array a "$names"; drx read a; drx read 'a[1, 0]'; array b "$towns"; drx read b; array c 'array([b"\xff\x01caf\xc3\xa9"], "S8")'; drx read c
     "Reading"        "Oslo"            ""
         "a b"  "say \"hi\""     "tab\t\\"
  "a b"
     "Zürich"         "北京"           ""        "🌍 7"  "København"
  "\xff\x01café"
  $ array d 'array(["\ud800"], "U2")'; drx read d
  "\ud800"

They come from .npy files in any order of bytes, and from bare elements.
  $ for array in "$names" "asfortranarray($names)" "$names.astype('S4096')" "$names[:, 0].astype('S1')" "$towns" "$towns.astype('>U9')" "$towns.astype('U1024')"; do
  >   array e "$array"; drx export e out.npy; /usr/bin/python3 -c 'from numpy import load; assert (load("n.npy") == load("out.npy")).all()'
  > done
  $ for type in '|S9' '>S9'; do numbers n.npy "$names"; tail -c 54 n.npy > raw; drx import raw e --raw --type "$type" --shape 2,3 --force; drx read e | diff - <(drx read a); done
  $ numbers n.npy "$towns.astype('>U9')"; tail -c 180 n.npy > raw; drx import raw e --raw --type '>U9' --shape 5 --force; drx read e | diff - <(drx read b)

Lengths that cannot be.
  $ numbers n.npy 'zeros(2, "S4097")'; refused import n.npy no; for type in S0 S4097 U1025 S S01 s3 S-1 U3x; do misused create no --shape 3 --type $type; done | alike
  drx import: n.npy: has elements of type '|S4097', not integers of 1 to 8 bytes, floats of 2, 4 or 8, complex numbers of 8 or 16, bool, or strings of 1 to 4096 bytes
  drx create: --type 'S0', 'S4097', 'U1025', 'S', 'S01', 's3', 'S-1', 'U3x' is unknown; give int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128, bool, or S1 to S4096 or U1 to U1024 for strings

A fill value is a string, too.
  $ drx create f --shape 2 --type S6 --fill N/A; drx extend f 0 1; drx info f | grep 'fill\|type'; drx read f; drx create g --shape 2 --type U3 --fill —; drx info g | grep fill
  type       S6
  fill       "N/A"
  _  _  _
  fill       "—"
  $ misused create no --shape 2 --type S6 --fill 'too long'; refused create no --shape 2 --type S20 --fill xxxxxxxxxxxxx
  drx create: --fill 'too long' is longer than the type; give a value of type S6
  drx create: no: the fill of type S20 has more than 12 bytes before its NULs

What is appended has the same length. What needs numbers refuses strings.
  $ numbers more.npy 'array([[b"x", b"y", b"z"]], "S9")'; drx append a 0 more.npy; drx read 'a[2]'; numbers more.npy 'array([[b"x", b"y", b"z"]], "S10")'
  "x"  "y"  "z"
  $ refused append a 0 more.npy; refused copy a no --keep-bits 3; refused view a -o a.png
  drx append: more.npy: has type S10, but the array has S9
  drx copy: a: has elements of S9; --keep-bits rounds floating-point ones, to 1 to 10 bits in float16, 23 in single and 52 in double precision
  drx view: a: holds text, which has no picture; print it with 'drx read'

They are stored in every way, and copied into other chunks.
  $ same() { drx check $1 > said || cat said; drx export $1 out.npy; cmp out.npy $type.npy; }
  $ for type in S13 U13 S300; do
  >   numbers n.npy "array([f'station {i}' for i in range(2000)]).reshape(20, 100).astype('$type')"; drx import n.npy $type; drx export $type $type.npy
  >   /usr/bin/python3 -c 'import sys; from numpy import load; assert (load("n.npy") == load(sys.argv[1])).all()' $type.npy
  >   for how in --checksum '--codec zstd' '--codec lz4 --shuffle bit' '--align 4096' '--order F' '--stripe .,.' --shell; do
  >     drx rm e c; drx create e --shape 20,100 --type $type --chunk 7,9 $how; drx write e n.npy --at 0,0; same e; drx copy e c --chunk 3,40 --order C; same c
  >   done
  > done

To HDF5 and back, with the fill value. Unicode must be Unicode. To netCDF they go as characters, or as its strings.
  $ array a "$names" --fill Oslo; drx export a out.h5; drx import out.h5:a back; drx read back; drx info back | grep 'fill\|type'; refused export d out.h5
     "Reading"             _            ""
         "a b"  "say \"hi\""     "tab\t\\"
  type       S9
  fill       "Oslo"
  drx export: out.h5: holds a string of type U2 that is not Unicode, and HDF5 has only such
  $ array b "$towns" --fill '?'; drx export b out.h5; drx import out.h5:b back --force; drx read back | diff - <(drx read b); array b "$towns"; drx export b out.nc
  $ drx import out.nc ds; drx read ds/b | diff - <(drx read b); ncgen -4 -o in.nc <<.
  > netcdf in { dimensions: station = 3; strlen = 7; time = 4; variables: char name(station, strlen); name:long_name = "name of the station"; char flag(time);
  > data: name = "Reading", "Oslo", "Bergen"; flag = "ab\000d"; }
  > .
  $ drx import in.nc:name s; drx read s; drx info s | grep 'type\|shape\|long'; drx export s out.nc; ncdump out.nc | tail -5; drx import out.nc:s t; drx read t | diff - <(drx read s)
  "Reading"     "Oslo"   "Bergen"
  shape      3  (station)
  type       S7
    long_name         "name of the station"
   s =
    "Reading",
    "Oslo",
    "Bergen" ;
  }
  $ drx import in.nc:flag flag; drx read flag
  "a"  "b"   ""  "d"

Coordinates of strings: selected by name, exported, appended when they are new.
  $ rm *.x*; array t 'arange(6.).reshape(2, 3)' --dims station,time; array station 'array(["Oslo", "Zürich"])' --dims station; drx read 't[station=Zürich]'; refused read 't[station=Rome]'
  3  4  5
  drx read: t: station=Rome is none of the 2 names along that axis
  $ for target in out.h5 out.nc; do drx export t $target; done; ncdump -v station out.nc | tail -5
  	string station(station) ;
  data:
  
   station = "Oslo", "Zürich" ;
  }
  $ file() { array part "$3" --dims station; array station "array($2)" --dims station; drx export part $1.h5; rm part.x* station.x*; }; rm *.x*
  $ file a '[b"Oslo", b"Reading"]' '[1., 2]'; file b '[b"Bergen"]' '[3.]'; file c '[b"Oslo"]' '[9.]'; file d '[b"Oslo", b"Paris"]' '[7., 8]'; file e '[b"A name too long"]' '[1.]'
  $ append() { drx import $1.h5:part u --coords --append station --as u ${@:2}; }; drx import a.h5:part u --coords; append b; drx read station; drx read u; append c
     "Oslo"  "Reading"   "Bergen"
  1  2  3
  drx import: c.h5:station: neither continues station nor leads up to it: station: new index 0 is 'Oslo', which is stored already at index 0; --overlap skip leaves those that are stored, --overlap replace overwrites them; --no-coords appends without it
  [1]
  $ append d --overlap replace; drx read u; drx read station; append e
  7  2  3  8
     "Oslo"  "Reading"   "Bergen"    "Paris"
  drx import: e.h5:station: neither continues station nor leads up to it: station: index 0 is 'A name too long', which is longer than the stored type S7; --no-coords appends without it
  [1]
