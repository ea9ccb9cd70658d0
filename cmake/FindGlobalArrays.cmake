# Global Arrays with its Disk Resident Arrays, built for Open MPI (Debian: libglobalarrays-dev, libarmci-mpi-dev,
# libscalapack-openmpi-dev). Defines GlobalArrays_FOUND and the imported target GlobalArrays::ga.
# The library comes as an archive: what is to take the place of its members stands before it when linking.
include(FindPackageHandleStandardArgs)

find_path(GlobalArrays_INCLUDE_DIR dra.h)
find_library(GlobalArrays_LIBRARY ga-openmpi)
find_library(GlobalArrays_ARMCI_LIBRARY armci-openmpi)
find_library(GlobalArrays_SCALAPACK_LIBRARY scalapack-openmpi)
find_library(GlobalArrays_LAPACK_LIBRARY lapack)
find_library(GlobalArrays_BLAS_LIBRARY blas)
set(GlobalArrays_needed GlobalArrays_LIBRARY GlobalArrays_INCLUDE_DIR GlobalArrays_ARMCI_LIBRARY
    GlobalArrays_SCALAPACK_LIBRARY GlobalArrays_LAPACK_LIBRARY GlobalArrays_BLAS_LIBRARY)
mark_as_advanced(${GlobalArrays_needed})
find_package_handle_standard_args(GlobalArrays REQUIRED_VARS ${GlobalArrays_needed})

if(GlobalArrays_FOUND AND NOT TARGET GlobalArrays::ga)
    set(needed ${GlobalArrays_SCALAPACK_LIBRARY} ${GlobalArrays_LAPACK_LIBRARY} ${GlobalArrays_BLAS_LIBRARY}
        ${GlobalArrays_ARMCI_LIBRARY} MPI::MPI_C gfortran m)
    add_library(GlobalArrays::ga STATIC IMPORTED)
    set_target_properties(GlobalArrays::ga PROPERTIES
        IMPORTED_LOCATION ${GlobalArrays_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${GlobalArrays_INCLUDE_DIR}
        INTERFACE_LINK_LIBRARIES "${needed}")
endif()
