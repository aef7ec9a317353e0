# Finds the libraries that the library, the command, the tests and the benchmarks need.
# (Debian packages: libdeflate-dev, libxxhash-dev; for .gz zlib1g-dev, for .zst libzstd-dev; for the
# command libjansson-dev; for the tests libb2-dev, libcriterion-dev, libssl-dev; image.cmake has its own)
include(CheckCSourceCompiles)
set(DV_LIBRARY_DEPS -pthread m) # flags: a project that links the archive has no package to find
find_program(DV_PYTHON python3) # who only builds and runs needs it no more than Criterion

option(DV_KERNELS_ONLY "simd with its tests and nothing else: needs no library but libc" OFF)
if(DV_KERNELS_ONLY)
    return()
endif()

# Global, since a project that embeds this tree links the archive from a folder of its own.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
include(cmake/dataview-find.cmake)
function(dv_require name debian)
    dv_find(${name})
    if(NOT TARGET dataview::${name})
        message(FATAL_ERROR "${name} is not found: install it (Debian: ${debian}); if it is installed, name its folder in "
                            "CMAKE_PREFIX_PATH, or that of its .pc file in PKG_CONFIG_PATH, which needs pkg-config")
    endif()
endfunction()

# A Python wheel and a command for other machines need no library there.
option(DV_STATIC_DEPS "link the archives of other libraries, not the shared ones" OFF)
if(DV_STATIC_DEPS)
    set(shared_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a) # that dv_find looks for
endif()

dv_require(libdeflate libdeflate-dev)
set(DV_PACKAGES libdeflate)

# Compressed text is read and written as a stream, which libdeflate cannot do.  Without one of these, opening
# or saving such a file says which library this build lacks, and what to do.
option(DV_ZLIB "read and write .gz with zlib, if it is installed" ON)
option(DV_ZSTD "read and write .zst with libzstd, if it is installed" ON)
foreach(pair "ZLIB zlib gzip" "ZSTD libzstd zstd")
    string(REPLACE " " ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 package)
    list(GET pair 2 stem)
    if(DV_${name})
        dv_find(${package})
    endif()
    if(DV_${name} AND TARGET dataview::${package})
        list(APPEND DV_PACKAGES ${package})
        set_source_files_properties(src/io/unpack_${stem}.c src/io/pack_${stem}.c
                                    PROPERTIES COMPILE_DEFINITIONS DVI_HAS_${name})
    else()
        message(STATUS "${package} is not used: text packed with it is neither read nor written")
    endif()
endforeach()

# The system's iconv knows the encodings of texts that src/codec/encoding_tbl.h does not have.  It is part of the C
# library, or, as on macOS, a library of its own.
option(DV_ICONV "read text in the encodings of the system's iconv" ON)
if(DV_ICONV)
    set(calls "#include <iconv.h>\nint main(void) { return iconv_close(iconv_open(\"\", \"\")); }")
    check_c_source_compiles("${calls}" DV_HAS_ICONV)
    if(NOT DV_HAS_ICONV)
        set(CMAKE_REQUIRED_LIBRARIES iconv)
        check_c_source_compiles("${calls}" DV_HAS_LIBICONV)
        unset(CMAKE_REQUIRED_LIBRARIES)
    endif()
endif()
if(DV_ICONV AND DV_HAS_LIBICONV)
    list(APPEND DV_LIBRARY_DEPS iconv)
endif()
if(DV_ICONV AND (DV_HAS_ICONV OR DV_HAS_LIBICONV))
    set_source_files_properties(src/codec/encoding_iconv.c PROPERTIES COMPILE_DEFINITIONS
                                                                      DVI_HAS_ICONV)
else()
    message(STATUS "iconv is not used: text in encodings such as gbk is not read")
endif()

# Our MD5 needs no library.  libcrypto's may be faster on another CPU, or the only one allowed; its
# providers are not loaded, so its FIPS mode is not asked.
set(DV_MD5 builtin CACHE STRING "where MD5 comes from: builtin (src/codec/md5.c) or openssl")
set_property(CACHE DV_MD5 PROPERTY STRINGS builtin openssl)
if(DV_MD5 STREQUAL openssl)
    dv_require(libcrypto libssl-dev)
    list(APPEND DV_PACKAGES libcrypto)
elseif(NOT DV_MD5 STREQUAL builtin)
    message(FATAL_ERROR "DV_MD5 is '${DV_MD5}': say builtin or openssl")
endif()

list(TRANSFORM DV_PACKAGES PREPEND dataview:: OUTPUT_VARIABLE targets)
list(APPEND DV_LIBRARY_DEPS ${targets})

# XXH3 is compiled in from its header: nothing more is linked.
find_path(DV_XXHASH_INCLUDE xxhash.h REQUIRED)

if(DV_CLI)
    dv_require(jansson libjansson-dev)
endif()
if(DV_STATIC_DEPS)
    set(CMAKE_FIND_LIBRARY_SUFFIXES ${shared_suffixes})
endif()
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND (DV_TESTS OR DV_BENCH)) # which say what they leave out without them
    pkg_check_modules(dv_blake2 IMPORTED_TARGET libb2) # what our hashes of keys are held against
    pkg_check_modules(dv_criterion IMPORTED_TARGET criterion)
    pkg_check_modules(dv_crypto IMPORTED_TARGET libcrypto) # what our MD5 is held against
endif()
