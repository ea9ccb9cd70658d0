Compressed arrays: --codec, and what the verbs tell and do. Sizes are left out: they are those of libraries.

  $ smooth() { numbers $1.npy "rint(50 * sin(indices(($2,)).sum(0) / 40)).astype('f4') + ${3-0}"; }; kind() { drx info $1 | grep '^codec' || echo no codec; }
  $ stored() { drx info $1 | grep '^stored' | sed -E 's/[0-9.]+ (bytes|KiB)/SIZE/g; s/ratio [0-9.]+/ratio N/; s/ \(SIZE on disk\)//'; }

What a codec is by default, and what is refused.
  $ for words in 'float32 zstd' 'uint8 zstd' 'float32 none' 'float32 raw'; do drx create a --shape 9 --type ${words% *} --codec ${words#* } --force; echo $words: $(kind a) $(echo a.x*); done
  float32 zstd: codec zstd, level 5, byte shuffle a.xct a.xmd a.xtz
  uint8 zstd: codec zstd, level 5, no shuffle a.xct a.xmd a.xtz
  float32 none: no codec a.xmd a.xta
  float32 raw: no codec a.xmd a.xta
  $ for words in '--codec gzip' '--codec zst' '--codec zstd --level 0' '--codec zstd --level 10' '--codec zstd --shuffle bits' '--level 3' \
  >     '--shuffle bit --codec none' '--codec lz4 --checksum' '--codec lz4 --stripe .'; do misused create no --shape 9 $words; done
  drx create: --codec 'gzip' is unknown; give none, zstd, lz4, zlib or lz4hc
  drx create: --codec 'zst' is unknown; give none, zstd, lz4, zlib or lz4hc. Did you mean 'zstd'?
  drx create: --level '0' is not valid; give a whole number from 1 up
  drx create: --level 10 is too large; give 1 to 9
  drx create: --shuffle 'bits' is unknown; give none, byte or bit. Did you mean 'bit'?
  drx create: --level goes with a codec; give --codec with one of zstd, lz4, zlib, lz4hc
  drx create: --shuffle goes with a codec; give --codec with one of zstd, lz4, zlib, lz4hc
  drx create: --checksum does not go with --codec; each compressed chunk has a checksum already
  drx create: --stripe does not go with --codec; the chunks of a compressed array lie in one file
  $ refused create no --shape 3000000000 --chunk 3000000000 --type i1 --codec lz4; ls | grep no
  drx create: no: a chunk has 3000000000 bytes, one that is compressed may have up to 2147483631
  [1]

drx info tells of chunks that are empty, dead or open. drx compact closes these.
  $ drx create t --shape 30,20 --chunk 10,10 --codec zlib --level 3; kind t; stored t; for value in ones zeros; do numbers n.npy "$value((30, 20))"; drx write t --at 0,0 n.npy; stored t; done
  codec      zlib, level 3, byte shuffle
  stored     SIZE; 6 chunks empty
  stored     SIZE, ratio N
  stored     SIZE, ratio N; SIZE dead
  $ smooth s 40,50; drx create o --shape 40,50 --chunk 40,50 --type f4 --codec zstd; numbers part.npy 'load("s.npy")[:30]'; drx write o --at 0,0 part.npy; stored o
  stored     SIZE, ratio N; 1 chunk open (SIZE)
  $ drx info o --json | grep 'open_\|compressed_chunks'; drx compact o; stored o; drx info o --json | grep 'open_\|compressed_chunks'; drx check o
    "open_bytes": 8000,
    "compressed_chunks": 0,
    "open_chunks": 1,
  stored     SIZE, ratio N; SIZE dead
    "open_bytes": 0,
    "compressed_chunks": 1,
    "open_chunks": 0,
  o: good
  $ drx import s.npy whole; drx read o | diff - <(drx read whole) | grep -c '^[<>]'; drx create z --shape 0,3 --codec zstd; numbers n.npy 'ones((1, 3))'
  20
  $ drx append z 0 n.npy --shared; drx append z 0 n.npy; drx read z
  1  1  1
  1  1  1

The files of an array stay together.
  $ rm *.x*; smooth s 20,30; drx import s.npy c --chunk 7,9 --codec zstd; drx read c > elements; drx cp c d; drx mv d e; drx chmod 640 e; echo *.x*; stat -c %a e.*
  c.xct c.xmd c.xtz e.xct e.xmd e.xtz
  640
  640
  640
  $ drx read e | diff - elements; drx check e; drx info | sed 's/[0-9.]* KiB.*//'; drx info . --json | grep codec; drx map c --index 1,2; drx check --repair .; drx check c.xct c.xmd c.xtz
  e: good
  c  float32  20 × 30  
  e  float32  20 × 30  
      "codec": "zstd",
      "codec": "zstd",
  6
  c: good
  e: good
  c: good
  $ for suffix in xmd xtz xct; do drx info c.$suffix | head -1; refused export c c.$suffix --format npy; done; drx rm e; echo *.x*
  path       c
  drx export: c.xmd: is a file of the array itself; give another name
  path       c
  drx export: c.xtz: is a file of the array itself; give another name
  path       c
  drx export: c.xct: is a file of the array itself; give another name
  c.xct c.xmd c.xtz

Bounds change at both ends, and axes are added.
  $ numbers n.npy 'load("s.npy")[:3]'; drx append c 0 n.npy; drx prepend c 0 n.npy; drx trim c 0 --before 3 --after 3; drx read c | diff - elements; drx add-axis c 0 z
  $ drx compact c; drx read c | grep -v '#' | diff - elements; stored c; drx check c
  stored     SIZE, ratio N; SIZE dead
  note: c.xct: 4 chunks hold other than the fill outside the bounds, left by a trim, which growth clears
  c: good

Damage, and files that are missing.
  $ drx copy c f; byte=$(od -An -tu1 -j40 -N1 f.xtz); printf "\\x$(printf %x $((byte ^ 1)))" | dd of=f.xtz bs=1 seek=40 conv=notrunc status=none
  $ drx check f 2>&1 | sed 's/[0-9]* bytes/N bytes/'; refused export f f.npy 2>&1 | sed 's/[0-9]* bytes/N bytes/'
  error: f.xtz: damaged: the payload of chunk 0, N bytes from offset 0 on, does not match its checksum
  f: damaged: 1 error
  drx export: f.xtz: the payload of chunk 0, N bytes from offset 0 on, does not match its checksum
  $ rm f.xmd; refused info f; drx info 2> said | grep opened; cat said; drx rm f; drx copy c g; rm g.xct; refused info g; drx rm g; ls | grep '^[fg]\.'
  drx info: f.xmd: missing, only f.xtz is there
  f  cannot be opened: f.xmd: missing, only f.xtz is there
  drx info: .: 1 of 2 arrays cannot be opened
  drx info: g.xct: missing, g.xmd is there
  [1]

What a file of netCDF compresses stays so, in the same way, unless another one is asked for.
  $ nc() { # HOW [FIRST [NAME]]
  >   ncgen -4 -o ${3-in}.nc <<.
  > netcdf in { dimensions: time = UNLIMITED; y = 40; x = 50; variables: double time(time); time:units = "days since 2000-01-01"; float x(x), u(time, y, x);
  > u:units = "m"; u:_ChunkSizes = 4, 40, 50; $1 data: time = $(seq -s, ${2-0} $((${2-0} + 11))); x = $(seq -s, 50); u = $(seq -s, 24000); }
  > .
  > }
  $ as_u() { drx read "$1" -o got.npy; cmp got.npy u.npy; }
  $ for how in '' 'u:_DeflateLevel = 7; u:_Shuffle = "true";' 'u:_DeflateLevel = 2;'; do
  >   nc "$how"; drx import in.nc:u u --no-coords --force; rm -rf ds; drx import in.nc ds --dataset; kind u; kind ds/u; drx check u ds; [ -e u.npy ] || drx read u -o u.npy; for path in u ds/u; do as_u $path; done; drx export u out.nc; ncdump -hs out.nc | grep 'Deflate\|Shuffle'
  > done 2>&1 | uniq
  no codec
  u: good
  ds: good
  codec      zlib, level 7, byte shuffle
  u: good
  ds: good
  		u:_Shuffle = "true" ;
  		u:_DeflateLevel = 7 ;
  codec      zlib, level 2, no shuffle
  u: good
  ds: good
  		u:_DeflateLevel = 2 ;
  $ for words in '--codec none' --checksum '--codec zstd --level 3 --shuffle bit'; do drx import in.nc:u v --force --no-coords $words; drx info v | grep -o '^codec.*\|^checksums'; done
  checksums
  codec      zstd, level 3, bit shuffle
  $ drx import in.nc:u v --no-coords --chunk 5,7,11 --force; stored v; for codec in zstd none; do misused import in.nc:u v --append time --codec $codec; done
  stored     SIZE, ratio N
  drx import: --codec goes with a new array; remove it or --append
  drx import: --codec goes with a new array; remove it or --append

Copies keep it, or get another one.
  $ for words in '' '--codec none' --checksum '--codec zstd' '--permute 2,1,0 --chunk 20,20,20'; do drx copy u w --force $words; kind w; drx check w | tail -1; [[ $words == *permute* ]] || as_u w; rm w.*; done | paste -sd'\t\n'
  codec      zlib, level 2, no shuffle	w: good
  no codec	w: good
  no codec	w: good
  codec      zstd, level 5, byte shuffle	w: good
  codec      zlib, level 2, no shuffle	w: good
  $ drx copy 'u[5:,::2,3]' part; kind part; drx copy 'u[5:]' part --permute 1,0,2 --codec zlib --force; kind part; drx copy in.nc:u file --codec zstd --order F; kind file
  codec      zlib, level 2, no shuffle
  codec      zlib, level 5, byte shuffle
  codec      zstd, level 5, byte shuffle
  $ misused copy in.nc:u more.h5 --codec zstd; drx copy in.nc:u out.nc --permute 2,1,0 --force; ncdump -hs out.nc | grep Deflate
  drx copy: --codec goes with an array; more.h5 is a file
  		u:_DeflateLevel = 2 ;

Datasets: each variable has its own, or all of them the same.
  $ codecs() { drx info $1 | grep 'double\|float' | sed 's/.*\(double\|float\) //'; drx check $1; }; nc 'u:_DeflateLevel = 4; u:_Shuffle = "true";'; rm -rf ds; drx import in.nc ds --dataset; codecs ds
  time(time) ; // 2000-01-01 … 2000-01-12
  x(x) ;
  u(time, y, x) ; // zlib, level 4, byte shuffle; source: shuffle, deflate 4
  ds: good
  $ drx import in.nc all --dataset --codec zstd --level 2; codecs all; drx import in.nc raw --dataset --codec none; codecs raw
  time(time) ; // 2000-01-01 … 2000-01-12; zstd, level 2, byte shuffle
  x(x) ; // zstd, level 2, byte shuffle
  u(time, y, x) ; // zstd, level 2, byte shuffle; source: shuffle, deflate 4
  all: good
  time(time) ; // 2000-01-01 … 2000-01-12
  x(x) ;
  u(time, y, x) ; // source: shuffle, deflate 4
  raw: good
  $ for words in '' '--codec zstd' '--codec none' --checksum '--chunk time=3,y=20'; do drx copy ds copy $words; codecs copy | grep 'u(\|x('; as_u copy/u; drx rm copy; done
  x(x) ;
  u(time, y, x) ; // zlib, level 4, byte shuffle; source: shuffle, deflate 4
  x(x) ; // zstd, level 5, byte shuffle
  u(time, y, x) ; // zstd, level 5, byte shuffle; source: shuffle, deflate 4
  x(x) ;
  u(time, y, x) ; // source: shuffle, deflate 4
  x(x) ;
  u(time, y, x) ; // source: shuffle, deflate 4
  x(x) ;
  u(time, y, x) ; // zlib, level 4, byte shuffle; source: shuffle, deflate 4
  $ nc 'u:_DeflateLevel = 4; u:_Shuffle = "true";' 12; drx import in.nc ds --append time; as_u 'ds/u[12:]'; drx export ds out.nc; ncdump -hs out.nc | grep 'Deflate\|time = '; drx export ds first.nc --at 1
  	time = UNLIMITED ; // (24 currently)
  		u:_DeflateLevel = 4 ;
  $ ncdump -h first.nc | grep 'time = '; drx cp ds copy; drx mv copy moved; drx read 'moved/u[0,0,:3]'; drx check moved; drx rm moved; ls -d moved 2> /dev/null
  	time = UNLIMITED ; // (12 currently)
  1  2  3
  moved: good
  [2]
