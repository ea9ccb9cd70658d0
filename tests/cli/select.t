drx read PATH[SELECTION]: Python's notation of indices and slices.

  $ numbers n.npy 'arange(60, dtype="i4").reshape(3, 4, 5)'; drx import n.npy 'a b é' --chunk 2,2,2
  $ drx read 'a b é[1,2,3]'; drx read 'a b é[-1, ::2, 3]'; drx read 'a b é.xmd[0,:2,::-2]'; drx read 'a b é[2:0:-1,0:1,:2]'; drx read 'a b é[3:,0,0]'
  33
  43  53
  4  2  0
  9  7  5
  # [2, :, :]
  40  41
  
  # [1, :, :]
  20  21

A name may have brackets, too.
  $ numbers n.npy 'arange(6, dtype="i4").reshape(2, 3)'; drx import n.npy 'run[1]'; drx read 'run[1]'; drx read 'run[1][1]'
  0  1  2
  3  4  5
  3  4  5

Selections that are not valid, or outside of the array.
  $ drx create a --shape 3,4 --dims y,x
  $ for selection in '' , 1,,2 x 1:2:3:4 1.5 '1;2' .. ...x '1 2' 99999999999999999999; do misused read "a[$selection]"; done | alike '\[.*?\] '
  drx read: selection [] , [,] , [1,,2] , [x] , [1:2:3:4] , [1.5] , [1;2] , [..] , [...x] , [1 2] , [99999999999999999999] of a is not valid; give an index such as 3 or -1, or a slice such as 10:20, :, ::2 or ::-1, for each axis, or coordinates such as lat=-10:10, separated by commas
  $ misused read 'a[::0]'; misused read 'a[...,...]'; misused read 'a[0]' --at 0,0; misused read 'a[0]' --count 1,1
  drx read: selection [::0] of a: the step of axis 0 (y) is 0; give 1, 2, ... or -1, -2, ...
  drx read: selection [...,...] of a has 2 ellipses; give at most one
  drx read: [0] and --at exclude each other; give one of them
  drx read: [0] and --count exclude each other; give one of them
  $ refused read 'a[1,2,3]'; refused read 'a[0,4]'; refused read 'a[-4]'; refused read 'b[0]'; refused read 'b[0'
  drx read: a: selection [1,2,3] has 3 items; give at most 2, one for each axis
  drx read: a: index 4 is outside of axis 1 (x); give -4 to 3
  drx read: a: index -4 is outside of axis 0 (y); give -3 to 2
  drx read: b: no such array
  drx read: b[0: no such array; a selection ends with a bracket, as in PATH[SELECTION]
