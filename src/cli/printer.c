/* SPDX-License-Identifier: MIT */
/* printer.c: the list of forms. */
#include "cli/printer.h"
#include <inttypes.h>
#include <string.h>

#define NAME(name) #name,
const char *const dvi_printer_names[] = {DVI_PRINTER_LIST(NAME) NULL};

#define PRINTER(name) &dvi_printer_##name,
static const dvi_printer *const printers[] = {DVI_PRINTER_LIST(PRINTER)};

const dvi_printer *dvi_printer_find(const char *name)
{
    for (int i = 0; name && dvi_printer_names[i]; i++)
        if (strcmp(dvi_printer_names[i], name) == 0)
            return printers[i];
    return printers[0];
}

bool dvi_printer_id(dvi_out *out, dv_u16 id)
{
    return dvi_out_print(out, "0x%016" PRIx64 "%016" PRIx64, id.hi, id.lo);
}
