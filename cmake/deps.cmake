# What does the library stand on, and what the command?  (Debian packages: libdeflate-dev, libssl-dev,
# libxxhash-dev, libjansson-dev; for the tests libb2-dev, libcriterion-dev)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(DV_LIBRARY_DEPS Threads::Threads m)
find_program(DV_PYTHON python3) # who only builds and runs needs it no more than Criterion

option(DV_KERNELS_ONLY "simd with its tests and nothing else: needs no library but libc" OFF)
if(DV_KERNELS_ONLY)
    return()
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto)
list(APPEND DV_LIBRARY_DEPS PkgConfig::deflate PkgConfig::crypto)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson) # the command only

# XXH3 is compiled in from its header: nothing more is linked.
find_path(DV_XXHASH_INCLUDE xxhash.h REQUIRED)

# cmake/tests.cmake says what is left out without them.
pkg_check_modules(blake2 IMPORTED_TARGET libb2) # what our hashes of keys are held against
pkg_check_modules(criterion IMPORTED_TARGET criterion)
