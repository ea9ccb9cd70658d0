drx copy: its plan, and what it refuses without a trace.

What a copy would do, in words and numbers.
  $ drx create m --shape 60,50 --chunk 8,50; drx copy m b --chunk 60,4 --dry-run; drx copy m b --chunk 60,4 --dry-run --json | grep 'source\|target\|step\|passes\|_'
  array 60x50 of 8 bytes an element: 1 pass
  pass 1 of 1: chunks 8x50 to chunks 60x4, leftovers kept
    axis       source       target          lcm       region        block     leftover   kept bytes
       1           50            4           50           50           50            0            0
       0            8           60           60           60           64            0            0
    memory  50560 bytes: 1 of 25600 for blocks, 0 for leftovers, 1 of 24960 for target chunks
    steps   1
    read    25600 bytes in 1 calls
    write   24960 bytes in 1 calls
    time    0.000142 s modelled
  memory 50560 bytes, temporary files 0 bytes
  read 25600 bytes in 1 calls, write 24960 bytes in 1 calls, 0.000142 s modelled
    "source": "m",
    "target": "b",
    "steps": [
        "step": "copy",
        "passes": 1,
        "memory_bytes": 50560,
        "temporary_bytes": 0,
        "read_bytes": 25600,
        "read_calls": 1,
        "write_bytes": 24960,
        "write_calls": 1,
  $ numbers in.npy 'arange(30, dtype="i2").reshape(6, 5)'; drx import in.npy a --chunk 2,2 --dims y,x; cp a.xta kept; touch before; ls > before
  $ intact() { ls | diff - before; cmp a.xta kept; }; turned='--permute 1,0'
  $ for words in 'a b' 'a out.npy' "a out.npy $turned" 'a out.h5 --chunk 2,2' 'in.npy b' 'in.npy b --chunk 2,2' "in.npy b $turned" \
  >     'in.npy out.nc --chunk 2,2' "in.npy out.nc $turned"; do
  >   echo $words: $(drx copy $words --dry-run --json | grep -o '"step": "[a-z]*"' | cut -d'"' -f4)
  > done; drx copy in.npy out.nc $turned --dry-run | grep '^import\|^pass\|^export'; drx copy in.npy b --dry-run --json --memory 7 | grep 'memory\|source\|target'; intact
  a b: copy
  a out.npy: export
  a out.npy --permute 1,0: copy export
  a out.h5 --chunk 2,2: copy export
  in.npy b: import
  in.npy b --chunk 2,2: import
  in.npy b --permute 1,0: import copy
  in.npy out.nc --chunk 2,2: import export
  in.npy out.nc --permute 1,0: import copy export
  import in.npy: 60 bytes, in slabs of at most 60 bytes
  pass 1 of 1: chunks 40x48 to chunks 40x48, leftovers kept
  export to out.nc: 60 bytes, in slabs of at most 60 bytes
    "source": "in.npy",
    "target": "b",
        "memory_bytes": 7

Wrong options.
  $ for words in '--chunk 0,2' '--chunk x' '--order X' '--align 3' '--memory 0' '--memory 1X' '--memory -1' '--memory 99999999999G' \
  >     '--permute 0,,1' --json c; do misused copy a b $words; done
  drx copy: --chunk '0,2' is not valid; give whole numbers from 1 up, separated by commas
  drx copy: --chunk 'x' is not valid; give whole numbers from 1 up, separated by commas
  drx copy: --order 'X' is not valid; give C (last axis fastest) or F (first axis fastest)
  drx copy: --align 3 is not valid; give a power of two, or auto
  drx copy: --memory 0 is too small; give at least 1
  drx copy: --memory '1X' is not valid; give a number of bytes such as 4096 or 4K
  drx copy: --memory '-1' is not valid; give a number of bytes such as 4096 or 4K
  drx copy: --memory '99999999999G' is not valid; give a number of bytes such as 4096 or 4K
  drx copy: --permute has an empty place; give the number or name of an axis of SOURCE there
  drx copy: --json goes with --dry-run; give both
  drx copy: unexpected word 'c'; the usage is drx copy SOURCE TARGET [OPTION ...]
  $ for words in '--permute 0' '--permute 0,1,2' '--permute 1,1' '--permute 0,2' '--permute 0,-1' '--permute z,x' '--chunk 2' '--chunk 2,2,2' \
  >     '--tmp no' '--align 2G'; do
  >   for source in a in.npy; do refused copy $source b $words; refused copy $source b $words --force; done | uniq | alike '(a|in.npy|b): '
  > done
  drx copy: a: , in.npy: --permute has 1 axes; give all 2, each once
  drx copy: a: , in.npy: --permute has 3 axes; give all 2, each once
  drx copy: a: --permute has axis 1 (x) twice; give each axis once
  drx copy: in.npy: --permute has axis 1 twice; give each axis once
  drx copy: a: no axis '2'; give 0 to 1 or one of the names y, x
  drx copy: in.npy: no axis '2'; give 0 to 1
  drx copy: a: no axis '-1'; give 0 to 1 or one of the names y, x
  drx copy: in.npy: no axis '-1'; give 0 to 1
  drx copy: a: no axis 'z'; give 0 to 1 or one of the names y, x
  drx copy: in.npy: no axis 'z'; give 0 to 1
  drx copy: a: , in.npy: --chunk has 1 numbers; give 2, one for each dimension
  drx copy: a: , in.npy: --chunk has 3 numbers; give 2, one for each dimension
  drx copy: no: is not a folder; --tmp needs one
  drx copy: a: , b: align is 2147483648, expected a power of two up to 2^30, 0, or DRX_ALIGN_AUTO (-1)
  $ refused copy a b --permute x,x; misused copy a out.npy --chunk 2,2; misused copy a out.nc --order F; misused copy a out.nc --align 8
  drx copy: a: --permute has axis 1 (x) twice; give each axis once
  drx copy: --chunk goes with an array, netCDF or HDF5; out.npy is a .npy file
  drx copy: --order goes with a .npy file, not with out.nc
  drx copy: --align goes with an array; out.nc is a file
  $ misused copy a out.npy:u; intact
  drx copy: out.npy holds one array; remove ':u'

Wrong sources and targets.
  $ for source in no no.xmd no.nc:u . a.xmd:u in.npy:u; do refused copy $source b; done
  drx copy: no: no such array or file
  drx copy: no: no such array or file
  drx copy: no.nc:u: no such file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import, followed by :VARIABLE if it holds several
  drx copy: .: is a folder, not an array or a file
  drx copy: a.xmd: import does not know this kind of file; give a file of NumPy (.npy), netCDF, HDF5 or Disk Resident Arrays (.info), or --raw with drx import
  drx copy: in.npy: holds one array; remove ':u'
  $ for target in no/b no/b.h5 ''; do refused copy a "$target"; done; intact
  drx copy: a: no/b.xta: the folder no does not exist
  drx copy: no/b.h5: the folder no does not exist
  drx copy: : "": expected the path of an array, without suffix

Nothing is copied to itself.
  $ ln -s . link; for target in a a.xmd ./a link/a "$PWD/a"; do for more in '' --force '--force --dry-run'; do refused copy a "$target" $more; done; done | sed "s|$PWD|HERE|" | uniq -c
        6 drx copy: a: is SOURCE itself; give another TARGET
        3 drx copy: ./a: is SOURCE itself; give another TARGET
        3 drx copy: link/a: is SOURCE itself; give another TARGET
        3 drx copy: HERE/a: is SOURCE itself; give another TARGET
  $ for target in in.npy link/in.npy; do refused copy in.npy $target --force; done; rm link; intact
  drx copy: in.npy: is SOURCE itself; give another TARGET
  drx copy: link/in.npy: is SOURCE itself; give another TARGET

A target that is there stays until all is right, and unless it is to be replaced.
  $ drx create b --shape 3; cp b.xmd old; cp in.npy out.npy
  $ for source in a in.npy; do for more in '' "$turned" --dry-run; do for target in b out.npy; do refused copy $source $target $more; done; done; done | sort | uniq -c
        6 drx copy: b.xmd: exists already; give a new path, or --force to replace it
        6 drx copy: out.npy: exists already; give a new name, or --force to replace it
  $ refused copy a b --force --memory 1; cmp b.xmd old; cmp out.npy in.npy; drx copy a b --force $turned; drx info b | grep shape
  drx copy: a: --memory 1 is too small; give at least 16 bytes
  shape      5 × 6  (x, y)
  $ drx copy a out.npy -f $turned; drx read b | diff - <(drx import out.npy o; drx read o); rm -f b.* o.* out.npy old; intact

The memory that a refusal asks for is enough.
  $ for source in a in.npy; do for target in 'b --chunk 3,3' out.npy 'out.h5 --chunk 3,3'; do
  >   words="$source $target $turned --memory"; least=$(refused copy $words 1 | sed 's/.*at least \([0-9]*\) .*/\1/')
  >   refused copy $words $((least - 1)); refused copy $words $((least - 1)) --dry-run | tail -1; drx copy $words $least; rm b.* out.* 2> /dev/null
  > done; done | uniq; intact
  drx copy: a: --memory 49 is too small; give at least 50 bytes
  drx copy: a: --memory 15 is too small; give at least 16 bytes
  drx copy: a: --memory 49 is too small; give at least 50 bytes
  drx copy: in.npy: --memory 3857 is too small; give at least 3858 bytes
  drx copy: in.npy: --memory 7679 is too small; give at least 7680 bytes
  drx copy: in.npy: --memory 3857 is too small; give at least 3858 bytes

Elements that are missing.
  $ truncate -s 3 a.xta; for target in b out.npy out.h5; do refused copy a $target $turned; done | uniq; ls | diff - before
  drx copy: warning: a.xta: damaged: 3 bytes long, its last sync promised 72
  drx copy: a.xta: damaged: ends before offset 2, which its last sync promised
  drx copy: warning: a.xta: damaged: 3 bytes long, its last sync promised 72
  drx copy: a.xta: damaged: ends before offset 2, which its last sync promised
  drx copy: warning: a.xta: damaged: 3 bytes long, its last sync promised 72
  drx copy: a.xta: damaged: ends before offset 2, which its last sync promised

Copies of datasets have options of their own, and parts of an array.
  $ ncgen -o ds.nc <<< 'netcdf ds { dimensions: time = 2; lat = 3; variables: short sst(time, lat); data: sst = 1, 2, 3, 4, 5, 6; }'
  $ drx import ds.nc ds; ls > before; for words in "$turned" '--stripe .' '--tmp .' --dry-run --force '--chunk 3,3' '--chunk time=0' '--chunk time=2,9' \
  >     '--chunk time=2,time=3'; do misused copy ds new $words; done
  drx copy: --permute goes with an array; ds is a dataset
  drx copy: --stripe goes with an array; ds is a dataset
  drx copy: --tmp goes with an array; ds is a dataset
  drx copy: --dry-run goes with an array; ds is a dataset
  drx copy: --force goes with an array; ds is a dataset
  drx copy: ds is a dataset, whose chunks go by names of dimensions; give --chunk NAME=N,...
  drx copy: --chunk '0' is not valid; give a whole number from 1 up
  drx copy: --chunk: '9' is not valid; give NAME=N for up to 32 dimensions, separated by commas
  drx copy: --chunk has 'time' twice; give each dimension once
  $ refused copy ds new --chunk depth=3; refused copy ds new --at 3; misused copy ds new.nc; refused copy ds ds; refused copy ds/sst new --chunk time=3
  drx copy: ds: --chunk: has no dimension 'depth'; `drx info` tells their names
  drx copy: ds: commit 3, expected 0 to 1
  drx copy: new.nc: a dataset is copied to a folder; `drx export` writes files
  drx copy: ds: is a dataset already; give a new path
  drx copy: ds/sst: is not a dataset, whose dimensions --chunk can name; give N,N,..., one for each axis
  $ refused copy 'ds/sst[0,0]' part; refused copy 'ds/sst[0]' part --chunk 1,2,3; refused copy 'ds/sst[0]' ds/sst --force; refused copy 'nothing[0]' part
  drx copy: ds/sst: [0,0] is a single element; select one or more axes, or print it with 'drx read'
  drx copy: ds/sst: --chunk has 3 numbers; give 1, one for each dimension
  drx copy: ds/sst: is SOURCE itself; give another TARGET
  drx copy: nothing[0]: no such array or file
  $ refused copy ds.nc:sst part --at 1; refused copy m part --at 1; ls | diff - before
  drx copy: ds.nc:sst: --commit goes with a dataset, or an array of one
  drx copy: m: a lone array, which has no commits

Nothing else goes into the folder of a dataset.
  $ for words in 'copy ds/sst ds/new' 'copy ds/sst ./ds/new --dry-run' 'copy ds/sst[0] ds/new --force' 'cp m ds/new' 'mv m ds' 'create ds/new --shape 3'; do
  >   refused $words; done; ls ds
  drx copy: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
  drx copy: ./ds/new: the folder ./ds is a dataset, which holds its variables alone; give a path outside of it, such as ./new, or add a variable: 'drx add ./ds new SOURCE'
  drx copy: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
  drx cp: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
  drx mv: ds/m: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as m, or add a variable: 'drx add ds m SOURCE'
  drx create: ds/new: the folder ds is a dataset, which holds its variables alone; give a path outside of it, such as new, or add a variable: 'drx add ds new SOURCE'
  dataset.xds
  sst.xta
