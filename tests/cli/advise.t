drx advise: another chunk for the requests that are made, and what it saves.

The table has the requests before and after, and the command that copies.
  $ drx create m --shape 4096,4096 --chunk 8,4096; stat -c '%Y %s' m.* > before
  $ drx advise m --access 2048,8 --access 64,64x2.5 --align 4096; stat -c '%Y %s' m.* | cmp - before
  m: 4096 × 4096 float64
  present    8 × 4096  (256.0 KiB)
  proposed   4096 × 24  (768.0 KiB, aligned to 4.0 KiB, a block of the file system)
  
                                      calls                 bytes             seconds     all of the array, seconds
  request           times   before    after     before      after    before     after    before   copying     after
  2048,8                1     2048     1.29  128.0 KiB  495.6 KiB     0.103  0.000487       105      0.19     0.499
  64,64               2.5       64     3.62   32.0 KiB   43.3 KiB   0.00323  0.000218      13.2      0.19     0.894
  
  A round of these requests, each as often as its times say: 0.111 s before, 0.00103 s after.
  Copying takes 0.19 s, in 1 pass with 192.2 MiB of memory: it pays for itself after 1.73 rounds.
  
  drx copy m m-new --chunk 4096,24 --align 4096
  $ drx advise m --access 2048,8 --access 64,64x2.5 --align 4096 --json | grep -v block_bytes | sed -E 's/(\.[0-9]{5})[0-9]+/\1.../g; s/, ("(before|after)")/,\n       \1/g'
  {
    "path": "m",
    "shape": [4096, 4096],
    "type": "float64",
    "chunk": [8, 4096],
    "align": 1,
    "proposed_chunk": [4096, 24],
    "proposed_align": 4096,
    "requests": [
      {"access": [2048, 8], "times": 1.0,
         "before": {"calls": 2048.0, "bytes": 131072.0, "seconds": 0.10250..., "array_seconds": 104.96944...},
         "after": {"calls": 1.29102..., "bytes": 507467.69185..., "seconds": 0.00048..., "array_seconds": 0.49913...}},
      {"access": [64, 64], "times": 2.5,
         "before": {"calls": 64.0, "bytes": 32768.0, "seconds": 0.00322..., "array_seconds": 13.21904...},
         "after": {"calls": 3.62484..., "bytes": 44358.12546..., "seconds": 0.00021..., "array_seconds": 0.89377...}}
    ],
    "before_seconds": 0.11057...,
    "after_seconds": 0.00103...,
    "copy": {"passes": 1, "memory_bytes": 201523200, "temporary_bytes": 0, "read_bytes": 134217728, "read_calls": 3, "write_bytes": 134479872, "write_calls": 513, "seconds": 0.18998...},
    "rounds": 1.73429...,
    "command": "drx copy m m-new --chunk 4096,24 --align 4096"
  }
  $ [[ $(drx advise m --access 2048,8 --json) == *'"block_bytes": '$(stat -c %o m.xta),* ]]

What it proposes, it does not want to change.
  $ drx create n --shape 4096,4096 --chunk $(drx advise m --access 2048,8 --access 64,64x2.5 --align 4096 | sed -n 's/.*--chunk \([0-9,]*\).*/\1/p')
  $ drx advise n --access 2048,8 --access 64,64x2.5 --align 4096 | sed '1,4d'; drx advise n --access 2048,8 --access 64,64x2.5 --align 4096 --json | grep -A1 'copy\|rounds\|command'
  request           times   before    after     before      after    before     after    before   copying     after
  2048,8                1     1.29     1.29  495.6 KiB  495.6 KiB  0.000487  0.000487     0.499         0     0.499
  64,64               2.5     3.62     3.62   43.3 KiB   43.3 KiB  0.000218  0.000218     0.894         0     0.894
  
  A round of these requests, each as often as its times say: 0.00103 s before, 0.00103 s after.
  No chunk of that size is better than the present one.
    "copy": null,
    "rounds": null,
    "command": null
  }

The size of a chunk, its alignment and the memory of the copy can be given.
  $ drx advise m --access 100,100 --size 64K --align 8192 --memory 100M; refused advise m --access 100,100 --memory 1000
  m: 4096 × 4096 float64
  present    8 × 4096  (256.0 KiB)
  proposed   128 × 64  (64.0 KiB, aligned to 8.0 KiB)
  
                                      calls                 bytes             seconds     all of the array, seconds
  request           times   before    after     before      after    before     after    before   copying     after
  100,100               1      100      4.5   78.1 KiB  126.3 KiB   0.00507  0.000333       8.5     0.139     0.558
  
  A round of these requests, each as often as its times say: 0.00507 s before, 0.000333 s after.
  Copying takes 0.139 s, in 1 pass with 16.0 MiB of memory: it pays for itself after 29.4 rounds.
  
  drx copy m m-new --chunk 128,64 --align 8192 --memory 104857600
  drx advise: m: --memory: 1000 bytes of memory are too little; 2454240 would do

The command can be pasted, whatever the name.
  $ for name in "it's -m" ./-m; do drx create "$name" --shape 300,300 --chunk 1,1; drx advise "$name" --access 300,1 --align 4096 | tail -1; done
  drx copy 'it'\''s -m' 'it'\''s -m-new' --chunk 300,150 --align 4096
  drx copy ./-m ./-m-new --chunk 300,150 --align 4096
  $ drx advise --access=300,1 --align 4096 -- -m | tail -1
  drx copy -- -m -m-new --chunk 300,150 --align 4096

Chunks in another order than row-major count each by itself.
  $ drx create p --shape 64,64 --chunk 8,8; drx create q --shape 64,32 --chunk 8,8; drx extend q 1 32
  $ for name in p q; do drx advise $name --access 64,64 --json | grep -o '"before": {"calls": [0-9.]*'; done
  "before": {"calls": 1.0
  "before": {"calls": 64.0

Wrong requests and options.
  $ drx create s --shape 40,50 --chunk 8,50 --dims y,x; drx create empty --shape 0,5 --chunk 1,5
  $ misused advise s; misused advise --access 3,3; misused advise s n --access 3,3; refused advise none --access 3,3
  drx advise: --access is missing; give the extents of a typical request, or --codecs
  drx advise: PATH is missing; the usage is drx advise PATH [--access N,N,... ...] [--codecs] [OPTION ...]
  drx advise: unexpected word 'n'; the usage is drx advise PATH [--access N,N,... ...] [--codecs] [OPTION ...]
  drx advise: none: no such array
  $ for access in 3 3,3,3 4,0x2 41,1; do refused advise s --access $access; done; refused advise empty --access 1,5
  drx advise: s: --access 3 has 1 number; give 2, one for each axis
  drx advise: s: --access 3,3,3 has 3 numbers; give 2, one for each axis
  drx advise: s: --access 4,0x2 has an extent of 0 on axis 1 (x); give 1 to 50
  drx advise: s: --access 41,1 has an extent of 41 on axis 0 (y); give 1 to 40
  drx advise: empty: has no elements, because its extent on axis 0 is 0
  $ for access in -1,3 '3;3' 3, '' a 3,3x 3,3x0 3,3x-1 3,3xnan 3,3xinf 3,3x2y 3,3x1e999; do misused advise s "--access=$access"; done | alike "'[^']*'( has '.*?')?"
  drx advise: --access '-1,3', '3;3', '3,', '', 'a' is not valid; give whole numbers from 0 up, separated by commas
  drx advise: --access '3,3x' has '', '3,3x0' has '0', '3,3x-1' has '-1', '3,3xnan' has 'nan', '3,3xinf' has 'inf', '3,3x2y' has '2y', '3,3x1e999' has '1e999' after the x; give a number above 0, how many times as often
  $ for option in --size --align --memory; do for value in 0 some; do misused advise s --access 3,3 $option $value; done; done
  drx advise: --size 0 is too small; give at least 1
  drx advise: --size 'some' is not valid; give a number of bytes such as 4096 or 4K
  drx advise: --align 0 is too small; give at least 1
  drx advise: --align 'some' is not valid; give a number of bytes such as 4096 or 4K
  drx advise: --memory 0 is too small; give at least 1
  drx advise: --memory 'some' is not valid; give a number of bytes such as 4096 or 4K
  $ misused advise s --access 3,3 --align 3; refused advise s --access 3,3 --align 4G
  drx advise: --align 3 is not valid; give a power of two, or auto
  drx advise: s: an alignment of 4294967296; a power of two up to 2^30 is expected
