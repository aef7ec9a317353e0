# What watches the code while it runs?
set(DV_SANITIZE "" CACHE STRING "for -fsanitize=, such as address,undefined; no error is survived")
option(DV_LIBFUZZER "fuzz targets with clang's engine, instead of the plain replay" OFF)
option(DV_COVERAGE "count executed lines for gcov" OFF)

# How their reports begin.  (That an allocation is refused is none: it has no second colon.)
set(sanitizer_report "(ERROR|WARNING|FATAL): [A-Za-z]+Sanitizer: |: runtime error: ")

if(DV_SANITIZE)
    add_compile_options(-fsanitize=${DV_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
                        -O1 -g1) # a report names lines, not variables
    add_link_options(-fsanitize=${DV_SANITIZE})
    add_compile_definitions(DVT_SANITIZED) # some tests ask for what it does not stand
endif()
if(DV_LIBFUZZER)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(DV_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
