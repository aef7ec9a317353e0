# Builds the component for pictures, dataview-image, where its libraries are.  It stands on the
# public headers alone.  (Debian packages: libturbojpeg0-dev, libpng-dev)
option(DATAVIEW_IMAGE "build the component for pictures, if libturbojpeg and libpng are installed"
       ${PROJECT_IS_TOP_LEVEL})
if(DATAVIEW_IMAGE AND NOT DV_SANITIZE MATCHES memory) # MSan does not see what those libraries write
    set(packages libturbojpeg>=2.1 libpng zlib)
    pkg_check_modules(dv_image IMPORTED_TARGET GLOBAL ${packages})
    # Programs link the archives, if they are there: so they start as fast as without them.
    set(suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
    list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
    pkg_check_modules(dv_image_archives QUIET IMPORTED_TARGET GLOBAL ${packages})
    set(CMAKE_FIND_LIBRARY_SUFFIXES ${suffixes})
endif()
if(NOT dv_image_FOUND)
    message(STATUS "libturbojpeg or libpng is not used: the steps for pictures are left out")
    return()
endif()

file(GLOB image_sources CONFIGURE_DEPENDS src/image/*.c)
add_library(dataview_image_objects OBJECT ${image_sources})
set_target_properties(dataview_image_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(dataview_image_objects PRIVATE include src)
target_link_libraries(dataview_image_objects PRIVATE PkgConfig::dv_image)

if(DV_ONE_LIBRARY)
    target_sources(dataview PRIVATE $<TARGET_OBJECTS:dataview_image_objects>)
    target_link_libraries(dataview PRIVATE PkgConfig::dv_image)
    target_compile_definitions(dataview INTERFACE DVI_HAS_IMAGE)
    return()
endif()
add_library(dataview_image SHARED $<TARGET_OBJECTS:dataview_image_objects>)
set_target_properties(dataview_image PROPERTIES VERSION ${PROJECT_VERSION}
                                                SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(dataview_image PUBLIC dataview PRIVATE PkgConfig::dv_image)
add_library(dataview_image_static STATIC $<TARGET_OBJECTS:dataview_image_objects>)
target_link_libraries(dataview_image_static PUBLIC dataview_static
                      PRIVATE PkgConfig::dv_image_archives)
foreach(library dataview_image dataview_image_static)
    add_library(dataview::${library} ALIAS ${library})
    string(REPLACE _ - name ${library})
    string(REPLACE -static "" name ${name})
    set_target_properties(${library} PROPERTIES OUTPUT_NAME ${name})
endforeach()
