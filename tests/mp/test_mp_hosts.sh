#!/usr/bin/env bash
# Run tests of several ranks as if on two hosts: network namespaces with names of their own, of which each sees the other
# only through a link, and nothing but TCP between the ranks. Each has a disk of its own, DRX_LOCAL. Arguments: a program and its arguments.
set -euo pipefail
a=drx-$$-a b=drx-$$-b subnet=10.$((RANDOM % 200 + 20)).$((RANDOM % 250)).
clean_up() { ip netns del $a; ip netns del $b; } 2>/dev/null

command -v ip >/dev/null && mpirun --version 2>/dev/null | grep -q 'Open MPI' || { echo "needs ip and Open MPI"; exit 77; }
trap clean_up EXIT
if ! ip netns add $a 2>why || ! ip netns add $b 2>>why ||
   ! ip link add drx0 netns $a type veth peer name drx1 netns $b 2>>why; then
    echo "network namespaces are not permitted here: $(<why)"
    exit 77
fi
ip -n $a addr add ${subnet}1/24 dev drx0
ip -n $b addr add ${subnet}2/24 dev drx1
for ns in $a $b; do
    ip -n $ns link set lo up
done
ip -n $a link set drx0 up
ip -n $b link set drx1 up

# A disk for each host, which the other does not see: `ip netns exec` makes a namespace of mounts, too.
mkdir local
export DRX_LOCAL=$PWD/local

# What mpirun calls instead of ssh: agent HOST COMMAND...
cat >agent <<EOF
#!/usr/bin/env bash
[[ \$1 == ${subnet}1 ]] && ns=$a || ns=$b
shift
exec ip netns exec \$ns unshare --uts bash -c "mount -t tmpfs none '$PWD/local' && hostname \$ns && \$*"
EOF
chmod +x agent

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
run() {
    ip netns exec $a unshare --uts bash -c 'mount -t tmpfs none "$DRX_LOCAL" && hostname "$0" && exec "$@"' $a \
        mpirun --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self \
        --mca btl_tcp_if_include ${subnet}0/24 --mca oob_tcp_if_include ${subnet}0/24 \
        ${DRX_SAMPLE:+-x DRX_SAMPLE} -x DRX_LOCAL --host ${subnet}1:2,${subnet}2:2 -n 4 "$@"
}

hosts=$(run readlink /proc/self/ns/net | sort -u | wc -l)
[[ $hosts == 2 ]] || { echo "ranks on $hosts hosts, expected 2"; exit 1; }
export OMPI_MCA_osc=^ucx # which is chosen for windows, and fails: there is no such network
run "$@" # which ends when a case hangs
