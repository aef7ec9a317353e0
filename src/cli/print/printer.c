/* SPDX-License-Identifier: MIT */
/* printer.c: finds a printer by its name. */
#include "cli/print/printer.h"
#include <inttypes.h>
#include <string.h>

#define PRINTER(name) &dvi_printer_##name,
static const dvi_printer *const printers[] = {DVI_ROW_FORMAT_LIST(PRINTER)};

const dvi_printer *dvi_printer_find(const char *name)
{
    for (int i = 0; name && dvi_row_format_names[i]; i++)
        if (strcmp(dvi_row_format_names[i], name) == 0)
            return printers[i];
    return printers[0];
}

bool dvi_printer_id(dvi_out *out, dv_u128 id)
{
    return dvi_out_print(out, "0x%016" PRIx64 "%016" PRIx64, id.hi, id.lo);
}
