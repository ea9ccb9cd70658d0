# drx::drx (shared) and drx::drx_static
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/drxTargets.cmake)
