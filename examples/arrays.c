/* SPDX-License-Identifier: MIT */
/* arrays.c: saves arrays as a file. */
#include <dataview/dataview.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *const names[] = {"Ann", "Bo", NULL};
    const float heights[] = {1.75F, NAN, 1.62F};
    const dv_table_column columns[] = {{"Name", dv_type_of(DV_KIND_TX), names, NULL},
                                       {"Height", dv_type_of(DV_KIND_R4), heights, NULL}};
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_status status = dv_table_create(&view, columns, 2, 3, NULL, &err);
    if (status == DV_OK)
        status = dv_save(view, argc > 1 ? argv[1] : "people.idv", NULL, &err);
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    dv_view_release(&view);
    return status < 0;
}
