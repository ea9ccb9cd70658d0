drx mv, cp, rm, chmod and check: the files of arrays.

Two arrays that have grown. `fresh` puts them here again; `which` says which of them a path is.
  $ made() { # NAME SHAPE: 0, 1, 2, ...
  >   numbers n.npy "arange(prod([$2]), dtype='i2').reshape($2)"; drx import n.npy $1 --chunk $(sed 's/[0-9]/2/g' <<< $2) --dims ${3-}; drx extend $1 0 2; rm n.npy
  > }
  $ mkdir kept; made kept/a 3,4 y,x; made kept/b 5 x; fresh() { rm -f *.x*; for k; do cp kept/$k.* .; done; }
  $ which() { for path; do for k in a b; do cmp -s "$path.xmd" kept/$k.xmd && cmp -s "$path.xta" kept/$k.xta && echo "$path is $k"; done; done; true; }

drx mv gives another name, or moves into a folder. Either suffix may be given.
  $ fresh a; drx mv a 'a é b'; drx mv 'a é b' c; drx mv c.xta d.xmd; echo *.x*; which d; mkdir 'in folder'
  d.xmd d.xta
  d is a
  $ for target in 'in folder' 'in folder/' './in folder/d' 'in folder/e.xmd'; do
  >   drx mv d "$target"; name=$(echo in*/*.xmd); which "${name%.xmd}"; echo *.x*; drx mv "$name" d
  > done
  in folder/d is a
  *.x*
  in folder/d is a
  *.x*
  in folder/d is a
  *.x*
  in folder/e is a
  *.x*
  $ for shape in 3 0 3,3 0,0 3,3,3 0,0,0 3,3,3,3 0,0,0,0 3,3,3,3,3 0,0,0,0,0; do
  >   drx create s --shape $shape --chunk ${shape//[0-9]/2}; drx extend s 0 2; drx mv s t; drx cp t s; drx read t > t; drx read s | cmp - t
  >   drx check s t; drx rm s t
  > done | sort | uniq -c
       10 s: good
       10 t: good

Several move into a folder only, each as far as it can.
  $ fresh a b; misused mv a b c; mkdir d e; cp kept/a.* e; refused mv a e/a d; ls d; refused mv a missing b.xmd d; which d/a d/b; echo *.x*
  drx mv: c: is not a folder; several SOURCEs need one as TARGET
  drx mv: a and e/a have the same name; they cannot both go into one folder
  drx mv: missing: no such array
  d/a is a
  d/b is b
  *.x*

An array that is there is replaced on demand, and so is a half of one.
  $ fresh a b; refused mv a b; which a b; drx mv a b --force; which b; printf half > c.xta; refused mv b c; drx mv -f b c; which c; echo *.x*
  drx mv: b.xmd: exists already; give a new path, or --force to replace it
  a is a
  b is b
  b is a
  drx mv: c.xta: exists already, without its c.xmd; give a new path, or --force to replace it
  c is a
  c.xmd c.xta

Nothing is moved or copied to itself, whatever the path.
  $ fresh a; ln -s . link; ln a.xmd hard.xmd; ln a.xta hard.xta
  $ for target in a ./a link/a . link/ hard "$PWD/a"; do for verb in mv cp; do refused $verb a "$target" --force; done | alike 'drx ..'; done |
  >   sed "s|$PWD|HERE|"
  drx mv, drx cp: a.xmd: is the same array as a.xmd
  drx mv, drx cp: a.xmd: is the same array as ./a.xmd
  drx mv, drx cp: a.xmd: is the same array as link/a.xmd
  drx mv, drx cp: a.xmd: is the same array as a.xmd
  drx mv, drx cp: a.xmd: is the same array as link/a.xmd
  drx mv, drx cp: a.xmd: is the same array as hard.xmd
  drx mv, drx cp: a.xmd: is the same array as HERE/a.xmd
  $ which a hard; echo *.x*
  a is a
  hard is a
  a.xmd a.xta hard.xmd hard.xta

What symbolic links lead to is copied.
  $ for suffix in xmd xta; do ln -sf a.$suffix hard.$suffix; done; mkdir f; drx mv hard f; which a f/hard; echo *.x*
  a is a
  f/hard is a
  a.xmd a.xta

Sources and targets that cannot be.
  $ for words in 'a no/b' 'a no/' 'd x' 'd/ x' 'none x'; do for verb in mv cp; do refused $verb $words; done | alike 'drx ..'; done; refused mv a ''
  drx mv, drx cp: a: no/b.xmd: the folder no does not exist
  drx mv, drx cp: no/: no such folder
  drx mv, drx cp: d: is a folder, not an array; 'drx info d' lists arrays
  drx mv, drx cp: d/: is a folder, not an array; 'drx info d/' lists arrays
  drx mv, drx cp: none: no such array
  drx mv: a: "": expected the path of an array, without suffix
  $ mv a.xta gone; for verb in mv cp; do refused $verb a b; done | alike 'drx ..'; mv gone a.xta; which a; echo *.x*
  drx mv, drx cp: a.xta: missing, only a.xmd is there
  a is a
  a.xmd a.xta

drx cp copies, with the permissions. Damage is copied, too, and told.
  $ chmod 640 a.xta; drx cp a b; mkdir g; drx cp a b.xta g; which b g/a g/b; stat -c %a b.xta; drx extend b 0 1; which a
  b is a
  g/a is a
  g/b is a
  640
  a is a
  $ printf '\xff\xff' | dd of=a.xmd bs=1 seek=$(($(stat -c %s a.xmd) - 40)) conv=notrunc status=none; drx cp a c; cmp a.xmd c.xmd; cmp a.xta c.xta
  drx cp: warning: copied with its damage: a.xmd: the record at offset 8424 is damaged, and what follows was promised: the array is read as it was after record 4

drx rm removes both files of an array, and a half of one. A pattern of the shell gives both, in other verbs, too.
  $ fresh a b; mkdir h; drx mv a 'x y'; drx cp *.x* h; drx check h/b.*; drx chmod 600 b.*; drx rm h/*; ls h; drx rm b; refused rm 'x y' 'x y'; echo *.x*
  h/b: good
  drx rm: x y: no such array
  *.x*
  $ fresh a b; drx rm a b.xta; fresh a; rm a.xmd; drx rm a; fresh a; refused rm none a; echo *.x*; drx rm --force none no/a
  drx rm: none: no such array
  *.x*
  $ for words in d d/ '-f d'; do refused rm $words; done | uniq; ls -d d
  drx rm: d: is a folder, not an array; 'drx info d' lists arrays
  drx rm: d/: is a folder, not an array; 'drx info d/' lists arrays
  drx rm: d: is a folder, not an array; 'drx info d' lists arrays
  d

drx chmod changes the permissions as chmod does, of each file from its own.
  $ fresh a; umask 022; touch file
  $ for mode in 0 644 0600 u+w go-rwx a=r +x +X a+X u=rw,go=r o= g=u go=u-w ug+rw,o-r a-w = +w u+x,a+X og+rX-w; do
  >   for old in 644 600 751 000 666; do
  >     chmod $old file a.*; chmod $mode file; drx chmod $mode a; [[ $(stat -c %a file a.* | sort -u | wc -l) == 1 ]] || echo $mode of $old: $(stat -c %a file a.*)
  >   done
  > done
  $ chmod 640 a.xmd; chmod 600 a.xta; drx chmod o+r a.xmd; echo $(stat -c %a a.*)
  644 604
  $ for mode in '' 8 1644 00644 7777 u rw u+w, ,u+w u+s z+w u+rq u~r; do misused chmod "$mode" a; done | alike
  drx chmod: MODE '', '8', '1644', '00644', '7777', 'u', 'rw', 'u+w,', ',u+w', 'u+s', 'z+w', 'u+rq', 'u~r' is not valid; give digits such as 644 or changes such as u+w,go-rwx
  $ refused chmod 600 d; echo $(stat -c %a a.*); refused chmod 600 b a; echo $(stat -c %a a.*); rm a.xta; refused chmod 644 a; stat -c %a a.xmd
  drx chmod: d: is a folder, not an array; 'drx info d' lists arrays
  644 604
  drx chmod: b: no such array
  600 600
  drx chmod: a.xta: missing, only a.xmd is there
  600

drx check finds arrays of all kinds good, and changes nothing.
  $ mkdir good; for order in C F; do for fill in 0 7; do for shape in 5 3,4 2,3,1 0,4 1,2,3,2,1; do
  >   path="good/$order $fill é $shape"; drx create "$path" --shape $shape --chunk ${shape//[0-9]/2} --order $order --fill $fill --align 64; drx extend "$path" 0 2
  > done; done; done; stat -c '%n %s %Y' good/* > before; drx check good | sed 's/.*: //' | uniq -c; stat -c '%n %s %Y' good/* | diff - before
       20 good
  $ drx check 'good/C 0 é 5.xmd'; drx check good --json | head -9
  good/C 0 é 5: good
  [
    {
      "path": "good/C 0 é 0,4",
      "findings": [],
      "errors": 0,
      "warnings": 0,
      "verdict": "good",
      "failure": null
    },

What an interrupted change leaves is no damage.
  $ fresh a; printf residue >> a.xta; printf torn >> a.xmd; touch a.xta.new-99999-3; drx check a; drx extend a 0 1; rm a.xta.new*; drx check a
  note: a.xta: beside it is a.xta.new-99999-3, of a process at work or a killed one: if killed, remove it
  warning: a.xmd: the last 4 bytes, from offset 8496 on, are not whole records (a torn tail): dropped when it is next opened for writing
  warning: a.xta: 7 bytes after its last chunk, from offset 48 on, of an append that was not completed: cut off when it is next opened for writing
  a: good, 2 warnings
  drx extend: warning: a.xmd: the last 4 bytes, from offset 8496 on, are not whole records (a torn tail): dropped
  a: good

What is damaged, is told by file.
  $ mkdir damaged; cd damaged; for name in good short $'torn é\n'; do cp ../kept/a.xmd "$name.xmd"; cp ../kept/a.xta "$name.xta"; done
  $ truncate -s 5 short.xta; printf '\xff\xff' | dd of=$'torn é\n.xmd' bs=1 seek=110 conv=notrunc status=none; mkdir sub
  $ printf 'no array' > text.xmd; touch text.xta half.xta; drx check . good; drx check . --json | grep '"path"\|verdict' | paste -sd'\0\n'; cd ..
  good: good
  error: half.xta: is there without its half.xmd: it is not an array, but what is left of one
  half: damaged: 1 error
  error: short.xta: damaged: 5 bytes long, its last sync promised 48
  note: short.xta: missing: chunks 0 to 5, all of indices 0..4, 0..3
  short: damaged: 1 error
  error: text.xmd: not the metadata of a DRX array (its first bytes are not the magic number)
  text: damaged: 1 error
  error: torn é\n.xmd: the head (bytes 0 to 512) does not match its checksum
  torn é\n: damaged: 1 error
  good: good
      "path": "good",    "verdict": "good",
      "path": "half",    "verdict": "damaged",
      "path": "short",    "verdict": "damaged",
      "path": "text",    "verdict": "damaged",
      "path": "torn é\n",    "verdict": "damaged",

Paths without arrays. An array goes before a folder of its name.
  $ refused check none; mkdir empty; drx check empty; drx check empty --json 2> /dev/null; drx check none --json 2> /dev/null | grep 'verdict\|failure'
  drx check: none: no such array
  drx check: warning: empty: no arrays in this folder
  []
      "verdict": null,
      "failure": "none.xmd: no such array"
  $ mkdir a; drx check a; drx check a/
  a: good
  drx check: warning: a/: no arrays in this folder
