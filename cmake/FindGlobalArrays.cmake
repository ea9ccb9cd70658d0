# Global Arrays with its Disk Resident Arrays, built for the MPI that is used. ga-config, which Global Arrays installs,
# says what it needs. It is looked for in GlobalArrays_ROOT/bin (a variable of CMake or of the environment), where
# `./configure --prefix=...` and `make install` of Global Arrays put it; otherwise, where Debian has it
# (libglobalarrays-dev libarmci-mpi-dev, and libscalapack-openmpi-dev or libscalapack-mpich-dev).
# Defines GlobalArrays_FOUND, GlobalArrays_LIBRARY, GlobalArrays_INCLUDE_DIR and the imported target GlobalArrays::ga.
# The library comes as an archive: what is to take the place of its members stands before it when linking.
include(FindPackageHandleStandardArgs)

set(GlobalArrays_flavour openmpi)
if(MPI_C_LIBRARIES MATCHES mpich)
    set(GlobalArrays_flavour mpich)
endif()
set(GlobalArrays_bin /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/ga/${GlobalArrays_flavour}/bin)
if(GlobalArrays_ROOT)
    set(GlobalArrays_bin ${GlobalArrays_ROOT}/bin)
elseif(DEFINED ENV{GlobalArrays_ROOT})
    set(GlobalArrays_bin $ENV{GlobalArrays_ROOT}/bin)
endif()
find_program(GlobalArrays_CONFIG ga-config PATHS ${GlobalArrays_bin} NO_DEFAULT_PATH)
mark_as_advanced(GlobalArrays_CONFIG)

set(GlobalArrays_missing)
if(GlobalArrays_CONFIG)
    foreach(what libs ldflags cppflags)
        execute_process(COMMAND ${GlobalArrays_CONFIG} --${what} OUTPUT_VARIABLE GlobalArrays_${what}
            OUTPUT_STRIP_TRAILING_WHITESPACE)
    endforeach()
    string(REGEX MATCHALL "-L[^ ]+" GlobalArrays_folders "${GlobalArrays_ldflags} ${GlobalArrays_libs}")
    list(TRANSFORM GlobalArrays_folders REPLACE "^-L" "")
    string(REGEX MATCHALL "-I[^ ]+" GlobalArrays_includes "${GlobalArrays_cppflags}")
    list(TRANSFORM GlobalArrays_includes REPLACE "^-I" "")
    string(REGEX MATCHALL "-l[^ ]+" GlobalArrays_names "${GlobalArrays_libs}")
    list(TRANSFORM GlobalArrays_names REPLACE "^-l" "")
    list(REMOVE_ITEM GlobalArrays_names m pthread gfortran)
    list(REMOVE_DUPLICATES GlobalArrays_names)

    find_path(GlobalArrays_INCLUDE_DIR dra.h HINTS ${GlobalArrays_includes})
    list(POP_FRONT GlobalArrays_names GlobalArrays_first) # its own
    find_library(GlobalArrays_LIBRARY ${GlobalArrays_first} HINTS ${GlobalArrays_folders})
    set(GlobalArrays_needed)
    foreach(name IN LISTS GlobalArrays_names)
        find_library(GlobalArrays_${name}_LIBRARY ${name} HINTS ${GlobalArrays_folders})
        mark_as_advanced(GlobalArrays_${name}_LIBRARY)
        list(APPEND GlobalArrays_needed ${GlobalArrays_${name}_LIBRARY})
        list(APPEND GlobalArrays_missing GlobalArrays_${name}_LIBRARY)
    endforeach()
endif()
mark_as_advanced(GlobalArrays_LIBRARY GlobalArrays_INCLUDE_DIR)
find_package_handle_standard_args(GlobalArrays
    REQUIRED_VARS GlobalArrays_LIBRARY GlobalArrays_CONFIG GlobalArrays_INCLUDE_DIR ${GlobalArrays_missing})

if(GlobalArrays_FOUND AND NOT TARGET GlobalArrays::ga)
    set(needed ${GlobalArrays_needed} MPI::MPI_C gfortran m)
    add_library(GlobalArrays::ga STATIC IMPORTED)
    set_target_properties(GlobalArrays::ga PROPERTIES
        IMPORTED_LOCATION ${GlobalArrays_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${GlobalArrays_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES "${needed}")
endif()
