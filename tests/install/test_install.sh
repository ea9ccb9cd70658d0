#!/usr/bin/env bash
# Install into a temporary prefix, move it, and use it from there as a user would.
set -euo pipefail
trap 'echo "failed: line $LINENO"' ERR
unset DESTDIR MAKEFLAGS MAKELEVEL
here=$DRX_SOURCE/tests/install

cmake --install "$DRX_BUILD" --prefix "$PWD/first" >install.log
mv first prefix
prefix=$PWD/prefix
pc=$(find "$prefix" -name drx.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=${pc%/*}

echo "== files"
(cd "$prefix" && find . ! -type d | sort)
for name in drx dap; do
    for file in "$lib/lib$name".{a,so,so.0} "$prefix/include/$name.h" "$lib/cmake/drx/${name}Targets.cmake" "${pc%/*}/$name.pc"; do
        [[ -e $file ]] || { echo "missing: $file"; exit 1; }
    done
done
for file in "$lib"/cmake/drx/drx{Config,ConfigVersion}.cmake; do
    [[ -e $file ]] || { echo "missing: $file"; exit 1; }
done
! grep -rlF -e "$DRX_SOURCE" -e "$PWD/first" "$lib/cmake" "${pc%/*}" || exit 1

for name in drx dap; do
    echo "== exported symbols of $name"
    nm -D --defined-only "$lib/lib$name.so" | awk '{ print $3 }' | sort >exported
    grep -rhoP "^(extern )?DRXI_SHARED .*?\K\bdrxi_\w+(?=[(;])" "$DRX_SOURCE/src" | sort >for-libdrxmp # beside the interface
    [[ $name == drx ]] && diff <(grep ^drxi_ exported) for-libdrxmp && sed -i /^drxi_/d exported
    ! grep -v "^${name}_" exported || exit 1
    grep -hoP "^${name^^}_API .*?\K\b${name}_\w+(?=\()" "$DRX_SOURCE/include/$name"*.h | sort >declared
    diff declared exported
    find "$prefix/share/man/man3" -name "${name}_*.3" ! -name drx_tools.3 ! -name drx_dataset.3 ! -name drx_cf.3 ! -name 'drx_netcdf*.3' -printf '%f\n' | sed 's/\.3$//' | sort | diff declared -
    readelf -d "$lib/lib$name.so" | grep "SONAME.*\[lib$name\.so\.0\]"

    echo "== pkg-config $name"
    [[ $(readlink -f "$lib/lib$name.so") == */lib$name.so.$(pkg-config --modversion $name) ]]
    "$CC" -o shared "$here/consumer_$name.c" $(pkg-config --cflags --libs $name) -Wl,-rpath,"$lib"
    readelf -d shared | grep "NEEDED.*lib$name\.so\.0"
    ./shared
    "$CC" -o static "$here/consumer_$name.c" $(pkg-config --static --cflags --libs $name | sed "s/-l$name/-l:lib$name.a/")
    ! readelf -d static | grep "NEEDED.*lib$name" || exit 1
    ./static
done

if [[ -e $prefix/include/drxmp.h ]]; then
    echo "== pages of drxmp"
    grep -hoP "^DRX(MP)?_API .*?\K\bdrxmp_\w+(?=\()" "$prefix"/include/drxmp*.h | sort >declared
    [[ -s declared ]]
    find "$prefix/share/man/man3" -name "drxmp_*.3" ! -name drxmp_dataset.3 -printf '%f\n' | sed 's/\.3$//' | sort | diff declared -
fi

echo "== libdap stands alone"
"$CC" -o shared "$here/consumer_dap.c" $(pkg-config --cflags --libs dap) -Wl,-rpath,"$lib"
! readelf -d shared "$lib/libdap.so" | grep 'NEEDED.*libdrx' || exit 1

for language in C CXX; do
    echo "== CMake, $language"
    cmake -S "$here" -B "build-$language" -DLANGUAGE=$language -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build "build-$language"
    for library in drx drx_static dap dap_static; do
        "build-$language/with_$library"
    done
done

echo "== CMake, components"
cmake -S "$here" -B build-dap -DLANGUAGE=C -DCOMPONENTS=dap -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
cmake --build build-dap
build-dap/with_dap
[[ ! -e build-dap/with_drx ]]
! cmake -S "$here" -B build-none -DLANGUAGE=C -DCOMPONENTS=none -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || exit 1
grep 'drx has no component none' cmake.log

if [[ -e $prefix/bin/drx ]]; then
    echo "== program"
    "$prefix/bin/drx" --help >help # by the program with all verbs, in libexec
    [[ -s help ]]
    ln -s "$prefix/bin/drx" linked
    ./linked create linked-array --shape 2 && ./linked view linked-array -o linked.png
    ! ldd "$prefix/bin/drx" | grep -E "netcdf|hdf5|cairo" || exit 1

    echo "== completion"
    completed=$(bash --norc -c 'source "$0"; COMP_LINE="$1 inf" COMP_WORDS=("$1" inf) COMP_CWORD=1; _drx; echo "${COMPREPLY[*]}"' \
        "$prefix/share/bash-completion/completions/drx" "$prefix/bin/drx")
    [[ $completed == info ]]
fi

if [[ -e $lib/libdrx-netcdf.so ]]; then
    echo "== programs that read netCDF"
    [[ -e $prefix/share/man/man3/drx_netcdf_register.3 ]]
    nm -D --defined-only "$lib/libdrx-netcdf.so" | awk '{ print $3 }' | sort | diff <(printf '%s\n' drx_netcdf_register drx_netcdf_show nc__create nc__open nc_copy_data nc_create \
        nc_def_var_chunking_ints nc_def_var_filter nc_get_var_chunk_cache_ints nc_inq_var_chunking_ints nc_open nc_reclaim_data nc_set_var_chunk_cache_ints) -
    ! readelf -d "$lib"/libdrx-netcdf*.so | grep -E 'NEEDED.*libnetcdf' || exit 1
    mkdir netcdf
    printf '%s\n' '#include <netcdf.h>' '#include <stdio.h>' '#ifdef LINKED' '#include <drx_netcdf.h>' '#else' \
        '#define drx_netcdf_register() 0' '#endif' 'int main(int n, char **v) {' \
        'int id, st = n == 2 ? nc_open(v[1], NC_NOWRITE, &id) : drx_netcdf_register();' \
        'if (st) fprintf(stderr, "%s\n", nc_strerror(st));' 'return st != 0; }' >netcdf/main.c
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(netcdf LANGUAGES C)' 'find_package(PkgConfig REQUIRED)' \
        'pkg_check_modules(NETCDF REQUIRED IMPORTED_TARGET netcdf)' 'find_package(drx 0.1 REQUIRED COMPONENTS drx-netcdf)' \
        'add_executable(main main.c)' 'target_link_libraries(main PRIVATE drx::drx-netcdf PkgConfig::NETCDF)' >netcdf/CMakeLists.txt
    "$prefix/bin/drx" create lone --shape 2
    "$CC" -o netcdf/plain netcdf/main.c $(pkg-config --cflags --libs netcdf)
    ! netcdf/plain lone || exit 1
    "$prefix/bin/drx" run netcdf/plain lone
    LD_PRELOAD=$lib/libdrx-netcdf.so.0 netcdf/plain lone
    "$CC" -o netcdf/main -DLINKED netcdf/main.c $(pkg-config --cflags --libs drx-netcdf netcdf) -Wl,-rpath,"$lib"
    netcdf/main lone
    netcdf/main # registers
    cmake -S netcdf -B netcdf/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build netcdf/build
    netcdf/build/main lone
fi

if [[ -e $lib/libdrxmp-paper.so ]]; then
    echo "== the paper's interface"
    mkdir paper
    printf '#include <drxmp_paper.h>\nint main(void) { return DRXMP_Terminate(); }\n' >paper/main.c
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(paper LANGUAGES C)' \
        'find_package(drx 0.1 REQUIRED COMPONENTS drxmp)' 'add_executable(main main.c)' \
        'target_link_libraries(main PRIVATE drx::drxmp_paper)' >paper/CMakeLists.txt
    cmake -S paper -B paper/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build paper/build
    paper/build/main
    mpicc -o paper/main paper/main.c $(pkg-config --cflags --libs drxmp-paper) -Wl,-rpath,"$lib"
    paper/main
fi
if [[ -e $lib/libdrxf.so ]]; then
    echo "== the modules for Fortran"
    mkdir fortran
    printf '%s\n' 'program main' 'use drx' 'type(drx_array) :: a' 'integer :: x(2)' \
        "call drx_create('', a, drx_spec([2], drx_int32, fill=7))" 'call drx_read(a, x)' 'if (any(x /= 7)) stop 1' \
        'end program' >fortran/main.f90
    printf '%s\n' 'program main' 'use mpi_f08' 'use drxmp' 'type(drxmp_array) :: a' 'integer :: x(2)' 'call MPI_Init()' \
        "call drxmp_create(MPI_COMM_WORLD, '', a, drx_spec([2], drx_int32, fill=7))" 'call drxmp_read_all(a, x)' \
        'call drx_close(a)' 'call MPI_Finalize()' 'if (any(x /= 7)) stop 1' 'end program' >fortran/main_mp.f90
    gfortran -o fortran/main fortran/main.f90 $(pkg-config --cflags --libs drx-fortran) -Wl,-rpath,"$lib"
    readelf -d fortran/main | grep 'NEEDED.*libdrxf\.so\.0'
    fortran/main
    gfortran -o fortran/main_static fortran/main.f90 $(pkg-config --static --cflags --libs drx-fortran |
        sed 's/-ldrxf/-l:libdrxf.a/; s/-ldrx /-l:libdrx.a /')
    ! readelf -d fortran/main_static | grep 'NEEDED.*libdrx' || exit 1
    fortran/main_static
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(modules LANGUAGES Fortran)' \
        'find_package(drx 0.1 REQUIRED COMPONENTS drxf)' 'add_executable(main main.f90)' \
        'target_link_libraries(main PRIVATE drx::drxf)' >fortran/CMakeLists.txt
    cmake -S fortran -B fortran/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build fortran/build
    fortran/build/main
fi
if [[ -e $lib/libdrxmpf.so ]]; then
    mpifort -o fortran/main_mp fortran/main_mp.f90 $(pkg-config --cflags --libs drxmp-fortran) -Wl,-rpath,"$lib"
    "$DRX_SOURCE/scripts/in-mpi" 2 60 fortran/main_mp
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(modules LANGUAGES C Fortran)' \
        'find_package(MPI REQUIRED COMPONENTS Fortran)' 'find_package(drx 0.1 REQUIRED COMPONENTS drxmpf)' \
        'foreach(kind "" _static)' 'add_executable(main_mp${kind} main_mp.f90)' \
        'set_target_properties(main_mp${kind} PROPERTIES Fortran_MODULE_DIRECTORY modules${kind})' \
        'target_link_libraries(main_mp${kind} PRIVATE drx::drxmpf${kind} MPI::MPI_Fortran)' 'endforeach()' \
        >fortran/CMakeLists.txt
    cmake -S fortran -B fortran/build_mp -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build fortran/build_mp
    "$DRX_SOURCE/scripts/in-mpi" 2 60 fortran/build_mp/main_mp
    "$DRX_SOURCE/scripts/in-mpi" 2 60 fortran/build_mp/main_mp_static
fi
if [[ -e $lib/libdra-drx.a ]]; then
    echo "== the drop-in for Disk Resident Arrays"
    mkdir dra
    ga="ga-openmpi scalapack-openmpi lapack blas armci-openmpi gfortran m"
    printf '#include <drx_dra.h>\nint main(int n, char **v) { return n > 9 ? NDRA_Copy(n, n, 0, &n) : DRA_uses_fapi(); }\n' \
        >dra/main.c
    mpicc -o dra/main dra/main.c $(pkg-config --cflags --libs dra) $(printf -- "-l%s " $ga) -Wl,-rpath,"$lib"
    dra/main
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(dra LANGUAGES C)' \
        'find_package(drx 0.1 REQUIRED COMPONENTS dra)' 'add_executable(main main.c)' \
        "target_link_libraries(main PRIVATE drx::dra $ga)" >dra/CMakeLists.txt
    cmake -S dra -B dra/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build dra/build
    dra/build/main
fi
if [[ -e $lib/libdrxga.a ]]; then
    echo "== arrays of Global Arrays"
    grep -hoP "^DRX_API .*?\K\bdrxga_\w+(?=\()" "$prefix/include/drxga.h" | sort >declared
    [[ -s declared ]]
    find "$prefix/share/man/man3" -name "drxga_*.3" -printf '%f\n' | sed 's/\.3$//' | sort | diff declared -
    nm --defined-only --extern-only "$lib/libdrxga.a" | awk 'NF == 3 { print $3 }' | grep -vE '^drxga(i|f)_' | sort | diff declared -
    mkdir drxga
    ga="ga-openmpi scalapack-openmpi lapack blas armci-openmpi gfortran m"
    printf '#include <drxga.h>\nint main(void) { return drxga_write(1, 0, 0, 0, 0, 0) != DRX_EINVAL; }\n' >drxga/main.c
    printf '%s\n' 'program main' 'use drxga' 'type(drxga_array) :: a' 'integer :: stat' \
        'call drxga_write(1_drxga_int, a, stat=stat)' 'if (stat /= -1) stop 1' 'end program' >drxga/main.f90
    mpicc -o drxga/main drxga/main.c $(pkg-config --cflags --libs drxga) $(printf -- "-l%s " $ga) -Wl,-rpath,"$lib"
    drxga/main
    if command -v gfortran >fortran; then
        (cd drxga && OMPI_FC=gfortran mpif90 -o main-f $(pkg-config --variable=module drxga) main.f90 \
            $(pkg-config --libs drxga) $(printf -- "-l%s " $ga) -Wl,-rpath,"$lib")
        drxga/main-f
    fi
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' "project(ga LANGUAGES C $([[ -s fortran ]] && echo Fortran))" \
        'find_package(drx 0.1 REQUIRED COMPONENTS drxga)' 'add_executable(main main.c)' \
        "target_link_libraries(main PRIVATE drx::drxga $ga)" 'if(CMAKE_Fortran_COMPILER)' \
        'add_executable(main-f ${drx_drxga_MODULE} main.f90)' "target_link_libraries(main-f PRIVATE drx::drxga $ga)" \
        'endif()' >drxga/CMakeLists.txt
    cmake -S drxga -B drxga/build -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
    cmake --build drxga/build
    drxga/build/main
    [[ ! -s fortran ]] || drxga/build/main-f
fi
if [[ -e $prefix/bin/drx-mpi ]]; then
    echo "== program on MPI"
    [[ $("$DRX_SOURCE/scripts/in-mpi" 2 60 "$prefix/bin/drx-mpi" --version) == "$("$prefix/bin/drx" --version)" ]]
fi
if [[ -d $DRX_BUILD/python/drx ]]; then
    echo "== Python package"
    package=$(dirname "$(dirname "$(find "$prefix" -name '_core.*.so')")")
    [[ -e $package/drx/py.typed && ! -e $package/drx/_core.pyx ]]
    PYTHONPATH=$package /usr/bin/python3 -c 'import drx; drx.create("from-python", (2, 3)).append([1, 2, 3])'
    PYTHONPATH=$package /usr/bin/python3 -c 'import drx; assert drx.open("from-python").shape == (3, 3)'
    [[ -z $(find "$package" -name '*.so' -exec readelf -d {} + | grep RUNPATH | grep -v 'ORIGIN') ]]
fi
