# Which tests are a step of the gate of their own (`./dev test slow`), so that `./dev test` stays short?  Those that
# take the most CPU time and whose defects other tests would also show, if less exactly.
set(slow cost embedded install isa json_documents verify_gate no_memory memory_storm converted rewritten
    rewritten_btable mlnet_names mlnet_text python_recipes python_slow test_changing_bytes test_kernel)
foreach(name ${slow})
    if(TEST ${name})
        set_property(TEST ${name} APPEND PROPERTY LABELS slow)
    endif()
endforeach()

# Which tests start first?  Those that take longest, so that none of them runs on alone at the end.
# (ctest has times of its own after a first run of them.)
set(first python python_slow python_recipes cost embedded bench_kernels bench_cold change_storm test_word_bags test_kept_keys
    test_changing_bytes test_idv_golden test_cache_memory test_model_zip test_vector_sink
    test_pictures_hostile test_drop_behind test_stats_tree no_memory json_documents)
list(LENGTH first cost)
foreach(name ${first})
    if(TEST ${name})
        set_tests_properties(${name} PROPERTIES COST ${cost})
    endif()
    math(EXPR cost "${cost} - 1")
endforeach()
