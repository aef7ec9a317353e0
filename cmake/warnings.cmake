# Which warnings do we keep away, with gcc and clang alike?
option(DV_WERROR "a warning is an error" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Wvla
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
                    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
if(DV_WERROR)
    add_compile_options(-Werror)
endif()
