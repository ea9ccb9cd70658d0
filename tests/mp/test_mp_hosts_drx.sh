#!/usr/bin/env bash
# The verbs of drx-mpi on arrays with stripes on disks that only one of two hosts sees. Arguments: drx and drx-mpi.
source "$(dirname "$0")/two_hosts.sh"
drx=$1 drx_mpi=$2
export DRXMP_LOCAL_STRIPES=1
unset DRX_CREATION_ID # arrays that replace others have other stripes

fail() { echo "FAILED: $*"; exit 1; }
same() { [[ $1 == "$2" ]] || fail "$3: got '$1', expected '$2'"; }
stripes() { # on each host, as "2 2"
    echo "$(ls disk0 | wc -l) $(ls disk1 | wc -l)"
}
# refused CODE WORDS COMMAND...: it ends with that code and says these words.
refused() {
    local code=0 expected=$1 words=$2 said
    shift 2
    said=$("$@" 2>&1) || code=$?
    same "$code" "$expected" "code of $*"
    [[ $said == *"$words"* ]] || fail "$*: said '$said', expected '$words'"
}

folders=$DRX_LOCAL,$DRX_LOCAL,$DRX_LOCAL,$DRX_LOCAL
"$drx" read --help >/dev/null # the program is there
python3 - <<END
import struct
header = "{'descr': '<i4', 'fortran_order': False, 'shape': (37, 29), }"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open("in.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    f.write(struct.pack("<1073i", *range(1073)))
END

# What one process makes of the same, without stripes, is what all is compared with.
"$drx" import in.npy truth --chunk 5,4
compare() { # ARRAY TRUTH
    rm -f got.npy expected.npy
    job "$drx_mpi" export "$1" got.npy
    "$drx" export "$2" expected.npy
    cmp got.npy expected.npy || fail "$1 differs from $2"
}

job "$drx_mpi" create a --shape 5,6 --chunk 2,2 --type int32 --fill 7 --stripe "$folders"
same "$(stripes)" "2 2" "stripes of a new array"
refused 1 "exists already; give a new path, or --force to replace it" \
    job "$drx_mpi" create a --shape 5,6 --chunk 2,2 --stripe "$folders"
same "$(stripes)" "2 2" "stripes after a creation that was refused"
job "$drx_mpi" extend a 0 9
"$drx" create a-truth --shape 5,6 --chunk 2,2 --type int32 --fill 7
"$drx" extend a-truth 0 9
compare a a-truth
job "$drx_mpi" create a --shape 3,3 --chunk 2,2 --type int32 --stripe "$folders" --force
same "$(stripes)" "2 2" "stripes of an array that replaces one"

job "$drx_mpi" import in.npy b --chunk 5,4 --dims y,x --stripe "$folders"
same "$(stripes)" "4 4" "stripes of an import"
compare b truth
refused 1 "exists already" job "$drx_mpi" import in.npy b --chunk 5,4 --stripe "$folders"
same "$(stripes)" "4 4" "stripes after an import that was refused"
job "$drx_mpi" import in.npy b --append 0
"$drx" import in.npy truth --append 0
compare b truth

same "$(job "$drx_mpi" read 'b[10:14,3:9]')" "$("$drx" read 'truth[10:14,3:9]')" "text of a part"

job "$drx_mpi" copy b c --permute x,y --chunk 3,7 --stripe "$folders"
same "$(stripes)" "6 6" "stripes of a copy"
"$drx" copy truth turned --permute 1,0 --chunk 3,7
compare c turned
job "$drx_mpi" copy c c2 --chunk 4,4 # a copy without stripes
rm got.npy
"$drx" export c2 got.npy
cmp got.npy expected.npy || fail "c2 differs"
[[ ! $(echo .*.import-* .*.copy-* | tr -d '.*') == *[0-9]* ]] || fail "left: $(ls -A)"

# What rank 0 does alone: the stripes of both hosts are within its reach.
same "$(job "$drx_mpi" info b --json | python3 -c 'import json, sys
i = json.load(sys.stdin)
print(i["shape"], len(i["stripes"]), i["data_bytes"], sum(s["bytes"] for s in i["stripes"]), i["data_bytes_on_disk"] > 0)')" \
    "[74, 29] 4 9600 9600 True" "info"
job "$drx_mpi" map b >map.txt 2>said.txt
[[ ! -s said.txt ]] || fail "map said $(<said.txt)"
same "$(sed 's/ ([yx])//' map.txt)" "$("$drx" map truth)" "map"
umask 027
job "$drx_mpi" cp b d
umask 022
same "$(stripes)" "8 8" "stripes of a copy by cp"
same "$(stat -c %a d.xmd disk0/d.*.0 disk1/d.*.1 | sort -u)" "640" "permissions of a copy by cp"
compare d truth
refused 1 "give a new path, or --force to replace it" job "$drx_mpi" cp b d
same "$(stripes)" "8 8" "stripes after a copy that was refused"
mkdir folder
job "$drx_mpi" mv d folder/
[[ ! -e d.xmd && -e folder/d.xmd ]] || fail "d has not moved"
same "$(stripes)" "8 8" "stripes after mv"
compare folder/d truth
job "$drx_mpi" cp --force c folder/d
same "$(stripes)" "8 8" "stripes after a copy that replaces"
compare folder/d turned
refused 1 "is a stripe on another node" job "$drx_mpi" chmod 600 folder/d
job "$drx_mpi" trim folder/d 0 --after 3
"$drx" trim turned 0 --after 3
compare folder/d turned
job "$drx_mpi" mv --force folder/d d
job "$drx_mpi" rm d
same "$(stripes)" "6 6" "stripes after rm"
for suffix in nc h5; do
    job "$drx_mpi" export b b.$suffix
    "$drx" import b.$suffix:b back-$suffix
    "$drx" export back-$suffix got.npy
    "$drx" export truth expected.npy
    cmp got.npy expected.npy || fail "b.$suffix differs"
done
lacks="it is stripe 1 of the 4 of b; where another node has it, drx-mpi on both reaches it with DRXMP_LOCAL_STRIPES=1"
for verb in "info b" "cp b e" "mv b folder" "export b e.nc" "export b e.npy"; do
    refused 1 "$lacks" on 0 "$drx" $verb
done
refused 1 "$lacks" on 0 mpirun -n 2 "$drx_mpi" cp b e
mv disk1/b.*.1 away
refused 1 "it is stripe 1 of the 4 of b; no node of this job has it" job "$drx_mpi" info b
refused 1 "it is stripe 1 of the 4 of b; no node of this job has it" job "$drx_mpi" mv b folder
mv away disk1/"$(basename disk0/b.*.0 .0)".1
compare b truth

if command -v ncgen >/dev/null; then # attributes travel from rank 0
    echo 'netcdf in { dimensions: x = 5; variables: float v(x); v:units = "m"; v:range = 1.5, 2.5; data: v = 1, 2, 3, 4, 5; }' >in.cdl
    ncgen -o in.nc in.cdl
    job "$drx_mpi" import in.nc:v v --chunk 2 --stripe "$folders"
    "$drx" import in.nc:v v-truth --chunk 2
    compare v v-truth
    job "$drx_mpi" copy v v2 # which the serial program reads
    "$drx" export v2 got.nc
    "$drx" export v-truth expected.nc
    [[ $(ncdump got.nc) == *units*range* ]] || fail "attributes: $(ncdump got.nc)"
    same "$(ncdump got.nc | sed 1d | grep -v history)" "$(ncdump expected.nc | sed 1d | grep -v history | sed s/v-truth/v2/)" "attributes"
    job "$drx_mpi" rm v
fi

# drx alone sees half of the stripes, says so, and removes nothing.
refused 1 "b: host ${hosts[0]} does not have stripes 1, 3 of the 4, such as $DRX_LOCAL/" on 0 "$drx" rm b
refused 1 "b: host ${hosts[1]} does not have stripes 0, 2 of the 4" on 1 "$drx" rm b
refused 1 "'drx-mpi rm' with DRXMP_LOCAL_STRIPES=1 removes all" on 0 "$drx" rm b
(unset DRXMP_LOCAL_STRIPES; refused 1 "b: host ${hosts[0]} does not have stripes 1, 3 of the 4" job "$drx_mpi" rm b)
refused 1 "b: no node of this job has stripes 1, 3 of the 4" on 0 mpirun -n 2 "$drx_mpi" rm b
same "$(stripes)" "6 6" "stripes after removals that were refused"
compare b truth

job "$drx_mpi" rm b c a
same "$(stripes)" "0 0" "stripes after drx-mpi rm"
refused 1 "no such array" job "$drx_mpi" rm b
job "$drx_mpi" rm --force b

# With --force, drx removes what it sees, and the rest stays.
job "$drx_mpi" create a --shape 5,6 --chunk 2,2 --stripe "$folders"
on 1 "$drx" rm --force a
same "$(stripes)" "2 0" "stripes after drx rm --force"
[[ ! -e a.xmd ]] || fail "a.xmd is still there"
