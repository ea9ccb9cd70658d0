drx create: what a new array is, and what is refused.

All that is told of one, first as it is by default.
  $ drx create a --shape 4,5; drx info a --json
  {
    "path": "a",
    "shape": [4, 5],
    "lower": [0, 0],
    "chunk": [20, 25],
    "type": "float64",
    "order": "C",
    "dims": [null, null],
    "fill": 0.0,
    "attrs": {},
    "history": [],
    "chunks": 1,
    "addresses": 1,
    "data_bytes": 4000,
    "metadata_bytes": 8424,
    "initial_shape": [4, 5],
    "align": 1,
    "data_bytes_on_disk": 0,
    "stripes": [],
    "checksum": false,
    "codec": null
  }
  $ drx create b --shape 4,5,6 --chunk 2,3,4 --type int16 --fill -7 --dims 'time,,Länge mit Raum' --order F --shell --align 4K
  $ drx info b | grep -v changed; drx read b | grep -v '^#' | sort | uniq -c; drx extend b 'Länge mit Raum' 1; drx info b | grep shape
  path       b
  shape      4 × 5 × 6  (time, -, Länge mit Raum)
  chunk      2 × 3 × 4  (48 bytes)
  type       int16
  order      F  (first axis fastest)
  fill       -7
  align      4096 bytes
  chunks     8  (2 × 2 × 2), 63 % inside the bounds
  segments   4, in 3 expansion records
  data       32.0 KiB, 32.0 KiB on disk
  metadata   8.3 KiB
  history    made as 4 × 5 × 6, in shells
        3 
       20 _  _  _  _  _  _
  shape      4 × 5 × 7  (time, -, Länge mit Raum)

Types have the names of NumPy, with a sign of the order of bytes if that is the machine's.
  $ for type in int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 float16 bool \
  >     i1 i2 '<i4' =i8 '|u1' u2 u4 '<u8' f4 '<f8' f8 '<c8' c16 int uint float double single complex f2 '<f2' half '|b1'; do
  >   drx create t --shape 2 --type $type --force; echo "$type" $(drx info t | sed -n 's/^type *//p')
  > done | paste -sd, | fold -sw 120
  int8 int8,int16 int16,int32 int32,int64 int64,uint8 uint8,uint16 uint16,uint32 uint32,uint64 uint64,float32 
  float32,float64 float64,complex64 complex64,complex128 complex128,float16 float16,bool bool,i1 int8,i2 int16,<i4 
  int32,=i8 int64,|u1 uint8,u2 uint16,u4 uint32,<u8 uint64,f4 float32,<f8 float64,f8 float64,<c8 complex64,c16 
  complex128,int int64,uint uint64,float float64,double float64,single float32,complex complex128,f2 float16,<f2 
  float16,half float16,|b1 bool
  $ for type in '>f8' f16 float128 b '' '<' f int128 'i4 ' object '<float64'; do misused create no --shape 2 --type "$type"; done | alike
  drx create: --type '>f8', 'f16', 'float128', 'b', '', '<', 'f', 'int128', 'i4 ', 'object', '<float64' is unknown; give int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128, bool, or S1 to S4096 or U1 to U1024 for strings

Fills that the type cannot hold, or that are none.
  $ fills() { type=$1; shift; for fill in "$@"; do misused create no --shape 2 --type $type --fill "$fill"; done | alike; }
  $ fills int8 128 -129 1.5 '' ' 1' '1 ' x 0x10 1e2 +1 nan --1; fills uint8 256 -1
  drx create: --fill '128', '-129' is out of range; give a value of type int8
  drx create: --fill '1.5', '', ' 1', '1 ', 'x', '0x10', '1e2', '+1', 'nan', '--1' is not a value of that type; give a value of type int8
  drx create: --fill '256', '-1' is out of range; give a value of type uint8
  $ fills uint64 18446744073709551616 -1; fills int64 9223372036854775808 -9223372036854775809
  drx create: --fill '18446744073709551616', '-1' is out of range; give a value of type uint64
  drx create: --fill '9223372036854775808', '-9223372036854775809' is out of range; give a value of type int64
  $ fills float16 65520 -1e5 1e-9 true 0x1p16; fills bool 2 yes '' -1 truee nan
  drx create: --fill '65520', '-1e5', '1e-9' is out of range; give a value of type float16
  drx create: --fill 'true' is not a value of that type; give a value of type float16
  drx create: --fill '0x1p16' is out of range; give a value of type float16
  drx create: --fill '2', 'yes', '', '-1', 'truee', 'nan' is not true or false; give a value of type bool
  $ fills float32 1e39 1e-60 '' 1.0x ' 1' 1,5; fills float64 1e309 1e-400 one 1+2j
  drx create: --fill '1e39', '1e-60' is out of range; give a value of type float32
  drx create: --fill '', '1.0x', ' 1', '1,5' is not a value of that type; give a value of type float32
  drx create: --fill '1e309', '1e-400' is out of range; give a value of type float64
  drx create: --fill 'one', '1+2j' is not a value of that type; give a value of type float64
  $ fills complex64 1+2 1+2i j '1+2j ' 1++2j 1e39+1j
  drx create: --fill '1+2', '1+2i', 'j', '1+2j ', '1++2j' is not a value of that type; give a value of type complex64
  drx create: --fill '1e39+1j' is out of range; give a value of type complex64

Chunks are chosen by the shape, or by the axes that grow.
  $ chunk() { drx create c --type float32 --force "$@"; drx info c | grep '^chunk '; }
  $ chunk --shape 5; chunk --shape 5 --grows 0; chunk --shape 365,2; chunk --shape 1,5 --dims time,sensor --grows time
  chunk      1024  (4.0 KiB)
  chunk      16384  (64.0 KiB)
  chunk      365 × 2  (2.9 KiB)
  chunk      3276 × 5  (64.0 KiB)
  $ chunk --shape 1,5; chunk --shape 0,73,144; chunk --shape 132,73,144 --grows 0,2; chunk --shape 181,360 --lower -90,-180
  chunk      204 × 5  (4.0 KiB)
  chunk      24 × 73 × 144  (985.5 KiB)
  chunk      66 × 73 × 48  (903.4 KiB)
  chunk      99 × 181  (70.0 KiB)
  $ for axis in time 2 1x '' -1; do misused create no --shape 3,4 "--grows=$axis"; done | alike
  drx create: --grows: there is no axis 'time', '2', '1x', '', '-1'; give names of dimensions, or numbers from 0 to 1

An alignment of its own makes chunks begin where blocks of the file system do.
  $ block=$(stat -c %o .)
  $ for chunk in $block $((block * 3 / 2)) 100; do
  >   drx create fits --shape 9 --chunk $chunk --type int8 --align auto --force
  >   drx info fits --json | grep -o '"align": *[0-9]*' | sed "s/ $block$/ of a block/; s/ $((block / 2))$/ of half a block/"
  > done
  "align": of a block
  "align": of half a block
  "align": 8

Wrong shapes and other options.
  $ for shape in '' 3, ,3 3,,4 -1 3,-1 x 3x4 1.5 ' 3' 99999999999999999999 +3; do misused create no --shape "$shape"; done | alike
  drx create: --shape '', '3,', ',3', '3,,4', '-1', '3,-1', 'x', '3x4', '1.5', ' 3' is not valid; give whole numbers from 0 up, separated by commas
  drx create: --shape '99999999999999999999' does not fit in 64 bits; give whole numbers from 0 up, separated by commas
  drx create: --shape '+3' is not valid; give whole numbers from 0 up, separated by commas
  $ ones=$(printf '1,%.0s' {1..32})1; misused create no; misused create no --shape $ones
  drx create: --shape is missing; give the initial extents, such as --shape 10,10
  drx create: --shape has too many numbers; give at most 32
  $ misused create no --shape 3,4 --chunk 0,1; misused create no --shape 3,4 --chunk 2; misused create no --shape 3,4 --dims x
  drx create: --chunk '0,1' is not valid; give whole numbers from 1 up, separated by commas
  drx create: --chunk has 1 numbers, but --shape has 2; give one for each axis
  drx create: --dims has 1 names, but --shape has 2 numbers; give one for each axis
  $ misused create no --shape 3 --dims ${ones//1/}
  drx create: --dims has too many names; give at most 32
  $ for order in c CF '' row; do misused create no --shape 3 --order "$order"; done | alike
  drx create: --order 'c', 'CF', '', 'row' is not valid; give C (last axis fastest) or F (first axis fastest)
  $ for align in -1 3 4k 1KK '' 99999999T; do misused create no --shape 3 --align "$align"; done | alike
  drx create: --align '-1' is not valid; give a number of bytes such as 4096 or 4K
  drx create: --align 3 is not valid; give a power of two, or auto
  drx create: --align '4k', '1KK', '', '99999999T' is not valid; give a number of bytes such as 4096 or 4K
  $ refused create no --shape 10000000000,10000000000,10000000000; refused create no/a --shape 3
  drx create: no: axis 0: the number of chunks would overflow 64 bits
  drx create: no/a.xta: the folder no does not exist
  $ ls | grep ^no
  [1]

An array that is there stays, unless it is to be replaced.
  $ drx create old --shape 3 --fill 1; cp old.xmd before; refused create old --shape 4; cmp old.xmd before
  drx create: old.xmd: exists already; give a new path, or --force to replace it
  $ drx create old --shape 4 --force; drx info old | grep shape
  shape      4

Names of all kinds. What a terminal would obey is not printed.
  $ for name in 'with space' äöü日本 a.b $'tab\there' x.xmd.y {} ×; do
  >   drx create "$name" --shape 2,2; drx extend "$name" 0 1; drx info "$name" | sed -n 's/^path *\|^shape *//p'; ls "$name.xta"
  > done | paste -sd'||\n'
  with space|3 × 2|with space.xta
  äöü日本|3 × 2|äöü日本.xta
  a.b|3 × 2|a.b.xta
  tab\x09here|3 × 2|tab	here.xta
  x.xmd.y|3 × 2|x.xmd.y.xta
  {}|3 × 2|{}.xta
  ×|3 × 2|×.xta
  $ drx create $'\xff\xfe' --shape 2; drx info $'\xff\xfe' --json | grep path
    "path": "��",
  $ refused info $'\e[31m\n'
  drx info: \x1b[31m\n: no such array or dataset

The suffix of either file is no part of the name.
  $ mkdir d; drx create d/a.xmd --shape 2; echo d/*; drx info d/a.xta > 1; drx info d/a | cmp - 1
  d/a.xmd d/a.xta

One to 32 dimensions, and extents of 0.
  $ for shape in 2 2,2 2,2,2 2,2,2,2 2,2,2,2,2 2,2,2,2,2$(printf ',1%.0s' {1..27}); do
  >   drx create n --shape $shape --type int32 --fill 5 --force; echo $(drx read n | tr -s ' ' '\n' | grep -c '^_$') elements
  >   axes=$(tr -cd , <<< $shape | wc -c); drx extend n $axes 1; drx info n | grep shape
  > done | paste -sd'\t\n'
  2 elements	shape      3
  4 elements	shape      2 × 3
  8 elements	shape      2 × 2 × 3
  16 elements	shape      2 × 2 × 2 × 3
  32 elements	shape      2 × 2 × 2 × 2 × 3
  32 elements	shape      2 × 2 × 2 × 2 × 2 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 1 × 2
  $ for shape in 0 0,3 3,0 0,0,0; do
  >   drx create e --shape $shape --chunk ${shape//[0-9]/2} --force; drx read e; drx read e --order F -o e.npy; head -c 80 e.npy | grep -ao '(.*)'; drx info e | grep chunks
  >   refused map e --address 0; refused map e --index ${shape//[0-9]/0}
  >   for axis in 0 1 2; do drx extend e $axis 3 2> /dev/null; done; drx info e | grep shape
  > done
  (0,)
  chunks     0
  drx map: e: --address 0 is outside of the array, which has 0 chunks
  drx map: e: --index 0 is outside of axis 0, which has 0 chunks
  shape      3
  (0, 3)
  chunks     0  (0 × 2)
  drx map: e: --address 0 is outside of the array, which has 0 chunks
  drx map: e: --index 0 is outside of axis 0, which has 0 chunks
  shape      3 × 6
  (3, 0)
  chunks     0  (2 × 0)
  drx map: e: --address 0 is outside of the array, which has 0 chunks
  drx map: e: --index 0 is outside of axis 1, which has 0 chunks
  shape      6 × 3
  (0, 0, 0)
  chunks     0  (0 × 0 × 0)
  drx map: e: --address 0 is outside of the array, which has 0 chunks
  drx map: e: --index 0 is outside of axis 0, which has 0 chunks
  shape      3 × 3 × 3
