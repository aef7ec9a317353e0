# What do hostile bytes do?  Each fuzz/fuzz_*.c is one target: with clang's engine in the preset
# `asan`, with any engine if DV_FUZZ_ENGINE names one, else with a main that replays files.  ctest
# replays fuzz/seeds/<target>/.
set(DV_FUZZ_ENGINE "" CACHE STRING "fuzz targets with this engine: an archive, or a flag of the linker")
if(NOT dv_blake2_FOUND OR CMAKE_CROSSCOMPILING)
    return() # tests.cmake has said so, or no other system is for fuzzing
endif()
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
file(GLOB fuzz_parts CONFIGURE_DEPENDS fuzz/*.c) # mutators and the like: what targets share
list(REMOVE_ITEM fuzz_parts ${fuzz_sources} ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
if(NOT TARGET dataview_image_static)
    list(FILTER fuzz_sources EXCLUDE REGEX /fuzz_picture\\.c$)
endif()
add_library(dataview_fuzz STATIC EXCLUDE_FROM_ALL ${fuzz_parts})
target_link_libraries(dataview_fuzz PUBLIC dataview_support ${DV_LIBRARY_DEPS})
if(DV_FUZZ_ENGINE)
    enable_language(CXX) # engines are of C++
endif()
if(DV_LIBFUZZER) # the engine shall look for new paths in the library, not in what checks it
    set(unwatched -fno-sanitize=fuzzer-no-link)
endif()
target_compile_options(dataview_fuzz PRIVATE ${unwatched})

foreach(source ${fuzz_sources})
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^fuzz_" "" short ${name})
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE dataview_fuzz)
    target_compile_options(${name} PRIVATE ${unwatched})
    if(DV_LIBFUZZER)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        set(replay_arguments -runs=0)
    elseif(DV_FUZZ_ENGINE)
        target_link_libraries(${name} PRIVATE ${DV_FUZZ_ENGINE})
        set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
        continue() # whoever names the engine knows how to run it
    else()
        target_sources(${name} PRIVATE fuzz/replay.c)
        set(replay_arguments "")
    endif()

    set(seeds ${PROJECT_SOURCE_DIR}/fuzz/seeds/${short})
    if(EXISTS ${seeds} AND NOT (short STREQUAL packed AND DV_SANITIZE MATCHES memory)) # zlib packs in it
        add_test(NAME replay_${short} COMMAND ${name} ${replay_arguments} ${seeds})
        set_tests_properties(replay_${short} PROPERTIES LABELS replay)
    endif()
endforeach()
