/* SPDX-License-Identifier: MIT */
/* mutate_model_zip.c: changes an entry of a model, or the places in its header, and writes the rest
 * so that sizes and checksums are right; or lets the engine mutate. */
#include "mutate_model_zip.h"
#include "base/load.h"
#include "support/zip_made.h"
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);

enum { GROWTH = 256, HEADER = 256 };

/* Let the engine change the fields of a part, and move what follows them. */
static void change_fields(dvt_zip_part *part)
{
    if (part->n < HEADER + 8)
        return;
    const int64_t fields = dvi_load_i64(part->data + 0x18);
    if (fields <= 0 || (uint64_t)fields > part->n - HEADER - 8)
        return;
    const size_t before = (size_t)fields, rest = part->n - HEADER - before;
    uint8_t *made = malloc(part->n + GROWTH);
    if (!made)
        abort();
    memcpy(made, part->data, HEADER + before);
    const size_t after = LLVMFuzzerMutate(made + HEADER, before, before + GROWTH);
    memcpy(made + HEADER + after, part->data + HEADER + before, rest);
    dvi_store_i64(made + 0x18, (int64_t)after);
    static const size_t places[] = {0x20, 0x30, 0x80, 0x88, 0x90};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int64_t at = dvi_load_i64(made + places[i]);
        if (at != 0)
            dvi_store_i64(made + places[i], (int64_t)((uint64_t)at - before + after));
    }
    free(part->data);
    part->data = made;
    part->n = HEADER + after + rest;
}

static void change_all(dvt_zip_part *part)
{
    uint8_t *made = malloc(part->n + GROWTH);
    if (!made)
        abort();
    if (part->n > 0)
        memcpy(made, part->data, part->n);
    part->n = LLVMFuzzerMutate(made, part->n, part->n + GROWTH);
    free(part->data);
    part->data = made;
}

size_t dvt_model_zip_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    dvt_zip_parts parts;
    size_t made_nbytes;
    if (seed % 8 == 0 || !dvt_zip_take(&parts, data, n))
        return LLVMFuzzerMutate(data, n, most);
    if (parts.count > 0) {
        dvt_zip_part *part = &parts.part[seed / 8 % parts.count];
        if (seed / 64 % 4 == 0)
            change_all(part);
        else
            change_fields(part);
    }
    uint8_t *made = dvt_zip_make(&parts, &made_nbytes);
    const bool fits = made_nbytes <= most;
    if (fits)
        memcpy(data, made, made_nbytes);
    free(made);
    dvt_zip_free(&parts);
    return fits ? made_nbytes : LLVMFuzzerMutate(data, n, most);
}
