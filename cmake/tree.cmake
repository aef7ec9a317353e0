# Is the tree itself as we say it is?  Each test is a script in tests/tree, tests/cli,
# tests/format or tests/install.
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
    list(APPEND isa_objects "library=$<TARGET_OBJECTS:dataview_objects>")
endif()
add_tree_test(isa ${DV_PYTHON} ${tree}/isa.py --cc ${CMAKE_C_COMPILER} ${isa_objects})
add_tree_test(isa_selftest ${DV_PYTHON} ${tree}/isa.py --cc ${CMAKE_C_COMPILER} --selftest)

if(DV_KERNELS_ONLY)
    return() # there is nothing to install
endif()

# Rooms use only the rooms that the table allows, by their includes and by their symbols.
list(APPEND room_objects "$<TARGET_OBJECTS:dataview_objects>" "$<TARGET_OBJECTS:dataview_cli>")
add_tree_test(layers ${DV_PYTHON} ${tree}/layers.py --cc ${CMAKE_C_COMPILER} ${room_objects})
add_tree_test(layers_selftest ${DV_PYTHON} ${tree}/layers.py --cc ${CMAKE_C_COMPILER} --selftest)
add_tree_test(citations ${DV_PYTHON} ${tree}/citations.py)
add_tree_test(citations_selftest ${DV_PYTHON} ${tree}/citations.py --selftest)
add_tree_test(json_documents ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/json_documents.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(json_documents_selftest ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/cli/json_documents.py --selftest)
add_tree_test(converted ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/tests/cli/converted.py
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
if(TARGET views_driver)
    add_tree_test(naive_views ${DV_PYTHON}
                  ${PROJECT_SOURCE_DIR}/tests/transform/check_naive_views.py
                  $<TARGET_FILE:views_driver>)
endif()
add_tree_test(datadings_values ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/datadings/check_values.py
              $<TARGET_FILE:dataview_cli>)
add_tree_test(datadings_commands ${DV_PYTHON}
              ${PROJECT_SOURCE_DIR}/tests/format/datadings/check_commands.py
              $<TARGET_FILE:dataview_cli>)
if(TARGET example_logistic)
    add_tree_test(logistic_killed ${DV_PYTHON}
                  ${PROJECT_SOURCE_DIR}/tests/feed/logistic_killed.py
                  $<TARGET_FILE:example_logistic> $<TARGET_FILE:dataview_cli>)
endif()
add_tree_test(soak_selftest ${DV_PYTHON} ${tree}/soak.py --selftest)
add_tree_test(compare_selftest ${DV_PYTHON} ${PROJECT_SOURCE_DIR}/bench/compare.py --selftest)
add_tree_test(stems ${DV_PYTHON} ${tree}/stems.py)
add_tree_test(headers_c11 ${tree}/headers.sh c11 ${CMAKE_C_COMPILER})
add_tree_test(headers_cxx17 ${tree}/headers.sh c++17 c++)
add_tree_test(symbols ${tree}/symbols.sh check $<TARGET_FILE:dataview>)
add_tree_test(completion ${DV_PYTHON} ${tree}/completions.py $<TARGET_FILE:dataview_cli>)
add_tree_test(manual ${DV_PYTHON} ${tree}/manual_pages.py $<TARGET_FILE:dataview_cli>)
add_tree_test(transcripts ${DV_PYTHON} ${tree}/transcripts.py $<TARGET_FILE:dataview_cli>)
if(DV_INSTALL)
    add_tree_test(install ${PROJECT_SOURCE_DIR}/tests/install/outside.sh ${PROJECT_BINARY_DIR}
                  ${CMAKE_COMMAND})
endif()
add_tree_test(embedded ${PROJECT_SOURCE_DIR}/tests/install/embedded.sh ${CMAKE_COMMAND})
