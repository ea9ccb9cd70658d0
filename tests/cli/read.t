drx read, append and write: elements as text and in .npy files, and what is refused.

Elements as text: flush right, planes one after the other, and parts of them.
  $ array() { numbers n.npy "$1"; drx import n.npy a --force ${@:2}; }
  $ array 'arange(6, dtype="i4").reshape(2, 3) * 5 - 5'; drx read a; drx read a --at 1,1; drx read a --count 2,1; array '[1, 2.5, -3]'; drx read a
  -5   0   5
  10  15  20
  15  20
  -5
  10
    1  2.5   -3
  $ array 'arange(8, dtype="u1").reshape(2, 2, 2)'; drx read a; drx read a --at 1,0,0
  # [0, :, :]
  0  1
  2  3
  
  # [1, :, :]
  4  5
  6  7
  # [1, :, :]
  4  5
  6  7
  $ array 'arange(16, dtype="i1").reshape(2, 2, 2, 2)'; drx read a | grep '#'
  # [0, 0, :, :]
  # [0, 1, :, :]
  # [1, 0, :, :]
  # [1, 1, :, :]

Elements that are missing, those that are not numbers, and as few digits as tell a number from others.
  $ array 'array([[-9, 1], [0, -9]], "i2")' --fill -9; drx read a; array '[nan, 1]' --fill nan; drx read a; array '[0, -0., nan, inf, -inf]'; drx read a
  _  1
  0  _
  _  1
     0    -0   nan   inf  -inf
  $ array '[.1, 100, 1e15, 1e16, 1.5e-5, .00015, 123456.789, 2**53, -1e300, 1 / 3]'; echo $(drx read a)
  0.1 100 1000000000000000 1e+16 1.5e-05 0.00015 123456.789 9007199254740992 -1e+300 0.3333333333333333
  $ array 'array([.1, 1e10, 16777216, 1 / 3], "f4")'; echo $(drx read a); array 'array([1 + 2j, -.5j, complex(nan, -inf)], "c8")'; echo $(drx read a)
  0.1 10000000000 16777216 0.33333334
  1+2j -0-0.5j nan-infj

Much text is refused, unless it is forced.
  $ drx create b --shape 1001,100 --type int8; refused read b; drx read b --force | wc -l; drx read b --count 1000,100 | wc -l
  drx read: b: 100100 elements are too many to print; select at most 100000, or give -o FILE or --force
  1001
  1000

Parts that are outside, and targets that cannot be.
  $ drx create c --shape 3,4 --dims y,x; ls > before
  $ for words in '--at 4,0' '--count 3,5' '--at 1,1 --count 1,9223372036854775807' '--at 1' '--count 1,1,1' '-o no/b.npy' '-o .'; do refused read c $words; done
  drx read: c: --at 4 is outside of axis 0 (y); give 0 to 3
  drx read: c: --count 5 from index 0 leaves axis 1 (x); give at most 4
  drx read: c: --count 9223372036854775807 from index 1 leaves axis 1 (x); give at most 3
  drx read: c: --at has 1 number; give 2, one for each axis, or --commit 1 for that commit of a dataset
  drx read: c: --count has 3 numbers; give 2, one for each axis
  drx read: no/b.npy: the folder no does not exist
  drx read: .: cannot write: Is a directory
  $ refused read c -o ''; misused read c --at x; misused read c --order F; misused read c -o b.npy --order X; refused read no; drx read c --at 3,4
  drx read: : cannot write: No such file or directory
  drx read: --at 'x' is not valid; give whole numbers from 0 up, separated by commas
  drx read: --order goes with a file; give -o FILE, too
  drx read: --order 'X' is not valid; give C (last axis fastest) or F (first axis fastest)
  drx read: no: no such array
  $ ln c.xmd other; for name in c.xta ./c.xmd other; do refused read c -o $name; done; rm other; ls | diff - before
  drx read: c.xta: is a file of the array itself; give another name
  drx read: ./c.xmd: is a file of the array itself; give another name
  drx read: other: is a file of the array itself; give another name

A target keeps its permissions, and a link to it stays. A disk that is full leaves nothing.
  $ umask 027; drx read c -o 'new ä.npy'; stat -c %a 'new ä.npy'; touch old.npy; chmod 604 old.npy; mkdir d; ln -s ../old.npy d/link.npy
  640
  $ drx read c -o d/link.npy; readlink d/link.npy; stat -c %a old.npy; drx read c -o - | cmp - old.npy; cmp old.npy 'new ä.npy'; drx read c -o /dev/null; echo d/*
  ../old.npy
  604
  d/link.npy
  $ (ulimit -f 16; trap '' XFSZ; refused read b -o full.npy); ls full.npy 2> /dev/null
  drx read: full.npy: cannot write: File too large
  [2]

What is appended fits the array on the other axes, and has its type.
  $ drx create e --shape 2,3,4 --type float32 --dims x,x,y; drx info e | grep -v changed > before; numbers good.npy 'zeros((2, 3, 1), "f4")'
  $ for array in 'zeros((2, 3, 1))' 'zeros((2, 2, 1), "f4")' 'zeros((2, 3), "f4")' 'zeros((2, 3, 1, 1), "f4")'; do
  >   numbers part.npy "$array"; refused append e y part.npy
  > done
  drx append: part.npy: has type float64, but the array has float32
  drx append: part.npy: has shape 2,2,1, expected 2,3,1, with any extent on axis 2
  drx append: part.npy: has shape 2,3, expected 2,3,4, with any extent on axis 2
  drx append: part.npy: has shape 2,3,1,1, expected 2,3,4, with any extent on axis 2
  $ refused append e x good.npy; refused append e 3 good.npy; refused append e 2 no.npy; refused append no 2 good.npy; refused append e 2 .
  drx append: e: 'x' is the name of 2 axes; give the number of the axis
  drx append: e: no axis '3'; give 0 to 2 or one of the names x, x, y
  drx append: no.npy: no such file
  drx append: no: no such array
  drx append: .: is a folder, not a file with one array
  $ misused append e -1 good.npy; refused append e y - < /dev/null; head -c 100 good.npy | refused append e y -; drx info e | grep -v changed | diff - before
  drx append: AXIS -1 is negative; give a number from 0 up or the name of a dimension
  drx append: standard input: is not a .npy file
  drx append: standard input: ends within its header

What is written lies in the array. An empty box does nothing.
  $ drx create w --shape 3,4; numbers box.npy 'zeros((2, 2))'; numbers none.npy 'zeros((0, 3))'; drx write w none.npy --at 3,0
  $ misused write w box.npy; misused write w box.npy --at -1,0; refused write w box.npy --at 0
  drx write: --at is missing; give the index of the first element, such as --at 0,0
  drx write: --at '-1,0' is not valid; give whole numbers from 0 up, separated by commas
  drx write: w: --at has 1 numbers; give 2, one for each axis
  $ for at in 2,0 0,3 9223372036854775807,0; do refused write w box.npy --at $at; done; refused write no box.npy --at 0,0
  drx write: box.npy: shape 2,2 at 2,0 leaves the array on axis 0; the bounds are 3,4
  drx write: box.npy: shape 2,2 at 0,3 leaves the array on axis 1; the bounds are 3,4
  drx write: box.npy: shape 2,2 at 9223372036854775807,0 leaves the array on axis 0; the bounds are 3,4
  drx write: no: no such array
  $ numbers box.npy 'zeros((2, 2), "f4")'; refused write w box.npy --at 0,0; numbers box.npy 'zeros((1, 2, 2))'; refused write w box.npy --at 0,0
  drx write: box.npy: has type float32, but the array has float64
  drx write: box.npy: has 3 axes, expected 2
