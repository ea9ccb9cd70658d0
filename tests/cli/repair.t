drx check, drx check --repair and drx compact, of damaged and whole arrays.

  $ made() { # NAME: 4 x 6 elements that grew along both axes
  >   numbers n.npy 'arange(24, dtype="i2").reshape(4, 6)'; drx import n.npy $1 --chunk 2,3 --dims y,x --force
  >   drx extend $1 x 5; drx extend $1 y 1
  > }
  $ patch() { printf "$3" | dd of=$1 bs=1 seek=$2 conv=notrunc status=none; } # FILE OFFSET BYTES

A whole array stays as it is.
  $ made a; cp a.xmd good.xmd; cp a.xta good.xta; drx check --repair a; cmp a.xmd good.xmd; cmp a.xta good.xta
  a: good

A log ends before a damaged record, and is kept. When its first record is damaged, nothing is left.
  $ patch a.xmd $(($(stat -c %s a.xmd) - 42)) '\x77'; cp a.xmd damaged; drx check a
  error: a.xmd: the record at offset 8496 is damaged, and what follows was promised: the array is read as it was after record 6
  note: a.xmd: a repair cuts it at offset 8496, after record 6, and loses what came later: records 7 to 8, of which 1 can be read
  a: damaged: 1 error
  [1]
  $ drx check --repair a; drx info a | grep shape; cmp damaged a.xmd.damaged-1; patch a.xmd 8212 '\x77'; drx check --repair a
  note: a.xmd: a repair cuts it at offset 8496, after record 6, and loses what came later: records 7 to 8, of which 1 can be read
  note: a.xmd: the damaged log is kept as a.xmd.damaged-1
  note: a.xta: was 144 bytes long, its chunks take 96: cut
  note: a.xmd: cut at offset 8496, after record 6
  a: good
  shape      4 × 11  (y, x)
  error: a.xmd: nothing of it counts: record 1 at offset 8192 is not whole
  a: damaged: 1 error
  [1]

A damaged copy of the description is written again.
  $ made a; patch a.xmd 80 '\x77'; drx check --repair --json a | grep 'text\|errors\|verdict'
        {"severity": "note", "text": "a.xmd: the head (bytes 0 to 512) was damaged; the records prove what it was: put back"}
      "errors": 0,
      "verdict": "good",

Elements that are missing cannot be repaired.
  $ made a; truncate -s 40 a.xta; drx check --repair a; cmp a.xmd good.xmd; stat -c %s a.xta
  error: a.xta: damaged: 40 bytes long, its last sync promised 144
  note: a.xta: missing: chunks 3 to 3, within indices 2..3, 3..5
  note: a.xta: missing: chunks 4 to 7, all of indices 0..3, 6..10
  note: a.xta: missing: chunks 8 to 11, all of indices 4..4, 0..10
  a: damaged: 1 error
  40

Several arrays at once.
  $ made a; drx cp a b; printf torn >> b.xmd; drx check --repair a b; cmp b.xmd good.xmd
  a: good
  note: b.xmd: the last 4 bytes, from offset 8568 on, were not whole records (a torn tail): dropped
  b: good

drx compact makes one growth of those that could have been one.
  $ drx create c --shape 1,2 --chunk 4,2 --type int16; for i in {1..9}; do drx extend c 0 1; done; stat -c %s c.xmd; drx info c | grep '  axis\|seg'
  9072
  segments   3, in 1 expansion record
             axis 0 +9 in 9 growths: 10 × 2
  $ drx compact c; stat -c %s c.xmd; drx info c | grep '  axis\|seg'; drx info c --json | grep -c '"by"'; drx check c
  8512
  segments   2, in 1 expansion record
             axis 0 +9: 10 × 2
  1
  c: good

What it refuses.
  $ refused compact none; misused compact; for i in 1 2; do drx extend c 0 1; done
  drx compact: none: no such array
  drx compact: PATH is missing; the usage is drx compact PATH... [--keep N]
  $ mv c.xmd d.xmd; ln -s d.xmd c.xmd; refused compact c; readlink c.xmd
  drx compact: c.xmd: a symbolic link, which a new file would replace
  d.xmd
