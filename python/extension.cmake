# The extension `_core`, over the library and its public headers.  It keeps to the limited API of
# Python 3.11, so that one file serves each later Python; nothing of Python is linked.
file(GLOB extension_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/src/core/*.c)
add_library(_core MODULE ${extension_sources})
set_target_properties(_core PROPERTIES PREFIX "" SUFFIX .abi3.so C_STANDARD 11 C_STANDARD_REQUIRED ON
                                       C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
target_include_directories(_core SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
if(DV_ONE_LIBRARY)
    target_link_libraries(_core PRIVATE dataview)
elseif(DV_EXTENSION)
    target_link_libraries(_core PRIVATE dataview)
    if(TARGET dataview_image)
        target_link_libraries(_core PRIVATE dataview_image)
        target_compile_definitions(_core PRIVATE DVI_HAS_IMAGE)
    endif()
else()
    target_link_libraries(_core PRIVATE dataview_static)
    if(TARGET dataview_image)
        target_sources(_core PRIVATE $<TARGET_OBJECTS:dataview_image_objects>)
        target_link_libraries(_core PRIVATE dataview::pictures)
        target_compile_definitions(_core PRIVATE DVI_HAS_IMAGE)
    endif()
    # The archive's functions are for the extension alone: a system's libdataview.so never meets them.
    target_link_options(_core PRIVATE LINKER:--exclude-libs,ALL)
endif()
# A table of slots holds functions as void *, whatever ISO C says; Python's macros cast qualifiers away.
target_compile_options(_core PRIVATE -Wall -Wextra -Wshadow -Wundef -Wno-pedantic -Wno-cast-qual
                                     -Wno-missing-field-initializers)
