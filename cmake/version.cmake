# Writes the source that holds the text of the version:
# cmake -DROOT=. [-DTEXT=0.1.0] -DOUT=version_text.c -P version.cmake
# A source archive has the whole text in its file VERSION. In a checkout a version of development ends in the commit,
# and in .dirty if tracked files differ from it.
file(READ ${ROOT}/include/dataview/version.h header)
foreach(part MAJOR MINOR PATCH PRE)
    string(REGEX MATCH "#define DV_VERSION_${part} \"?([^\"\n]*)" ignored "${header}")
    set(${part} "${CMAKE_MATCH_1}")
endforeach()
set(text "${MAJOR}.${MINOR}.${PATCH}${PRE}")

if(TEXT) # a wheel's, which has found it in the same way
    set(text "${TEXT}")
elseif(EXISTS ${ROOT}/VERSION)
    file(STRINGS ${ROOT}/VERSION written LIMIT_COUNT 1)
    string(FIND "${written}" "${text}" at)
    if(NOT at EQUAL 0)
        message(FATAL_ERROR "VERSION says ${written}, and include/dataview/version.h says ${text}")
    endif()
    set(text "${written}")
elseif(PRE MATCHES dev)
    find_program(GIT git)
    if(GIT)
        execute_process(COMMAND ${GIT} -C ${ROOT} rev-parse --show-prefix --short=9 HEAD RESULT_VARIABLE status
                        OUTPUT_VARIABLE said ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    # The first line is the way down from the top of a repository: empty, unless another project's files lie around ours.
    if(GIT AND status EQUAL 0 AND said MATCHES "^\n([0-9a-f]+)$")
        string(APPEND text "+g${CMAKE_MATCH_1}")
        execute_process(COMMAND ${GIT} -C ${ROOT} --no-optional-locks diff --quiet HEAD RESULT_VARIABLE differs
                        ERROR_QUIET)
        if(differs)
            string(APPEND text ".dirty")
        endif()
    endif()
endif()

file(WRITE ${OUT}.new "/* Made by cmake/version.cmake. */\n#include \"base/version_text.h\"\n\n"
                      "const char dvi_version_text[] = \"${text}\";\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
