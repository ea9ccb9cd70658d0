# Components, all of them unless some are named:
#   drx  drx::drx (shared) and drx::drx_static
#   dap  drx::dap (shared) and drx::dap_static; needs nothing else
#   drxmp  drx::drxmp (shared) and drx::drxmp_static; needs MPI; asked for by name
#   drxf  drx::drxf (shared) and drx::drxf_static, the module drx for Fortran; asked for by name
#   drxmpf  drx::drxmpf (shared) and drx::drxmpf_static, the module drxmp; needs MPI, and C beside Fortran; likewise
#   dra  drx::dra (static), to be linked before Global Arrays; needs drxmp; asked for by name
#   drxga  drx::drxga (static), likewise; drx_drxga_MODULE is the source of the Fortran module
#   drx-netcdf  drx::drx-netcdf (shared), to be linked before netCDF; drx-netcdf-mpi: before netCDF with MPI; by name
include(CMakeFindDependencyMacro)
set(drx_components ${drx_FIND_COMPONENTS})
if(NOT drx_components)
    set(drx_components drx dap)
endif()
get_property(drx_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
foreach(component IN LISTS drx_components)
    if(component MATCHES "^(drxf|drxmpf)$")
        if("C" IN_LIST drx_languages) # only the static libraries need it
            find_dependency(Threads)
        endif()
        include(${CMAKE_CURRENT_LIST_DIR}/drxTargets.cmake OPTIONAL)
    endif()
    if(component MATCHES "^(drxmp|drxmpf|dra|drxga|drx-netcdf-mpi)$")
        find_dependency(MPI COMPONENTS C)
        find_dependency(Threads)
        foreach(needed drx dap drxmp)
            include(${CMAKE_CURRENT_LIST_DIR}/${needed}Targets.cmake OPTIONAL)
        endforeach()
    endif()
    if(component STREQUAL "drx")
        find_dependency(Threads)
    endif()
    if(component STREQUAL "drxmpf")
        include(${CMAKE_CURRENT_LIST_DIR}/drxfTargets.cmake OPTIONAL)
    endif()
    include(${CMAKE_CURRENT_LIST_DIR}/${component}Targets.cmake OPTIONAL RESULT_VARIABLE drx_${component}_FOUND)
    if(NOT drx_${component}_FOUND AND drx_FIND_REQUIRED_${component})
        set(drx_FOUND FALSE)
        set(drx_NOT_FOUND_MESSAGE "drx has no component ${component}")
    endif()
endforeach()
if(TARGET drx::drxga)
    get_target_property(drx_drxga_MODULE drx::drxga INTERFACE_INCLUDE_DIRECTORIES)
    list(GET drx_drxga_MODULE 0 drx_drxga_MODULE)
    set(drx_drxga_MODULE ${drx_drxga_MODULE}/drxga.f90)
endif()
