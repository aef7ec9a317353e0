/* SPDX-License-Identifier: MIT */
/* arrow_time.c: makes TS, DT and DZ of times in any unit. */
#include "base/check.h"
#include "base/load.h"
#include "codec/datetime.h"
#include "interop/arrow_number.h"
#include "interop/arrow_read.h"
#include <dataview/save.h>
#include <string.h>

#define TICK_NS 100

/* How times become ticks. */
typedef struct clock {
    int64_t ticks; /* of a unit; 0: nanoseconds; 1: ticks already */
    int64_t start; /* ticks at 0 */
} clock;

typedef enum fit { FITS, ROUNDS, OUTSIDE } fit;

static clock clock_of(const dvi_arrow_format *format, dv_kind kind)
{
    if (!dvi_arrow_is_time(format))
        return (clock){1, 0};
    return (clock){format->ticks, kind == DV_KIND_TS ? 0 : DVI_EPOCH_TICKS};
}

static fit ticks_of(int64_t *ticks_out, int64_t time, clock c)
{
    int64_t ticks;
    fit found = FITS;
    if (c.ticks == 0) {
        ticks = time / TICK_NS - (time % TICK_NS < 0);
        found = time % TICK_NS == 0 ? FITS : ROUNDS;
    } else if (__builtin_mul_overflow(time, c.ticks, &ticks)) {
        return OUTSIDE;
    }
    return __builtin_add_overflow(ticks, c.start, ticks_out) ? OUTSIDE : found;
}

/* Whether the type has the time, which is not NA. */
static bool is_held(dv_kind kind, dv_zoned time)
{
    return kind == DV_KIND_TS   ? time.ticks != DV_TICKS_NA
           : kind == DV_KIND_DT ? !dvi_datetime_is_na(time.ticks)
                                : !dvi_zoned_is_na(time);
}

static dv_status fail_time(const dvi_arrow_reading *r, fit found, int64_t at, dv_error *err)
{
    return found == ROUNDS ? dvi_arrow_fail_at(r, DV_ERR_LOSS, at,
                                               "a multiple of 100 ns, or the loss `precision`",
                                               "a finer time", err)
                           : dvi_arrow_fail_at(r, DV_ERR_LOSS, at,
                                               r->scalar->type.kind == DV_KIND_TS
                                                   ? "a span of at most 29,227 years"
                                                   : "a time of the years 1 to 9999",
                                               "one outside", err);
}

/* Where times and minutes come from, and where they go. */
typedef struct copy {
    const dvi_arrow_reading *r;
    clock clock;
    dvi_arrow_storage storage;
    const void *times;      /* the buffer */
    int64_t times_at;       /* added to the position in a run */
    const int16_t *minutes; /* NULL: 0 */
    const uint8_t *bits[2]; /* validity of the struct's children; NULL: all valid */
    int64_t bits_at[2];
    int64_t minutes_at;
    int64_t *ticks_to;
    int16_t *minutes_to; /* NULL: none */
} copy;

static bool is_bit(const uint8_t *bits, int64_t i)
{
    return !bits || bits[i / 8] >> i % 8 & 1;
}

static dv_status put_time(const copy *c, int64_t time, int64_t at, int64_t position, dv_error *err)
{
    const dvi_arrow_reading *r = c->r;
    const dv_kind kind = r->scalar->type.kind;
    dv_zoned z = {DV_TICKS_NA, 0};
    if ((!r->valid || r->valid[at]) && is_bit(c->bits[0], position + c->bits_at[0]) &&
        is_bit(c->bits[1], position + c->bits_at[1])) {
        if (c->minutes)
            z.minutes =
                dvi_load_i16((const uint8_t *)c->minutes + 2 * (size_t)(position + c->minutes_at));
        fit found = ticks_of(&z.ticks, time, c->clock);
        if (found != OUTSIDE &&
            __builtin_add_overflow(z.ticks, z.minutes * DVI_TICKS_PER_MINUTE, &z.ticks))
            found = OUTSIDE;
        if (found != OUTSIDE && !is_held(kind, z))
            found = OUTSIDE;
        DVI_REQUIRE(found == FITS || (found == ROUNDS && (r->allow_loss & DV_LOSS_PRECISION)),
                    fail_time(r, found, at, err));
    }
    c->ticks_to[at] = z.ticks;
    if (c->minutes_to)
        c->minutes_to[at] = z.minutes;
    return DV_OK;
}

static dv_status copy_runs(const copy *c, dv_error *err)
{
    const dvi_arrow_reading *r = c->r;
    dvi_arrow_wide wide;
    int64_t at = 0;
    for (int64_t k = 0; k < r->runs_count; k++) {
        const dvi_arrow_run *run = &r->runs[k];
        for (int64_t done = 0; done < run->n; done++, at++) {
            const int64_t i = done % DVI_ARROW_CHUNK, first = run->first + done;
            if (i == 0)
                dvi_arrow_load(
                    &wide, c->storage, c->times, first + c->times_at,
                    (size_t)(run->n - done < DVI_ARROW_CHUNK ? run->n - done : DVI_ARROW_CHUNK));
            DVI_TRY(put_time(c, wide.i[i], at, first, err));
        }
    }
    return DV_OK;
}

/* The children of a struct of an instant and minutes. */
static void use_children(copy *c)
{
    const struct ArrowArray *const *children =
        (const struct ArrowArray *const *)(const void *)c->r->array->children;
    for (int i = 0; i < 2; i++) {
        c->bits[i] = children[i]->null_count == 0 ? NULL : children[i]->buffers[0];
        c->bits_at[i] = children[i]->offset;
    }
    c->times = children[0]->buffers[1];
    c->times_at = children[0]->offset;
    c->minutes = children[1]->buffers[1];
    c->minutes_at = children[1]->offset;
}

dv_status dvi_arrow_read_times(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const dv_kind kind = r->scalar->type.kind;
    const bool is_struct = r->scalar->make == DVI_ARROW_FROM_ZONED;
    const dvi_arrow_shape *times = is_struct ? &r->scalar->shape->children[0] : r->scalar->shape;
    copy c = {.r = r, .clock = clock_of(&times->format, kind), .storage = times->format.storage};
    void *made;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALUES, r->n, 8, &made, err));
    c.ticks_to = made;
    if (kind == DV_KIND_DZ) {
        DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_BYTES, r->n, 2, &made, err));
        c.minutes_to = made;
    }
    if (is_struct)
        use_children(&c);
    else
        c.times = r->array->buffers[1];
    DVI_TRY(copy_runs(&c, err));
    view->as.fixed.values = dvi_arrow_made(r, DVI_ARROW_VALUES, r->n, 8);
    if (kind == DV_KIND_DZ) {
        const dv_buffer ticks = view->as.fixed.values;
        view->as.zoned.ticks = ticks;
        view->as.zoned.minutes = dvi_arrow_made(r, DVI_ARROW_BYTES, r->n, 2);
    }
    return DV_OK;
}
