# Sourced by tests of several ranks on two hosts: network namespaces with names of their own, of which each sees the other only
# through a link, and nothing but TCP between the ranks. Each has a disk of its own in the folder DRX_LOCAL, which stays from
# one job to the next.
#   on 0|1 COMMAND...   run a command on that host
#   job COMMAND...      run it on four ranks, two on each host
set -euo pipefail
command -v ip >/dev/null && mpirun --version 2>/dev/null | grep -q 'Open MPI' || { echo "needs ip and Open MPI"; exit 77; }
if [[ ! ${drx_hosts_alone-} ]]; then # mounts of this namespace go with it
    unshare --mount true 2>why || { echo "namespaces of mounts are not permitted here: $(<why)"; exit 77; }
    drx_hosts_alone=1 exec unshare --mount bash "$0" "$@"
fi
hosts=(drx-$$-a drx-$$-b) subnet=10.$((RANDOM % 200 + 20)).$((RANDOM % 250)).
clean_up() { ip netns del "${hosts[0]}"; ip netns del "${hosts[1]}"; } 2>/dev/null
trap clean_up EXIT
if ! ip netns add "${hosts[0]}" 2>why || ! ip netns add "${hosts[1]}" 2>>why ||
   ! ip link add drx0 netns "${hosts[0]}" type veth peer name drx1 netns "${hosts[1]}" 2>>why; then
    echo "network namespaces are not permitted here: $(<why)"
    exit 77
fi
mkdir local disk0 disk1
export DRX_LOCAL=$PWD/local
for i in 0 1; do
    mount -t tmpfs none disk$i
    ip -n "${hosts[i]}" addr add ${subnet}$((i + 1))/24 dev drx$i
    ip -n "${hosts[i]}" link set lo up
    ip -n "${hosts[i]}" link set drx$i up
done

# What mpirun calls instead of ssh: agent ADDRESS COMMAND...
cat >agent <<END
#!/usr/bin/env bash
[[ \$1 == ${subnet}1 ]] && i=0 name=${hosts[0]} || i=1 name=${hosts[1]}
shift
exec ip netns exec \$name unshare --uts bash -c "mount --bind '$PWD'/disk\$i '$DRX_LOCAL' && hostname \$name && \$*"
END
chmod +x agent

on() {
    local i=$1
    shift
    ip netns exec "${hosts[i]}" unshare --uts bash -c 'mount --bind "$0" "$DRX_LOCAL" && hostname "$1" && shift && exec "$@"' \
        "$PWD/disk$i" "${hosts[i]}" "$@"
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_osc=^ucx # which is chosen for windows, and fails: there is no such network
job() {
    local also=() name
    for name in DRX_SAMPLE DRXMP_LOCAL_STRIPES DRXMP_CACHE; do
        [[ ! ${!name-} ]] || also+=(-x $name)
    done
    on 0 mpirun --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self \
        --mca btl_tcp_if_include ${subnet}0/24 --mca oob_tcp_if_include ${subnet}0/24 \
        "${also[@]}" -x DRX_LOCAL --host ${subnet}1:2,${subnet}2:2 -n 4 "$@"
}

seen=$(job readlink /proc/self/ns/net | sort -u | wc -l)
[[ $seen == 2 ]] || { echo "ranks on $seen hosts, expected 2"; exit 1; }
