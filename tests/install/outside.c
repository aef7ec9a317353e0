/* SPDX-License-Identifier: MIT */
/* outside.c: can a C program that knows only the installed files open a table? */
#include <dataview/dataview.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    if (argc != 2)
        return 2;
    if (dv_open(&view, argv[1], NULL, &err) != DV_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("C, dataview %s: %" PRId64 " rows\n", dv_version(), dv_view_rows(view));
    dv_view_release(&view);
    return 0;
}
