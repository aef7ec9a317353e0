# Gives what a shared library exports the name of its ABI, dv_open@@DATAVIEW_0.1, where the linker has versions of symbols.
include(CheckLinkerFlag)
set(symbols_map ${PROJECT_BINARY_DIR}/symbols.map)
configure_file(cmake/symbols.map.in ${symbols_map} @ONLY)
check_linker_flag(C LINKER:--version-script=${symbols_map} DV_HAS_SYMBOL_VERSIONS)

function(dv_version_symbols library)
    if(DV_HAS_SYMBOL_VERSIONS)
        target_link_options(${library} PRIVATE LINKER:--version-script=${symbols_map})
        set_target_properties(${library} PROPERTIES LINK_DEPENDS ${symbols_map})
    endif()
endfunction()
