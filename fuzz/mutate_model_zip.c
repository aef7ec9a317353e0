/* SPDX-License-Identifier: MIT */
/* mutate_model_zip.c: changes an entry of a model, its fields, or the table that it is, and writes
 * the rest so that sizes and checksums are right; or lets the engine mutate. */
#include "mutate_model_zip.h"
#include "mutate_idv.h"
#include "support/zip_made.h"
#include <stdlib.h>
#include <string.h>

enum { GROWTH = 256 };

/* A copy of the bytes with room for more. */
static uint8_t *copy_with_room(const uint8_t *bytes, size_t n)
{
    uint8_t *made = malloc(n + GROWTH);
    if (!made)
        abort();
    if (n > 0)
        memcpy(made, bytes, n);
    return made;
}

/* Let the engine change the fields of a part. */
static void change_fields(dvt_zip_part *part)
{
    const size_t n = dvt_model_fields(part);
    if (n == 0)
        return;
    uint8_t *made = copy_with_room(part->data + DVT_MODEL_HEADER, n);
    dvt_model_set_fields(part, made, LLVMFuzzerMutate(made, n, n + GROWTH));
    free(made);
}

static void change_all(dvt_zip_part *part)
{
    uint8_t *made = copy_with_room(part->data, part->n);
    part->n = LLVMFuzzerMutate(made, part->n, part->n + GROWTH);
    free(part->data);
    part->data = made;
}

/* Change a file inside the model as files of its format are changed. */
static void change_file(dvt_zip_part *part, unsigned int seed)
{
    uint8_t *made = copy_with_room(part->data, part->n);
    part->n = dvt_idv_mutate(made, part->n, part->n + GROWTH, seed);
    free(part->data);
    part->data = made;
}

static bool is_idv(const dvt_zip_part *part)
{
    const char *name = strrchr(part->name, '/');
    return strcmp(name ? name + 1 : part->name, "DefaultMap.idv") == 0 ||
           strcmp(part->name, "Schema") == 0;
}

size_t dvt_model_zip_mutate(uint8_t *data, size_t n, size_t most, unsigned int seed)
{
    dvt_zip_parts parts;
    size_t made_nbytes;
    if (seed % 8 == 0 || !dvt_zip_take(&parts, data, n))
        return LLVMFuzzerMutate(data, n, most);
    if (parts.count > 0) {
        dvt_zip_part *part = &parts.part[seed / 8 % parts.count];
        if (is_idv(part) && seed / 64 % 4 != 0)
            change_file(part, seed);
        else if (seed / 64 % 4 == 0)
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
