# Which levels of kernels are built, and with which instructions?  simd/<level> is compiled for that
# level alone; nothing else in the tree is.
set(DV_LEVELS "" CACHE STRING "levels to build besides scalar; empty: all of this architecture")

# Options of each level: they are what DV_LEVEL_LIST in kernels.h says, and simd/cpu.c asks for.
set(avx2_options -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(avx512_options ${avx2_options} -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512vbmi2
                   -mavx512vnni)
set(neon_options "")

set(levels ${DV_LEVELS})
if(NOT levels)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        set(levels avx2 avx512)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        set(levels neon)
    endif()
elseif(levels STREQUAL scalar)
    set(levels "")
endif()
list(JOIN levels " " dv_levels_built)

file(GLOB dispatch_sources CONFIGURE_DEPENDS simd/*.c)
add_library(dataview_simd OBJECT ${dispatch_sources})
set(simd_libraries dataview_simd)
foreach(level scalar ${levels})
    file(GLOB sources CONFIGURE_DEPENDS simd/${level}/*.c)
    add_library(dataview_${level} OBJECT ${sources})
    # Nobody looks at the flags of floating-point exceptions; kept, they keep vectors away.
    target_compile_options(dataview_${level} PRIVATE ${${level}_options} -fno-trapping-math)
    if(DV_SANITIZE) # nearly all of it is one function, which takes 20 seconds to optimise with its checks
        set_source_files_properties(simd/${level}/densify_${level}.c PROPERTIES COMPILE_OPTIONS -O0)
    endif()
    list(APPEND simd_libraries dataview_${level})
    string(TOUPPER ${level} name)
    target_compile_definitions(dataview_simd PRIVATE DVI_HAS_${name})
endforeach()

set(simd_objects "")
foreach(library ${simd_libraries})
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${library} PRIVATE include src .)
    list(APPEND simd_objects $<TARGET_OBJECTS:${library}>)
endforeach()
