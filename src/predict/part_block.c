/* SPDX-License-Identifier: MIT */
/* part_block.c: fields of the parts of a predictor. */
#include "predict/part_block.h"
#include "base/check.h"
#include "base/size.h"
#include <math.h>
#include <string.h>

enum { DEPTH = 8 };

/* Say in which part the error is. */
static dv_status within(const dvi_block *b, dv_status status, dv_error *err)
{
    if (status < 0 && b->part->folder.nbytes > 0)
        dvi_error_within(err, "part %s", dvi_show(b->part->folder).text);
    return status;
}

/* --- Parts ------------------------------------------------------------------------------------ */

static dv_status join(dv_text *text_out, dvi_arena *arena, dv_text folder, const char *name,
                      dv_error *err)
{
    void *made;
    const size_t n = (size_t)folder.nbytes, more = strlen(name);
    DVI_TRY(dvi_arena_alloc(arena, &made, n + more + 1, err));
    if (n > 0)
        memcpy(made, folder.data, n);
    memcpy((char *)made + n, name, more);
    *text_out = (dv_text){made, (int64_t)(n + more)};
    return DV_OK;
}

dv_status dvi_block_open(dvi_block *b, const dvi_parts *all, const dvi_block *in,
                         const char *folder, dv_error *err)
{
    dv_text path = dv_text_of("");
    const int32_t depth = in ? in->depth + 1 : 0;
    if (in)
        DVI_TRY(join(&path, all->arena, in->part->folder, folder, err));
    DVI_REQUIRE(depth < DEPTH, dvi_fail(err, DV_ERR_CORRUPT, "predictors:P14", -1,
                                        "predictors inside others", "at most %d|more", DEPTH - 1));
    const int32_t i = dvi_hashtab_get(&all->by_folder, path);
    DVI_REQUIRE(i >= 0, dvi_fail(err, DV_ERR_CORRUPT, "predictors:P1", -1, "part of a predictor",
                                 "\"%s\"|none", dvi_show(path).text));
    const dvi_predictor_part *part = &all->part[i];
    *b = (dvi_block){.all = all,
                     .part = part,
                     .fields = dvi_reader_of(part->block, part->nbytes, 0, false),
                     .depth = depth};
    return DV_OK;
}

/* --- Fields ----------------------------------------------------------------------------------- */

static dv_status check_read(const dvi_block *b, const char *rule, const char *what, dv_error *err)
{
    if (b->fields.fault == DVI_READ_FINE)
        return DV_OK;
    return within(b, dvi_reader_failure(&b->fields, rule, rule, what, err), err);
}

dv_status dvi_block_i32(dvi_block *b, int32_t *value_out, int32_t least, int32_t most,
                        const char *rule, const char *what, dv_error *err)
{
    const int64_t at = dvi_reader_offset(&b->fields);
    *value_out = dvi_read_i32_le(&b->fields);
    DVI_TRY(check_read(b, rule, what, err));
    DVI_REQUIRE(*value_out >= least && *value_out <= most,
                within(b, dvi_fail_range(err, rule, at, what, least, most, *value_out), err));
    return DV_OK;
}

dv_status dvi_block_u8(dvi_block *b, uint8_t *value_out, uint8_t most, const char *rule,
                       const char *what, dv_error *err)
{
    const int64_t at = dvi_reader_offset(&b->fields);
    *value_out = dvi_read_u8(&b->fields);
    DVI_TRY(check_read(b, rule, what, err));
    DVI_REQUIRE(*value_out <= most,
                within(b, dvi_fail_range(err, rule, at, what, 0, most, *value_out), err));
    return DV_OK;
}

dv_status dvi_block_f32(dvi_block *b, float *value_out, const char *rule, const char *what,
                        dv_error *err)
{
    const uint8_t *bytes = dvi_read_bytes(&b->fields, sizeof *value_out);
    DVI_TRY(check_read(b, rule, what, err));
    memcpy(value_out, bytes, sizeof *value_out);
    return DV_OK;
}

dv_status dvi_block_f64(dvi_block *b, double *value_out, const char *rule, const char *what,
                        dv_error *err)
{
    const uint8_t *bytes = dvi_read_bytes(&b->fields, sizeof *value_out);
    DVI_TRY(check_read(b, rule, what, err));
    memcpy(value_out, bytes, sizeof *value_out);
    return DV_OK;
}

dv_status dvi_block_size(dvi_block *b, dv_error *err)
{
    int32_t nbytes;
    return dvi_block_i32(b, &nbytes, 4, 4, "predictors:P14", "bytes of a real", err);
}

dv_status dvi_block_count(dvi_block *b, int32_t *count_out, size_t nbytes, const char *rule,
                          const char *what, dv_error *err)
{
    const size_t left = dvi_reader_left(&b->fields), most = (left < 4 ? 0 : left - 4) / nbytes;
    return dvi_block_i32(b, count_out, 0, most > INT32_MAX ? INT32_MAX : (int32_t)most, rule, what,
                         err);
}

/* Copy n items of `width` bytes, which are in the block. */
static dv_status copy(dvi_block *b, void **list_out, size_t n, size_t width, const char *rule,
                      const char *what, dv_error *err)
{
    size_t nbytes;
    *list_out = NULL;
    if (!dvi_size_mul(n, width, &nbytes))
        nbytes = SIZE_MAX; /* more than there are */
    const uint8_t *bytes = dvi_read_bytes(&b->fields, nbytes);
    DVI_TRY(check_read(b, rule, what, err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, list_out, nbytes, err));
    if (nbytes > 0)
        memcpy(*list_out, bytes, nbytes);
    return DV_OK;
}

dv_status dvi_block_i32s(dvi_block *b, const int32_t **list_out, size_t n, const char *rule,
                         const char *what, dv_error *err)
{
    void *list;
    const dv_status status = copy(b, &list, n, sizeof **list_out, rule, what, err);
    *list_out = list;
    return status;
}

dv_status dvi_block_f32s(dvi_block *b, const float **list_out, size_t n, const char *rule,
                         const char *what, dv_error *err)
{
    void *list;
    const dv_status status = copy(b, &list, n, sizeof **list_out, rule, what, err);
    *list_out = list;
    return status;
}

dv_status dvi_block_f64s(dvi_block *b, const double **list_out, size_t n, const char *rule,
                         const char *what, dv_error *err)
{
    void *list;
    const dv_status status = copy(b, &list, n, sizeof **list_out, rule, what, err);
    *list_out = list;
    return status;
}

dv_status dvi_block_skip(dvi_block *b, size_t width, const char *rule, const char *what,
                         dv_error *err)
{
    int32_t n;
    DVI_TRY(dvi_block_count(b, &n, width, rule, what, err));
    dvi_read_bytes(&b->fields, (size_t)n * width);
    return check_read(b, rule, what, err);
}

dv_status dvi_block_end(const dvi_block *b, uint32_t version, dv_error *err)
{
    const size_t left = dvi_reader_left(&b->fields);
    DVI_REQUIRE(
        left == 0 || b->part->version > version,
        within(b,
               dvi_fail(err, DV_ERR_CORRUPT, "predictors:P14", dvi_reader_offset(&b->fields),
                        "fields of a predictor", "their end|%zu bytes more", left),
               err));
    return DV_OK;
}

/* --- Checks ----------------------------------------------------------------------------------- */

dv_status dvi_block_refuse(const dvi_block *b, const char *rule, const char *what,
                           const char *expected, dv_error *err)
{
    return within(b,
                  dvi_fail(err, DV_ERR_CORRUPT, rule, dvi_reader_offset(&b->fields), what,
                           "%s|others", expected),
                  err);
}

dv_status dvi_block_check_slots(const dvi_block *b, const int32_t *slots, size_t n, int32_t end,
                                dv_error *err)
{
    int32_t before = -1;
    for (size_t i = 0; i < n; i++) {
        DVI_REQUIRE(slots[i] > before && slots[i] < end,
                    dvi_block_refuse(b, "predictors:P14", "slots of weights",
                                     "numbers of features, ascending", err));
        before = slots[i];
    }
    return DV_OK;
}

dv_status dvi_block_check_finite(const dvi_block *b, const float *values, size_t n,
                                 const char *what, dv_error *err)
{
    for (size_t i = 0; i < n; i++)
        DVI_REQUIRE(isfinite(values[i]),
                    dvi_block_refuse(b, "predictors:P14", what, "finite numbers", err));
    return DV_OK;
}
