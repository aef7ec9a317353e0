# Is the tree itself as we say it is?  Each test is a script in tests/tree, tests/cli,
# tests/cost, tests/format or tests/install.
if(DV_SANITIZE OR DV_COVERAGE OR NOT DV_PYTHON)
    return() # once is enough, and an instrumented library exports more than ours
endif()

set(tree ${PROJECT_SOURCE_DIR}/tests/tree)
function(add_tree_test name)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS tree
                         ENVIRONMENT "DV_GOLDEN_DIR=${DV_GOLDEN_DIR}")
endfunction()

# No code of a level has an instruction of a higher one; that of the library has those of scalar.
set(isa_objects "library=$<TARGET_OBJECTS:dataview_simd>")
set(room_objects "$<TARGET_OBJECTS:dataview_simd>")
foreach(level scalar ${levels})
    list(APPEND isa_objects "${level}=$<TARGET_OBJECTS:dataview_${level}>")
    list(APPEND room_objects "$<TARGET_OBJECTS:dataview_${level}>")
endforeach()
if(NOT DV_KERNELS_ONLY)
    # version_text.c has no instructions
    list(APPEND isa_objects "library=$<FILTER:$<TARGET_OBJECTS:dataview_objects>,EXCLUDE,version_text>")
endif()
add_tree_test(isa ${DV_PYTHON} ${tree}/isa.py --cc ${CMAKE_C_COMPILER} ${isa_objects})
if(NOT CMAKE_CROSSCOMPILING)
    add_tree_test(isa_selftest ${DV_PYTHON} ${tree}/isa.py --cc ${CMAKE_C_COMPILER} --selftest)
endif()

if(DV_KERNELS_ONLY OR CMAKE_CROSSCOMPILING)
    return() # the rest needs the library, or runs the command
endif()

# Rooms use only the rooms that the table allows, by their includes and by their symbols.
list(APPEND room_objects "$<TARGET_OBJECTS:dataview_objects>" "$<TARGET_OBJECTS:dataview_cli>")
if(TARGET dataview_image_objects)
    list(APPEND room_objects "$<TARGET_OBJECTS:dataview_image_objects>")
endif()
add_tree_test(layers ${DV_PYTHON} ${tree}/layers.py --cc ${CMAKE_C_COMPILER} ${room_objects})
add_tree_test(layers_selftest ${DV_PYTHON} ${tree}/layers.py --cc ${CMAKE_C_COMPILER} --selftest)
add_tree_test(caught ${DV_PYTHON} ${tree}/caught.py)
add_tree_test(caught_selftest ${DV_PYTHON} ${tree}/caught.py --selftest)
add_tree_test(attempts_listed ${DV_PYTHON} ${tree}/attempts.py)
add_tree_test(attempts_selftest ${DV_PYTHON} ${tree}/attempts.py --selftest)
add_tree_test(cause_selftest ${DV_PYTHON} ${tree}/cause.py --selftest)
add_tree_test(release ${DV_PYTHON} ${tree}/release.py)
add_tree_test(versions ${DV_PYTHON} ${tree}/versions.py ${CMAKE_COMMAND})
add_tree_test(citations ${DV_PYTHON} ${tree}/citations.py)
add_tree_test(citations_selftest ${DV_PYTHON} ${tree}/citations.py --selftest)
add_tree_test(json_documents ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/json_documents.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(json_documents_selftest ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/cli/json_documents.py --selftest)
add_tree_test(converted ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/converted.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(verify_gate ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/verify_gate.py
              $<TARGET_FILE:dataview_cli>)
add_library(starving_malloc MODULE tests/cli/starving_malloc.c)
set_target_properties(starving_malloc PROPERTIES C_VISIBILITY_PRESET default
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_tree_test(no_memory ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/no_memory.py
              $<TARGET_FILE:dataview_cli> $<TARGET_FILE:starving_malloc>)
add_tree_test(memory_storm ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/memory_storm.py
              $<TARGET_FILE:dataview_cli> $<TARGET_FILE:starving_malloc> --tries 500)
add_library(network_files MODULE tests/cli/network_files.c)
set_target_properties(network_files PROPERTIES C_VISIBILITY_PRESET default
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_tree_test(network_files ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/network_files.py
              $<TARGET_FILE:dataview_cli> $<TARGET_FILE:network_files>)
add_tree_test(no_memory_selftest ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/no_memory.py
              --selftest)
add_tree_test(arrow_peers ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/interop/arrow_peers.py
              $<TARGET_FILE:dataview_cli> $<TARGET_FILE:dataview>)
add_tree_test(judged ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/judge.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(polluted ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/pollute.py
              $<TARGET_FILE:dataview_cli> --every 29 --least 9 9.2)
add_tree_test(odd_cases ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/odd_cases.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(strict_reader ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/idv/check_strict_reader.py)
add_tree_test(random_idv ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/idv/random_idv.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(rewritten ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/idv/rewritten.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(strict_btable ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/btable/check_strict_btable.py)
add_tree_test(rewritten_btable ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/btable/rewritten_btable.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(text_golden ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/text_golden.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(naive_text ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/text/check_naive_text.py)
add_tree_test(random_text ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/random_text.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(drawn_text ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/drawn_text.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(ordinary_text ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/drawn_text.py
              $<TARGET_FILE:dataview_cli> --manners 0)
add_tree_test(split_files ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/split_files.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(csv_readers ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/csv_readers.py
              $<TARGET_FILE:dataview_cli>)
foreach(asked names text)
    add_tree_test(mlnet_${asked} ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/format/text/mlnet_${asked}.py
                  $<TARGET_FILE:dataview_cli>)
    # both make the same virtual environment
    set_tests_properties(mlnet_${asked} PROPERTIES RESOURCE_LOCK mlnet)
endforeach()
if(TARGET views_driver)
    add_tree_test(naive_views ${DV_PYTHON}
                  ${PROJECT_SOURCE_DIR}/tests/transform/check_naive_views.py
                  $<TARGET_FILE:views_driver>)
    add_tree_test(naive_pipes ${DV_PYTHON}
                  ${PROJECT_SOURCE_DIR}/tests/pipeline/check_naive_pipes.py
                  $<TARGET_FILE:views_driver>)
endif()
add_tree_test(datadings_values ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/datadings/check_values.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(datadings_sound ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/datadings/check_sound.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(datadings_shards ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/datadings/check_shards.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(datadings_commands ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/datadings/check_commands.py
              $<TARGET_FILE:dataview_cli>)
if(TARGET example_logistic)
    add_tree_test(logistic_killed ${DV_PYTHON}
                  ${PROJECT_SOURCE_DIR}/tests/feed/logistic_killed.py
                  $<TARGET_FILE:example_logistic> $<TARGET_FILE:dataview_cli>)
endif()
string(REGEX MATCH "^[0-9]+" compiler_major ${CMAKE_C_COMPILER_VERSION})
add_tree_test(cost ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cost/cost.py
              $<TARGET_FILE:dataview_cli>
              --compiler ${CMAKE_C_COMPILER_ID}-${compiler_major}-${CMAKE_BUILD_TYPE})
add_tree_test(soak_selftest ${DV_PYTHON} ${tree}/soak.py --selftest)
add_tree_test(ledger ${DV_PYTHON} ${tree}/ledger.py)
add_tree_test(ledger_selftest ${DV_PYTHON} ${tree}/ledger.py --selftest)
add_tree_test(kill_storm ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/kill_storm.py
              $<TARGET_FILE:dataview_cli> --tries 60)
add_tree_test(kill_storm_selftest ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/kill_storm.py
              $<TARGET_FILE:dataview_cli> --selftest)
add_tree_test(compare_selftest ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/bench/compare.py --selftest)
add_tree_test(figures ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/bench/figures.py check)
add_tree_test(figures_selftest ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/bench/figures.py --selftest)
add_tree_test(stems ${DV_PYTHON} ${tree}/stems.py)
add_tree_test(prose ${DV_PYTHON} ${tree}/prose.py)
add_tree_test(prose_selftest ${DV_PYTHON} ${tree}/prose.py --selftest)
add_tree_test(headers_c11 ${tree}/headers.sh c11 ${CMAKE_C_COMPILER})
add_tree_test(headers_cxx17 ${tree}/headers.sh c++17 c++)
if(DV_IS_HARDENED AND TARGET dataview)
    add_tree_test(hardened ${tree}/hardened.sh $<TARGET_FILE:dataview> $<TARGET_FILE:dataview_cli>)
endif()
if(TARGET dataview)
    add_tree_test(symbols ${tree}/symbols.sh check $<TARGET_FILE:dataview>)
endif()
add_tree_test(completion ${DV_PYTHON} ${tree}/completions.py $<TARGET_FILE:dataview_cli>)
add_tree_test(manual ${DV_PYTHON} ${tree}/manual_pages.py $<TARGET_FILE:dataview_cli>)
add_tree_test(transcripts ${DV_PYTHON} ${tree}/transcripts.py $<TARGET_FILE:dataview_cli>)
if(DV_INSTALL)
    add_tree_test(install ${PROJECT_SOURCE_DIR}/tests/install/outside.sh ${PROJECT_BINARY_DIR}
                  ${CMAKE_COMMAND})
endif()
add_tree_test(embedded ${PROJECT_SOURCE_DIR}/tests/install/embedded.sh ${CMAKE_COMMAND})
