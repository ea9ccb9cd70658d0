Checksums of chunks: told, verified, kept together with the array, and made.

  $ numbers n.npy 'arange(600, dtype="i4").reshape(20, 30)'; made() { drx import n.npy $1 --chunk 8,8 --checksum --force; }
  $ flip() { # FILE OFFSET: one bit of a byte
  >   byte=$(dd if=$1 bs=1 skip=$2 count=1 status=none | od -An -tu1); printf "\\x$(printf %x $((byte ^ 1)))" | dd of=$1 bs=1 seek=$2 conv=notrunc status=none
  > }

drx info tells of them.
  $ made a; drx info a | grep checksums; drx info a --json | grep checksum; drx create plain --shape 3; drx info plain | grep checksums
  checksums  96 bytes, 4.0 KiB on disk
    "checksum": true,
    "checksum_bytes": 96,
  [1]
  $ drx info plain --json | grep checksum
    "checksum": false,

A changed byte is found by a check, and by a read of the whole chunk.
  $ drx check a; flip a.xta $((5 * 256 + 17)); drx check a; refused read a -o x.npy; drx read a --at 0,0 --count 8,30 -o x.npy
  note: a.xcs: 12 of 12 chunks match their checksums, 0 do not
  a: good
  error: a.xta: chunk 5, elements 8..15, 8..15: offset 1280: its 256 bytes have the checksum 343404a6, expected badbdb1a
  note: a.xcs: 11 of 12 chunks match their checksums, 1 do not
  a: damaged: 1 error
  drx read: a.xta: chunk 5, elements 8..15, 8..15: offset 1280: its 256 bytes have the checksum 343404a6, expected badbdb1a

Reads of a part of a chunk find it when they are to verify, by the option or by the environment.
  $ made a; flip a.xta $((5 * 256 + 4 * 63))
  $ for words in 'read a[8:10,8:10] -o x.npy' 'read a[8,8]' 'read a[::3,::7]' 'read a --at 9,0 --count 2,30' \
  >     'export a[8:10] x.npy --format npy' 'view a[9] -o x.png' 'copy a[8:10,:] b --force'; do
  >   drx $words > /dev/null; refused $words --verify; DRX_VERIFY=1 refused $words
  > done 2>&1 | sed 's/^drx [a-z]*: //' | sort | uniq -c
       14 a.xta: chunk 5, elements 8..15, 8..15: offset 1280: its 256 bytes have the checksum 679e71a2, expected badbdb1a
  $ for words in 'read a[0:7,0:7]' 'read a[16:,8:]' 'export a[:,16:] x.npy'; do # of other chunks
  >   drx $words --verify > /dev/null; DRX_VERIFY=1 drx $words > /dev/null; done
  $ DRX_VERIFY=0 drx read 'a[8, 8]'
  248

Compressed chunks have checksums in any case, of their blocks.
  $ numbers big.npy 'random.default_rng(1).integers(0, 99, (2, 1 << 18), int32)'; drx import big.npy p --chunk 1,262144 --codec lz4; drx compact p
  $ flip p.xtz $(($(stat -c %s p.xtz) - 9)); refused read 'p[1]' -o x.npy 2>&1 | sed 's/: [0-9].*/: .../'; drx read 'p[1, :3]'
  drx read: p.xtz: the payload of chunk 1, 265344 bytes from offset 265344 on, does not match its checksum
  47  97  59
  $ refused read 'p[1, :3]' --verify; drx read 'p[0, :3]' --verify
  drx read: p.xtz: the payload of chunk 1, 265344 bytes from offset 265344 on, does not match its checksum
  46  50  74

The file of checksums goes with the others. It can be made again.
  $ made a; drx cp a b --force; drx mv b c; echo *.xcs; drx check c; drx chmod 600 c; echo $(stat -c %a c.*); drx rm c.xcs; ls | grep ^c
  a.xcs c.xcs
  note: c.xcs: 12 of 12 chunks match their checksums, 0 do not
  c: good
  600 600 600
  [1]
  $ rm a.xcs; drx check a; refused read a
  error: a.xcs: missing, the checksums of a.xta: drx check --repair a makes them again
  a: damaged: 1 error
  drx read: a.xcs: missing, the checksums of a.xta: drx check --repair a makes them again

What makes an array makes them on demand, and a growth keeps them.
  $ numbers v.npy 'arange(100.)'; drx import v.npy v --checksum --chunk 30; drx check v; drx copy v w --chunk 7; ls | grep w.xcs
  note: v.xcs: 4 of 4 chunks match their checksums, 0 do not
  v: good
  [1]
  $ drx copy v w --chunk 7 --checksum --force; drx check w; drx copy v.npy x --checksum; drx check x
  note: w.xcs: 15 of 15 chunks match their checksums, 0 do not
  w: good
  note: x.xcs: 1 of 1 chunks match their checksums, 0 do not
  x: good
  $ misused copy v y.npy --checksum; misused import v.npy v --append 0 --checksum; drx append v 0 v.npy; drx extend v 0 50; drx check v
  drx copy: --checksum goes with an array; y.npy is a file
  drx import: --checksum goes with a new array; remove it or --append
  note: v.xcs: 7 of 9 chunks match their checksums, 0 do not
  v: good
