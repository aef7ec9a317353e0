# The CMake package of libdeflate 1.15 and later, for Debian 12, whose libdeflate is older.
find_library(libdeflate_LIBRARY deflate REQUIRED)
add_library(libdeflate::libdeflate_shared UNKNOWN IMPORTED)
set_target_properties(libdeflate::libdeflate_shared PROPERTIES IMPORTED_LOCATION ${libdeflate_LIBRARY})
