# What does `cmake --install` leave for others, and how do they find it?
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS dataview EXPORT dataview-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dataview_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dataview_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/dataview DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET dataview_pages)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/bash-completion ${PROJECT_BINARY_DIR}/share/zsh
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(dataview): the target dataview::dataview.  The shared library needs nothing else.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dataview)
install(EXPORT dataview-targets NAMESPACE dataview:: FILE dataview-config.cmake
        DESTINATION ${package_dir})
write_basic_package_version_file(dataview-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dataview-config-version.cmake DESTINATION ${package_dir})

# pkg-config: the prefix is found from the file's own place, so that the tree may be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up_to_prefix /${pkgconfig_dir} /)
configure_file(cmake/dataview.pc.in dataview.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dataview.pc DESTINATION ${pkgconfig_dir})
