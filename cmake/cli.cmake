# Builds the command with its manual pages and completions.  It links the archive, so that it runs
# from anywhere; in a wheel it links the shared library of the wheel.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS src/cli/*.c)
file(GLOB spec_pages CONFIGURE_DEPENDS docs/spec/*.md) # `explain` prints them
set(spec_source ${PROJECT_BINARY_DIR}/src/cli/help/spec_pages.c) # in the room of its header
add_custom_command(OUTPUT ${spec_source} DEPENDS ${spec_pages} cmake/spec.cmake VERBATIM
                   COMMAND ${CMAKE_COMMAND} -DSPEC=${PROJECT_SOURCE_DIR}/docs/spec
                           -DOUT=${spec_source} -P ${PROJECT_SOURCE_DIR}/cmake/spec.cmake)
add_executable(dataview_cli ${cli_sources} ${spec_source})
set_target_properties(dataview_cli PROPERTIES OUTPUT_NAME dataview)
target_include_directories(dataview_cli PRIVATE src)
set(library dataview_static)
if(DV_ONE_LIBRARY)
    set(library dataview)
endif()
target_link_libraries(dataview_cli PRIVATE ${library} dataview::jansson -pthread m)
if(TARGET dataview_image_static)
    target_link_libraries(dataview_cli PRIVATE dataview_image_static)
    target_compile_definitions(dataview_cli PRIVATE DVI_HAS_IMAGE)
endif()

# The command itself writes the pages, where it can be run.
if(NOT CMAKE_CROSSCOMPILING AND NOT DV_SANITIZE AND NOT DV_COVERAGE)
    set(pages ${PROJECT_BINARY_DIR}/pages.made)
    add_custom_command(OUTPUT ${pages} DEPENDS dataview_cli cmake/pages.cmake VERBATIM
                       COMMAND ${CMAKE_COMMAND} -DDATAVIEW=$<TARGET_FILE:dataview_cli>
                               -DSHARE=${PROJECT_BINARY_DIR}/share
                               -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
                       COMMAND ${CMAKE_COMMAND} -E touch ${pages})
    add_custom_target(dataview_pages ALL DEPENDS ${pages})
endif()
