# Packages are linked as archives: where the program runs, they are not installed.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
