# Names the warnings that we keep away, with gcc and clang alike.
option(DV_WERROR "a warning is an error" OFF)
if(NOT PROJECT_IS_TOP_LEVEL)
    return() # another compiler's warnings are no concern of a project that embeds this tree
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Wvla
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
                    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(DV_WERROR)
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-Werror>) # headers of others are in what is C++
endif()
