/* SPDX-License-Identifier: MIT */
/* kernel_side.c: gives the comparisons with NumPy the kernels of the level in use, by name. */
#include "simd/kernel.h"
#include <dataview/dataview.h>
#include <string.h>

#define SIDE __attribute__((visibility("default")))

SIDE void *dvb_kernel(const char *name);
SIDE int64_t dvb_size_of(const char *name);

void *dvb_kernel(const char *name)
{
    const dvi_kernel_table *k = dvi_kernels();
    void *kernel = NULL;
#define FIND(level, shape, member, D, S, contract)                                                 \
    if (strcmp(name, #member) == 0)                                                                \
        memcpy(&kernel, &k->member, sizeof kernel);
    DVI_KERNEL_LIST(FIND, _)
    return kernel;
}

/* The bytes of a struct that side_by_side.py declares again; -1 if its name is unknown. */
int64_t dvb_size_of(const char *name)
{
#define SIZE_OF(T)                                                                                 \
    if (strcmp(name, #T) == 0)                                                                     \
        return sizeof(T);
    SIZE_OF(dv_type)
    SIZE_OF(dv_buffer)
    SIZE_OF(dv_vector_layout)
    SIZE_OF(dv_column_view)
    SIZE_OF(dv_csr)
    SIZE_OF(dv_csr_room)
    SIZE_OF(dvi_na)
    return -1;
}
