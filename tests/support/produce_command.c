/* SPDX-License-Identifier: MIT */
/* produce_command.c: a file as JSON lines, by `dataview cat`. */
#include "support/produce.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

int dvt_produce_by_command(dvt_lines *lines, const char *path, const char *io)
{
    const char *program = getenv("DV_BIN");
    char command[2048];
    if (!program)
        return -1;
    const int length = snprintf(command, sizeof command, "'%s' cat --format exact --io %s '%s'",
                                program, io, path);
    DVT_MUST(length > 0 && (size_t)length < sizeof command);
    FILE *pipe = popen(command, "r");
    DVT_MUST(pipe != NULL);

    char part[65536];
    for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;)
        dvt_lines_add(lines, part, n);
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
