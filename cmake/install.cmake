include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/drx)
install(TARGETS drx drx_static EXPORT drxTargets)
install(EXPORT drxTargets NAMESPACE drx:: DESTINATION ${package_dir})
write_basic_package_version_file(drxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/drxConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/drxConfigVersion.cmake DESTINATION ${package_dir})

# Prefixes relative to the installed files, so that the tree can be moved.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
cmake_path(SET pc_to_prefix NORMALIZE ${pc_to_prefix})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/drx.pc.in drx.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/drx.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB headers CONFIGURE_DEPENDS include/*.h)
install(FILES ${headers} TYPE INCLUDE)
foreach(section 1 3)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES LICENSE TYPE DOC)

if(TARGET drx_program)
    file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(drx_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
    install(TARGETS drx_program)
    install(FILES scripts/completion/drx.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME drx)
endif()
