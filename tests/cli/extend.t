drx extend: an axis by its number or its name.

  $ drx create a --shape 2,3,4 --chunk 2,2,2 --dims t,x,x --fill 9
  $ drx extend a 0 1; drx extend a t 2; drx extend a 2 0; drx extend a 1 5; drx info a | grep '^shape\|history\|  axis'
  shape      5 × 8 × 4  (t, x, x)
  history    made as 2 × 3 × 4
             axis 0 (t) +3 in 2 growths: 5 × 3 × 4
             axis 1 (x) +5: 5 × 8 × 4
  $ drx read a | grep -v '^#' | tr -s ' ' '\n' | grep -c '^_$'
  160

What is refused changes nothing.
  $ drx info a > before
  $ for axis in x y 3 '' 99999999999999999999; do refused extend a "$axis" 1; done | alike
  drx extend: a: 'x' is the name of 2 axes; give the number of the axis
  drx extend: a: no axis 'y', '3', '', '99999999999999999999'; give 0 to 2 or one of the names t, x, x
  $ refused extend a 0 9223372036854775807; refused extend no 0 1
  drx extend: a: axis 0: growing by 9223372036854775807 from 5 overflows 64 bits
  drx extend: no: no such array
  $ misused extend a -1 1; misused extend a 0 -1; misused extend a 0 1.5; misused extend a 0 9223372036854775808
  drx extend: AXIS -1 is negative; give a number from 0 up or the name of a dimension
  drx extend: BY '-1' is not valid; give a whole number from 0 up
  drx extend: BY '1.5' is not valid; give a whole number from 0 up
  drx extend: BY '9223372036854775808' does not fit in 64 bits; give a whole number from 0 up
  $ drx info a | diff - before

The low end grows by --before, and both ends shrink by a trim. A new axis has one index. What these refuse:
  $ drx create l --shape 4,3 --lower -2,5 --chunk 2,2 --dims y,x; numbers s.npy 'zeros((2, 2))'; drx create f --shape 2,3
  $ misused create no --shape 2,2 --lower 1; misused create no --shape 2 --lower x; misused trim l y
  drx create: --lower has 1 numbers, but --shape has 2; give one for each axis
  drx create: --lower 'x' is not valid; give whole numbers, separated by commas
  drx trim: --before and --after are missing; give how many indices to drop, such as --before 1
  $ refused trim l y --before 3 --after 2; refused trim l z --before 1; refused add-axis l 3 z; refused read 'l[4]'
  drx trim: l: axis 0: trimming 3 and 2 indices, it has 4
  drx trim: l: no axis 'z'; give 0 to 1 or one of the names y, x
  drx add-axis: l: a new axis 3 is not possible; give 0 to 2
  drx read: l: index 4 is outside of axis 0 (y); give -4 to 3
  $ refused prepend l y s.npy; refused prepend f 0 s.npy
  drx prepend: s.npy: has shape 2,2, expected 2,3, with any extent on axis 0
  drx prepend: s.npy: has shape 2,2, expected 2,3, with any extent on axis 0
