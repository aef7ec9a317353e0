# Does the Python package keep its word?  The extension is built with the tests, and pytest runs
# python/tests on it.  (Debian packages: python3-dev; python/tests/requirements.txt has the rest)
option(DV_PYTHON_PACKAGE "test the Python package too" ON)
if(NOT DV_PYTHON_PACKAGE OR NOT DV_PYTHON OR DV_KERNELS_ONLY OR CMAKE_CROSSCOMPILING OR DV_TEST_LABELS OR
   DV_SANITIZE MATCHES "^(thread|memory)$") # which would want a Python of their own
    return()
endif()

set(python_tests ${PROJECT_SOURCE_DIR}/python/tests/run_pytest.py)
set(Python_EXECUTABLE ${DV_PYTHON} CACHE FILEPATH "whose headers the extension is built with")
find_package(Python 3.11 COMPONENTS Interpreter Development.Module)
if(Python_Development.Module_FOUND)
    include(python/extension.cmake)
    set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
    list(APPEND python_tests --extension $<TARGET_FILE:_core> --command $<TARGET_FILE:dataview_cli>)
endif()
if(DV_SANITIZE) # Python itself is not instrumented: its process gets the runtime first
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND python_tests --sanitizer ${runtime})
endif()
# Tests that mostly import torch, start Ray, run mypy or fill memory are a test of their own, and so are the recipes, which
# import a framework each; a sanitizer skips both.
set(slow_files test_peak_memory test_ranks test_ray test_ray_filter test_ray_fit test_ray_write test_torch test_types)
list(TRANSFORM slow_files PREPEND ${PROJECT_SOURCE_DIR}/python/tests/)
list(TRANSFORM slow_files APPEND .py)
set(recipes ${PROJECT_SOURCE_DIR}/python/tests/test_recipes.py)
list(TRANSFORM slow_files PREPEND --ignore= OUTPUT_VARIABLE without_slow)
add_test(NAME python COMMAND ${DV_PYTHON} ${python_tests} ${without_slow} --ignore=${recipes} ${PROJECT_SOURCE_DIR}/python/tests
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set(names python)
if(NOT DV_SANITIZE)
    add_test(NAME python_slow COMMAND ${DV_PYTHON} ${python_tests} ${slow_files}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    add_test(NAME python_recipes COMMAND ${DV_PYTHON} ${python_tests} ${recipes}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND names python_slow python_recipes)
endif()
set_tests_properties(${names} PROPERTIES LABELS python TIMEOUT 900 RESOURCE_LOCK package ENVIRONMENT "DV_GOLDEN_DIR=${DV_GOLDEN_DIR}"
                     FAIL_REGULAR_EXPRESSION "${sanitizer_report}")
