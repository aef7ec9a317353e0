# Does every file keep its word?  Each tests/**/test_*.c is one executable and one ctest.
set(DV_GOLDEN_DIR "" CACHE PATH "a folder of more golden files than tests/golden has")
set(DV_TEST_LABELS "" CACHE STRING "only tests with one of these labels, as a regex: threads|rows")
set(DV_TEST_LABELS_WITHOUT "" CACHE STRING "no tests with one of these labels, as a regex")
option(DV_PLAIN_TESTS "tests on tests/support/plain.h, where Criterion does not start" OFF)

# What tests and fuzz targets share.  An archive: a target takes only what it uses.
file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c tests/simd/check_*.c)
list(FILTER support_sources EXCLUDE REGEX /plain\\.c$)
foreach(source ${support_sources}) # those that check need the framework of the tests
    file(STRINGS ${source} checks REGEX "support/test\\.h")
    if(checks)
        list(REMOVE_ITEM support_sources ${source})
        list(APPEND check_sources ${source})
    endif()
endforeach()
if(DV_KERNELS_ONLY)
    list(FILTER support_sources EXCLUDE REGEX /reference_hash\\.c$)
elseif(NOT dv_blake2_FOUND)
    message(STATUS "libb2 is not installed: the tests and fuzz targets are left out")
    return()
endif()
add_library(dataview_support STATIC EXCLUDE_FROM_ALL ${support_sources})
target_include_directories(dataview_support PUBLIC tests src .)
target_link_libraries(dataview_support PUBLIC dataview_static)
if(TARGET dataview_image_static)
    target_link_libraries(dataview_support PUBLIC dataview_image_static)
endif()
if(NOT DV_KERNELS_ONLY)
    target_link_libraries(dataview_support PRIVATE PkgConfig::dv_blake2 dataview::libdeflate)
endif()

add_library(dataview_test_framework INTERFACE)
add_library(dataview_test_main INTERFACE)
if(DV_PLAIN_TESTS)
    target_sources(dataview_test_main INTERFACE tests/support/plain.c)
    target_compile_definitions(dataview_test_framework INTERFACE DVT_PLAIN)
elseif(dv_criterion_FOUND)
    target_link_libraries(dataview_test_framework INTERFACE PkgConfig::dv_criterion)
    set(test_arguments --verbose --color=never) # names the skipped tests
else()
    message(STATUS "Criterion is not installed: the tests are left out")
    return()
endif()

# A test is compiled more often than it runs long: -O0 takes half of the compiler's time.
target_compile_options(dataview_test_framework INTERFACE "$<$<CONFIG:Release>:SHELL:-O0 -U_FORTIFY_SOURCE>") # which needs -O1

if(DV_SANITIZE STREQUAL thread)
    target_compile_definitions(dataview_test_framework INTERFACE DVT_TSAN)
endif()
target_link_libraries(dataview_test_main INTERFACE dataview_test_framework)
if(NOT DV_KERNELS_ONLY)
    add_library(dataview_checks STATIC EXCLUDE_FROM_ALL ${check_sources})
    target_link_libraries(dataview_checks PUBLIC dataview_test_framework dataview_support)
    target_link_libraries(dataview_test_main INTERFACE dataview_checks)
endif()

set(test_environment DV_TEST_ROOT=${PROJECT_SOURCE_DIR}/tests)
set(test_folder tests)
if(DV_KERNELS_ONLY)
    set(test_folder tests/simd)
else()
    set(command $<TARGET_FILE:dataview_cli>)
    if(CMAKE_CROSSCOMPILING_EMULATOR) # tests start the command by one path
        set(command ${PROJECT_BINARY_DIR}/bin/emulated)
        list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "' '" words)
        file(GENERATE OUTPUT ${command} CONTENT "#!/bin/sh\nexec '${words}' '$<TARGET_FILE:dataview_cli>' \"$@\"\n"
             FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    endif()
    list(APPEND test_environment DV_BIN=${command})
endif()
if(DV_GOLDEN_DIR AND NOT DV_SANITIZE) # these read only tests/golden
    list(APPEND test_environment DV_GOLDEN_DIR=${DV_GOLDEN_DIR})
endif()

# An allocation that is refused is a result, not the end.
list(APPEND test_environment MSAN_OPTIONS=allocator_may_return_null=1)

# A locale that writes 1,5: what we read and print must not depend on it.
set(locales ${PROJECT_BINARY_DIR}/locale)
if(NOT EXISTS ${locales}/de_DE.UTF-8)
    file(MAKE_DIRECTORY ${locales})
    execute_process(COMMAND localedef -i de_DE -f UTF-8 ${locales}/de_DE.UTF-8
                    RESULT_VARIABLE ignored OUTPUT_QUIET ERROR_QUIET) # without it those tests skip
endif()
list(APPEND test_environment LOCPATH=${locales})

# A test that includes support/faults.h makes the system's calls fail: the linker gives the library
# those of faults.c.
set(spoiled stat fstat fstatat faccessat flock fchown fchmod fsync syncfs renameat unlinkat madvise
            pread getrandom readlink fdopendir pwrite lseek close open openat fcntl
            sched_getaffinity dvi_key_probes dvi_thread_start dvi_may_attempt
            dvi_os_page dvi_os_swap_names)
list(TRANSFORM spoiled PREPEND "LINKER:--wrap=")

# A test has the labels `unit`, that of its folder below tests/, and these.
set(labels_durable # what is on the disk after a crash: faults of the system, processes that are killed
    cache_stamp convert_killed datadings_replace disk_killed replace resume_killed writer_set)
set(labels_exhaustive # every allocation, byte or value in turn: hours under some sanitizers
    allocations changing_bytes concat_memory convert_memory idv_parts mix_memory option_numbers order_numbers stats_tree tf_convert utf)
set(labels_guarded attempts idv_borrow piped_input text_packed) # read what MSan cannot follow: zlib packs for three
set(labels_alone changing_bytes file_system map_held map_posix map_pread map_windows) # define calls of the system: a program of their own
function(labels_of name source labels_out)
    string(REGEX REPLACE "^test_" "" stem ${name})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
    string(REGEX MATCH "^[^/]+/" folder ${source}) # none: of the library as a whole
    string(REPLACE "/" "" folder "${folder}")
    set(labels unit ${folder})
    foreach(label durable exhaustive guarded alone)
        if(stem IN_LIST labels_${label})
            list(APPEND labels ${label})
        endif()
    endforeach()
    file(STRINGS ${PROJECT_SOURCE_DIR}/tests/${source} threads REGEX thread)
    list(FILTER threads EXCLUDE REGEX "threads = 1[^ 0-9]") # asks for no more than its own
    if(threads)
        list(APPEND labels threads)
    endif()
    set(${labels_out} ${labels} PARENT_SCOPE)
endfunction()

# One program per test, or (linking takes long where the code is watched) one of all tests.
set(is_one OFF)
if(DV_PLAIN_TESTS AND NOT DV_KERNELS_ONLY)
    set(is_one ON)
    add_executable(dataview_tests)
    set_target_properties(dataview_tests PROPERTIES
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(dataview_tests PRIVATE dataview_test_main dataview_support)
    target_compile_definitions(dataview_tests PRIVATE "DVT_LEVELS=\"${dv_levels_built}\"")
    target_link_options(dataview_tests PRIVATE ${spoiled})
endif()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${test_folder}/test_*.c)
if(NOT TARGET dataview_image_static)
    list(FILTER test_sources EXCLUDE REGEX /tests/image/)
endif()
foreach(source ${test_sources})
    cmake_path(GET source STEM name)
    labels_of(${name} ${source} labels)
    if((DV_TEST_LABELS AND NOT ";${labels};" MATCHES ";(${DV_TEST_LABELS});") OR
       (DV_TEST_LABELS_WITHOUT AND ";${labels};" MATCHES ";(${DV_TEST_LABELS_WITHOUT});"))
        continue()
    endif()
    if(is_one AND NOT alone IN_LIST labels)
        target_sources(dataview_tests PRIVATE ${source})
        add_test(NAME ${name} COMMAND dataview_tests --of ${name})
    else()
        add_executable(${name} ${source})
        set_target_properties(${name} PROPERTIES
                              RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        target_link_libraries(${name} PRIVATE dataview_test_main dataview_support)
        target_compile_definitions(${name} PRIVATE "DVT_LEVELS=\"${dv_levels_built}\"")
        file(STRINGS ${source} spoils REGEX "support/faults\\.h")
        if(spoils)
            target_link_options(${name} PRIVATE ${spoiled})
        endif()
        set(arguments ${test_arguments})
        if(DV_KERNELS_ONLY AND name STREQUAL test_kernel)
            set(arguments --share 0/2)
        endif()
        add_test(NAME ${name} COMMAND ${name} ${arguments})
    endif()
    # A report is a failure whatever its process ends with: Criterion does not look at that, and a test
    # does not always at that of a child.
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" ENVIRONMENT "${test_environment}"
                         FAIL_REGULAR_EXPRESSION "${sanitizer_report}")
endforeach()

# Kernels take long in emulation: another core takes half of them.
if(DV_KERNELS_ONLY)
    add_test(NAME test_kernel_half COMMAND test_kernel --share 1/2)
    set_tests_properties(test_kernel_half PROPERTIES LABELS "unit;simd"
                         ENVIRONMENT "${test_environment}")
endif()

# The other MD5 passes the same tests: its object comes before that of the archive.
if(dv_crypto_FOUND AND NOT DV_KERNELS_ONLY AND NOT DV_SANITIZE MATCHES "^(thread|memory)$")
    foreach(name md5 md5_queue)
        add_executable(test_${name}_openssl tests/codec/test_${name}.c src/codec/md5_openssl.c)
        set_target_properties(test_${name}_openssl PROPERTIES
                              RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
        target_link_libraries(test_${name}_openssl PRIVATE dataview_test_main dataview_support
                                                           PkgConfig::dv_crypto)
        add_test(NAME test_${name}_openssl COMMAND test_${name}_openssl ${test_arguments})
        set_tests_properties(test_${name}_openssl PROPERTIES LABELS unit
                             ENVIRONMENT "${test_environment}")
    endforeach()
endif()

# Views of tables, for a model in another language (tree.cmake).
if(NOT DV_KERNELS_ONLY)
    add_executable(views_driver tests/transform/views_driver.c)
    target_link_libraries(views_driver PRIVATE dataview_support)
endif()

# Bytes of files change while they are read; hours in `./dev soak`.
if(NOT DV_KERNELS_ONLY AND DV_PYTHON AND NOT CMAKE_CROSSCOMPILING)
    add_executable(changing_files tests/cli/changing_files.c)
    target_link_libraries(changing_files PRIVATE dataview_support)
    add_test(NAME change_storm COMMAND ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/change_storm.py
             $<TARGET_FILE:dataview_cli> $<TARGET_FILE:changing_files>
             --seconds 5)
    set_tests_properties(change_storm PROPERTIES LABELS tree ENVIRONMENT "${test_environment}")
    add_test(NAME change_storm_selftest COMMAND ${DV_PYTHON}
             ${PROJECT_SOURCE_DIR}/tests/cli/change_storm.py --selftest)
endif()

# What files hold and pipelines make must not depend on the level: these tests once more at each lower one,
# and at every one that no kernel of a higher one runs.
if(levels AND NOT DV_KERNELS_ONLY AND NOT DV_SANITIZE AND NOT DV_COVERAGE)
    list(GET levels -1 highest)
    foreach(level scalar ${levels})
        set(again test_levels)
        if(NOT level STREQUAL highest)
            list(APPEND again test_idv_golden test_idv_malformed test_btable_golden test_btable_reject
                              test_random_pipes)
        endif()
        foreach(name ${again})
            add_test(NAME ${name}_${level} COMMAND ${name} ${test_arguments})
            set_tests_properties(${name}_${level} PROPERTIES LABELS "unit;slow"
                                 ENVIRONMENT "${test_environment};DATAVIEW_SIMD=${level}")
        endforeach()
    endforeach()
endif()
