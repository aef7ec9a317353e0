# Says what `cmake --install` leaves for others, and how they find it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TARGET dataview)
    install(TARGETS dataview EXPORT dataview-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    list(APPEND exported dataview-targets)
endif()
if(NOT BUILD_SHARED_LIBS) # OFF, or not said
    install(TARGETS dataview_static EXPORT dataview-static-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    list(APPEND exported dataview-static-targets)
endif()
install(DIRECTORY include/dataview DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET dataview_cli)
    install(TARGETS dataview_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET dataview_pages)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/bash-completion ${PROJECT_BINARY_DIR}/share/zsh
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A program that links the archive also links these. pkg-config names them with --static, or always if there is no shared library.
list(JOIN DV_PACKAGES " " pc_requires)
if(TARGET dataview)
    set(pc_private .private)
    set(pc_private_libs "-pthread -lm")
else()
    set(pc_libs " -pthread -lm")
endif()

# find_package(dataview): the targets dataview::dataview and dataview::dataview_static.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dataview)
foreach(targets ${exported})
    install(EXPORT ${targets} NAMESPACE dataview:: DESTINATION ${package_dir})
endforeach()
configure_file(cmake/dataview-config.cmake.in dataview-config.cmake @ONLY)
write_basic_package_version_file(dataview-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dataview-config.cmake cmake/dataview-find.cmake
              ${PROJECT_BINARY_DIR}/dataview-config-version.cmake DESTINATION ${package_dir})

# pkg-config: the prefix is found from the file's own place, so that the tree may be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up_to_prefix /${pkgconfig_dir} /)
configure_file(cmake/dataview.pc.in dataview.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dataview.pc DESTINATION ${pkgconfig_dir})

# All that is installed, so that nothing else has to be built for it.
add_custom_target(dataview_installed)
foreach(target dataview dataview_static dataview_cli dataview_pages dataview_image)
    if(TARGET ${target})
        add_dependencies(dataview_installed ${target})
    endif()
endforeach()

# The component for pictures: the target dataview::dataview_image.
if(TARGET dataview_image)
    install(TARGETS dataview_image EXPORT dataview-targets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    configure_file(cmake/dataview-image.pc.in dataview-image.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/dataview-image.pc DESTINATION ${pkgconfig_dir})
endif()
