#!/usr/bin/env bash
# The Debian packages are built, lintian finds no error in them, and in a new Debian they are installed, do what README.md
# shows, and vanish again. Before that the tar of `make tar` runs there, where nothing that it needs is installed. The new
# system lies in memory, in a mount namespace of its own: whatever happens, nothing stays mounted.
set -Eeuo pipefail
trap 'echo "failed: line $LINENO"' ERR
unset DESTDIR MAKEFLAGS MAKELEVEL LD_LIBRARY_PATH PYTHONPATH

skip() {
    echo "skipped: $*"
    exit 77
}

if [[ ${1-} != --inside ]]; then
    for tool in dpkg-buildpackage dh lintian debootstrap patchelf wget; do
        command -v $tool >/dev/null || skip "no $tool; scripts/setup ci installs it"
    done
    [[ -e $DRX_BUILD/bin/drx ]] || skip "built without the program drx"
    [[ $(. /etc/os-release; echo "$ID ${VERSION_CODENAME-}") == debian\ ?* ]] || skip "this is not Debian"
    ((EUID == 0)) || skip "not root, so no other system can be installed"
    unshare --mount --pid --fork true 2>/dev/null || skip "no mount namespaces here"
    exec unshare --mount --pid --fork --kill-child --mount-proc bash "$0" --inside
fi
suite=$(. /etc/os-release; echo "$VERSION_CODENAME")
mapfile -t sources < <(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sort -u | grep -E " $suite(-updates|-security|/updates)? main\$")
mirror=$(printf '%s\n' "${sources[@]}" | sed -n "s/ $suite main\$//p" | head -n 1)
[[ $mirror ]] || skip "apt has no source of $suite main"
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
[[ ! ${http_proxy-} ]] || export http_proxy
[[ ! ${https_proxy-} ]] || export https_proxy
wget -q --tries=2 --timeout=60 -O release "$mirror/dists/$suite/Release" || skip "no answer from $mirror"

step() {
    echo "== $1 (after $SECONDS s)"
}
state_of_source() {
    git -C "$DRX_SOURCE" status --porcelain --ignored 2>/dev/null || true
}

step "packages"
before=$(state_of_source)
export DEBFULLNAME='Zoë $HOME & Co' DEBEMAIL=zoe@example.org # whoever publishes
"$DRX_SOURCE/scripts/deb" "$PWD/deb" >packages
[[ $(state_of_source) == "$before" ]]
for file in deb/*.deb; do
    dpkg-deb --field "$file" Package
done | grep -v -- -dbgsym | sort -u >names
[[ $(wc -l <names) == $(grep -c ^Package: "$DRX_SOURCE/debian/control") ]]

for file in deb/*.deb; do
    [[ $(dpkg-deb --field "$file" Maintainer) == "$DEBFULLNAME <$DEBEMAIL>" ]]
done
grep -qFx "Changed-By: $DEBFULLNAME <$DEBEMAIL>" deb/*.changes
modules=$(dpkg-deb --contents deb/libdrx-fortran-dev_*.deb | sed -n 's|.*/fortran/\(gfortran-mod-[0-9]*\)/drx\.mod$|\1|p')
[[ $modules && $(dpkg-deb --field deb/libdrx-fortran-dev_*.deb Depends) == *" | $modules"* ]]

step "lintian"
lintian --fail-on error deb/*.changes >lintian.txt 2>&1 || { cat lintian.txt; exit 1; }
cat lintian.txt
expected='initial-upload-closes-no-bugs|lacks-unversioned-link-to-shared-library' # it is not in Debian; libdap.so has its own folder
! grep '^W:' lintian.txt | grep -vE "$expected" || exit 1

step "tar"
tar=$("$DRX_SOURCE/scripts/tar" "$DRX_BUILD" "$PWD")
tree=$(basename "$tar" .tar.gz)

step "a new system"
mkdir root
mount -t tmpfs -o size=6g,mode=755 none root
{ mknod root/null c 1 3 && : >root/null; } 2>/dev/null || skip "no devices can be made here"
rm root/null
debootstrap --variant=minbase "$suite" root "$mirror" >debootstrap.log 2>&1 || { tail -n 30 debootstrap.log; exit 1; }
printf 'deb %s\n' "${sources[@]}" >root/etc/apt/sources.list
apt-config dump | grep -E '^Acquire::(Check-|http|https|Retries)[^"]*"[^"]' >root/etc/apt/apt.conf.d/90here || true
cp /etc/resolv.conf /etc/hosts root/etc/
mountpoint -q root/proc || mount -t proc proc root/proc

in_root() {
    chroot root env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
as_user() {
    chroot --userspec=user:user root env -i HOME=/home/user PATH=/usr/bin:/bin LANG=C.UTF-8 bash -euo pipefail -c "cd; $1"
}
apt_get() {
    in_root apt-get -q -y --no-install-recommends "$@" >>apt.log 2>&1 || { tail -n 30 apt.log; return 1; }
}
in_root useradd --create-home --user-group user
cp "$tar" "$DRX_SOURCE"/tests/install/consumer_d{rx,ap}.c "$DRX_SOURCE/README.md" "$DRX_SOURCE/examples/fortran/serial.f90" root/home/user
python3 "$DRX_SOURCE/tests/packages/readme_parts.py" "$DRX_SOURCE/README.md" root/home/user

step "the tar, where nothing is installed"
! in_root sh -c 'ls -d /usr/lib/*/libblosc.so.1 /usr/share/xml/udunits /etc/fonts/fonts.conf 2>/dev/null | grep .' || exit 1
as_user "tar xf $tree.tar.gz; mkdir with-tar"
with_tar="PATH=\$HOME/$tree/bin:\$PATH; cd with-tar"
as_user "$with_tar; drx create bare --shape 2,3 --type float32; drx extend bare 1 2; drx export bare bare.nc; drx import bare.nc:bare back"
as_user "$with_tar; drx view back -o back.png 2>err; cat err; [[ ! -s err ]]"
no_answer='if drx info http://127.0.0.1:1/none 2>err; then exit 1; fi; cat err; if grep libcurl err; then exit 1; fi' # libcurl is there
as_user "$with_tar; $no_answer"
winds=/usr/share/ferret-vis/data/monthly_navy_winds.cdf
if [[ -e $winds ]]; then
    cp "$winds" root/home/user/source.nc
    as_user "$with_tar; drx import ../source.nc:UWND uwnd --coords; drx read 'uwnd[TIME=1985-03, FNOCY=0, FNOCX=180]'" # by the units in the tar
    as_user "$with_tar; drx view 'uwnd[11]' -o winds.png 2>err; cat err; [[ ! -s err ]]"
fi

step "the tar, with a compiler and NumPy"
apt_get update
apt_get install gcc libc6-dev pkgconf python3-numpy
as_user "PYTHONPATH=\$HOME/$tree/python python3 -c 'import drx; assert drx.open(\"with-tar/bare\").shape == (2, 5)'"
as_user "export PKG_CONFIG_PATH=\$HOME/$tree/lib/pkgconfig
gcc -o consumer consumer_drx.c \$(pkg-config --cflags --libs drx) -Wl,-rpath,\$HOME/$tree/lib && ./consumer
rm -r $tree"

step "the packages"
cp deb/*.deb root/
apt_get install $(cd root && ls -- *.deb | grep -v -- -dbgsym | sed 's|^|/|') libcurl4 openmpi-bin ferret-datasets netcdf-bin nco \
    python3-netcdf4 # programs that read netCDF
rm root/*.deb
[[ ! $(in_root dpkg --audit) ]]
as_user "[[ \$(command -v drx) == /usr/bin/drx ]]; drx --version"
as_user "python3 -m doctest README.md"
as_user "bash readme.sh" >readme.log 2>&1 || { cat readme.log; exit 1; }
as_user "python3 -c 'import netCDF4, drx; assert netCDF4.Dataset(\"winds\")[\"UWND\"].shape == (132, 73, 144)'"
as_user "gcc -o with-drx consumer_drx.c \$(pkg-config --cflags --libs drx) && ./with-drx && ldd with-drx | grep -F libdrx.so.0"
as_user "gcc -o with-dap consumer_dap.c \$(pkg-config --cflags --libs dap) && ./with-dap && ldd with-dap | grep -F libdap.so.0"
as_user "$no_answer"
as_user "gfortran -o serial serial.f90 \$(pkg-config --cflags --libs drx-fortran) && ./serial"
as_user "printf '#include <drxmp.h>\nint main(void) { void *volatile p = (void *)drxmp_open; return !p; }\n' >mp.c
mpicc -o mp mp.c \$(pkg-config --cflags --libs drxmp) && ldd mp | grep -F libdrxmp.so.0
OMPI_MCA_plm_rsh_agent=sh OMPI_MCA_rmaps_base_oversubscribe=1 mpirun -n 2 drx-mpi --version
python3 -c 'import drx.mpi'"
as_user "printf 'use drx\ntype(drx_array) :: a\ncall drx_create(\"\", a, drx_spec([2], drx_int32))\nend\n' >f.f90
gfortran -o f f.f90 \$(pkg-config --cflags --libs drx-fortran) && ./f && ldd f | grep -F libdrxf.so.0"
for page in man3/drx_open.3 man3/drxmp_open.3 man3/drxga_write.3 man3/drx_netcdf.3 man1/drx.1 man1/drx-mpi.1; do
    in_root dpkg -S "/usr/share/man/$page.gz"
done
[[ -s root/usr/share/doc/drx-doc/docs/python.md ]]

step "removal"
apt_get purge $(<names)
left=$(cd root && find . -xdev \( -path ./proc -o -path ./home -o -path ./var/log -o -path ./var/cache \) -prune -o -name '*drx*' -print)
[[ ! $left ]] || { echo "left by the packages: $left"; exit 1; }
step "done"
