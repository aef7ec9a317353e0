# Puts the pages of docs/spec into a C source, so that the command can print them wherever it is:
# cmake -DSPEC=docs/spec -DOUT=spec_pages.c -P spec.cmake

file(GLOB pages ${SPEC}/*.md)
list(SORT pages)
set(source "/* Made by cmake/spec.cmake from docs/spec. */\n#include \"cli/help/spec_pages.h\"\n")
foreach(page ${pages})
    cmake_path(GET page STEM name)
    if(name STREQUAL README)
        continue()
    endif()
    file(READ ${page} text)
    string(REGEX REPLACE "\n$" "" text "${text}")
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "?" "\\?" text "${text}") # no trigraphs
    string(REPLACE "\n" "\",\n    \"" text "${text}")
    string(APPEND source "\nstatic const char *const ${name}_lines[] = {\n    \"${text}\"};\n")
    string(APPEND table "    {\"${name}\", ${name}_lines, sizeof ${name}_lines / sizeof *${name}_lines},\n")
endforeach()
string(APPEND source "\nconst dvi_spec_page dvi_spec_pages[] = {\n${table}    {NULL, NULL, 0}};\n")
file(WRITE ${OUT} "${source}")
