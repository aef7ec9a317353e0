# How fast is it, beside what the machine can do?  Each bench/bench_*.cc is a suite of one program.
# (Debian packages: g++, libb2-dev, libbenchmark-dev, libsimdjson-dev, libfast-float-dev,
# libdouble-conversion-dev, libssl-dev; valgrind when it runs)
if(NOT DV_BENCH)
    return()
endif()
enable_language(CXX)
find_package(benchmark QUIET)
if(NOT benchmark_FOUND OR NOT dv_blake2_FOUND)
    message(STATUS "Google Benchmark or libb2 is not installed: the benchmarks are left out")
    return()
endif()
find_package(simdjson QUIET)
find_package(FastFloat QUIET)
find_package(double-conversion QUIET)

file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cc)
add_executable(dataview_bench ${bench_sources})
target_compile_features(dataview_bench PRIVATE cxx_std_17)
target_include_directories(dataview_bench PRIVATE src .) # some rows are of what has no public face
target_link_libraries(dataview_bench PRIVATE dataview_static benchmark::benchmark
                                             PkgConfig::dv_blake2 ${DV_LIBRARY_DEPS})
if(simdjson_FOUND)
    target_link_libraries(dataview_bench PRIVATE simdjson::simdjson)
    target_compile_definitions(dataview_bench PRIVATE DVB_HAS_SIMDJSON)
endif()
if(FastFloat_FOUND)
    target_link_libraries(dataview_bench PRIVATE FastFloat::fast_float)
    target_compile_definitions(dataview_bench PRIVATE DVB_HAS_FAST_FLOAT)
endif()
if(double-conversion_FOUND)
    target_link_libraries(dataview_bench PRIVATE double-conversion::double-conversion)
    target_compile_definitions(dataview_bench PRIVATE DVB_HAS_DOUBLE_CONVERSION)
endif()
if(dv_crypto_FOUND)
    target_link_libraries(dataview_bench PRIVATE PkgConfig::dv_crypto)
    target_compile_definitions(dataview_bench PRIVATE DVB_HAS_LIBCRYPTO)
endif()
if(TARGET dataview_image_static)
    target_link_libraries(dataview_bench PRIVATE dataview_image_static dataview::pictures)
    target_compile_definitions(dataview_bench PRIVATE DVB_HAS_IMAGE)
endif()

# What bench_open looks at from outside.
add_executable(open_once bench/open_once.c)
target_link_libraries(open_once PRIVATE dataview_static)
add_dependencies(dataview_bench open_once)
target_compile_definitions(dataview_bench PRIVATE DVB_OPEN_ONCE="$<TARGET_FILE:open_once>"
                                                  DVB_FOLDER="${PROJECT_BINARY_DIR}/inputs")

# Which kernels of AVX-512 win, for simd/choice.h.
add_executable(level_wins bench/level_wins.c)
target_link_libraries(level_wins PRIVATE dataview_static)

# Our side of datadings_peer.py, as Python loads it.
add_library(datadings_side MODULE bench/datadings_side.c bench/datadings_bare.c)
target_link_libraries(datadings_side PRIVATE dataview PkgConfig::dv_blake2)
add_library(feed_side MODULE bench/feed_side.c) # and of torch_loader.py
target_link_libraries(feed_side PRIVATE dataview)
add_library(kernel_side MODULE bench/kernel_side.c) # the kernels, for numpy_*.py
target_include_directories(kernel_side PRIVATE src .)
target_link_libraries(kernel_side PRIVATE dataview_static)
add_library(batch_side MODULE bench/batch_side.c) # the loop beside python/bench/rows_batches.py
target_link_libraries(batch_side PRIVATE dataview)
add_library(csv_side MODULE bench/csv_side.c) # for pyarrow_csv.py
target_link_libraries(csv_side PRIVATE dataview)
add_dependencies(dataview_bench datadings_side feed_side kernel_side batch_side csv_side)

# Are the results right?  What was skipped is named.
file(GLOB suites CONFIGURE_DEPENDS bench/bench_*.cc)
foreach(source ${suites})
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^bench_" "" suite ${name})
    add_test(NAME ${name} COMMAND dataview_bench ${suite} --quick)
    set_tests_properties(${name} PROPERTIES LABELS bench)
endforeach()
