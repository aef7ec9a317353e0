/* SPDX-License-Identifier: MIT */
/* outside_image.c: does the installed component for pictures serve a stranger? */
#include <dataview/image.h>
#include <dataview/open_type.h>
#include <stdio.h>

int main(void)
{
    dv_error err = DV_ERROR_INIT;
    if (dv_image_register(&err) != DV_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    return dv_open_type_find(DV_PICTURE).kind != DV_KIND_EXTENSION;
}
