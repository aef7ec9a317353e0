# What does the command say about itself?  Writes its manual pages and completions:
# cmake -DDATAVIEW=... -DSHARE=... -P pages.cmake

function(write file)
    execute_process(COMMAND ${DATAVIEW} help --as ${ARGN} OUTPUT_FILE ${SHARE}/${file}
                    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SHARE})
file(MAKE_DIRECTORY ${SHARE}/man/man1 ${SHARE}/bash-completion/completions
                    ${SHARE}/zsh/site-functions)
execute_process(COMMAND ${DATAVIEW} help --as verbs OUTPUT_VARIABLE verbs
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" verbs "${verbs}")
foreach(verb ${verbs})
    write(man/man1/dataview-${verb}.1 man ${verb})
endforeach()
write(man/man1/dataview.1 man)
write(bash-completion/completions/dataview bash)
write(zsh/site-functions/_dataview zsh)
