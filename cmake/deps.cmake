# What does the library stand on?  (Debian packages: libdeflate-dev, libcriterion-dev)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(deflate REQUIRED IMPORTED_TARGET libdeflate)

# Who only builds and runs needs neither: cmake/tests.cmake says what is left out without them.
pkg_check_modules(criterion IMPORTED_TARGET criterion)
find_program(DV_PYTHON python3)

set(DV_LIBRARY_DEPS PkgConfig::deflate Threads::Threads)
