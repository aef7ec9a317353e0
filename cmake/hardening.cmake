# Makes an overflow that a check has missed end the process, rather than go on. Each flag is used where the compiler and
# the linker know it; docs/security.md names them, and docs/performance.md their cost.
option(DV_HARDENING "stack protector, fortified calls of libc, read-only relocations, in release builds" ${PROJECT_IS_TOP_LEVEL})
if(NOT DV_HARDENING OR DV_IS_HARDENED OR DV_SANITIZE OR DV_COVERAGE OR
   NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
    return()
endif()

set(DV_IS_HARDENED ON)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection
             -fcf-protection=full # x86-64: indirect jumps and returns
             -mbranch-protection=standard) # aarch64: the same
    string(MAKE_C_IDENTIFIER "dv_has${flag}" has)
    check_c_compiler_flag(-Werror\ ${flag} ${has})
    if(${has})
        add_compile_options(${flag})
    endif()
endforeach()
add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3) # a libc that knows 2 takes it for 2
foreach(flag LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
    string(MAKE_C_IDENTIFIER "dv_has_${flag}" has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
        add_link_options(${flag})
    endif()
endforeach()

# Programs are loaded at any address.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
