/* SPDX-License-Identifier: MIT */
/* kernel_sample.c: lists the kernels for kernels.h, and runs each on a small input. */
#include "base/alloc.h"
#include "base/check.h"
#include "simd/na.h"
#include <math.h>
#include <string.h>

#define TEXT_NBYTES ((size_t)64 << 10)
#define TEXTS (TEXT_NBYTES / 16)
#define ROWS ((size_t)256)
#define WIDTH ((size_t)256) /* slots of a row */
#define STORED ((size_t)8)  /* items of a row */
#define PAIR_ROW_NBYTES (4 + 12 * STORED)
#define VALUES ((size_t)8192)
#define COLUMNS ((size_t)28)
#define BOUNDS ((size_t)64)
#define MIXED ((size_t)128) /* pixels, of 4 each, from a row of twice as many */
#define MIXED_ROWS ((size_t)32)
#define TAPS ((size_t)4)

/* Destinations lie as the library allocates them, at a line; sources as in a file, anywhere. */
struct dv_kernel_sample {
    _Alignas(DVI_ALIGNMENT) uint64_t dst[ROWS * WIDTH];
    int32_t counts_dst[ROWS], indices_dst[ROWS * STORED];
    int64_t offsets[2][ROWS + 1];
    uint8_t text[TEXT_NBYTES], bits[VALUES];
    int32_t ends[TEXTS], counts[ROWS], indices[ROWS * STORED];
    int64_t starts[ROWS + 1];
    int64_t ticks[VALUES];
    uint8_t numbers[VALUES * sizeof(dv_u128)]; /* of any width: small numbers and NA */
    uint64_t items[ROWS * STORED];
    dv_sparse rows;
    dvi_na na;
    dvi_sum sum;
    double real;
    uint8_t pair_rows[ROWS * PAIR_ROW_NBYTES];
    dvi_pairs pairs;
    const void *columns[COLUMNS]; /* of ROWS items of any width */
    int32_t index[TEXTS];         /* each text once, in random order */
    dv_text keys[TEXTS];
    struct {
        float affine_r4[VALUES];
        double affine_r8[VALUES];
    } scales; /* and offsets: all 1 */
    struct {
        float bins_r4[BOUNDS];
        double bins_r8[BOUNDS];
    } bounds; /* from 0 on */
    dv_taps taps[MIXED];
    int32_t weights[MIXED * TAPS];
    dv_mix mix;
    dv_pixel_scale pixel_scale;
};

/* Every eighth character has two bytes; a text has 15 bytes. */
static void fill_text(dv_kernel_sample *s)
{
    for (size_t i = 0; i < TEXT_NBYTES; i += 8)
        memcpy(s->text + i, i % 16 ? "abcdef\xC3\xA9" : "ijklmnop", 8);
    for (size_t i = 0; i < TEXTS; i++)
        s->ends[i] = (int32_t)(15 * (i + 1));
}

static void fill_rows(dv_kernel_sample *s)
{
    for (size_t i = 0; i < ROWS; i++)
        s->counts[i] = (int32_t)STORED;
    for (size_t i = 0; i < ROWS * STORED; i++) {
        s->indices[i] = (int32_t)(i % STORED * (WIDTH / STORED) + i % 7);
        s->items[i] = i;
    }
    s->rows = (dv_sparse){ROWS, (int32_t)WIDTH, NULL, s->counts, s->indices, s->items};
}

static void fill_numbers(dv_kernel_sample *s)
{
    for (size_t i = 0; i < sizeof s->numbers; i += sizeof(dv_u128))
        s->numbers[i] = (uint8_t)(i >> 4);
}

static void put_be(uint8_t *dst, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        dst[i] = (uint8_t)(number >> (24 - 8 * i));
}

/* The same rows as a BTable stores them; the values are small numbers. */
static void fill_pairs(dv_kernel_sample *s)
{
    for (size_t i = 0; i < ROWS; i++) {
        uint8_t *row = s->pair_rows + i * PAIR_ROW_NBYTES;
        put_be(row, (uint32_t)STORED);
        for (size_t k = 0; k < STORED; k++) {
            put_be(row + 4 + 12 * k, (uint32_t)s->indices[i * STORED + k]);
            put_be(row + 8 + 12 * k, UINT32_C(0x40000000) + (uint32_t)i);
        }
    }
    s->pairs =
        (dvi_pairs){s->pair_rows, sizeof s->pair_rows, ROWS, ROWS * STORED, (int32_t)WIDTH, -1};
}

static void fill_orders(dv_kernel_sample *s)
{
    for (size_t k = 0; k < COLUMNS; k++)
        s->columns[k] = s->text + k * ROWS * sizeof(uint64_t);
    for (size_t i = 0; i < TEXTS; i++)
        s->index[i] = (int32_t)(i * 1001 % TEXTS);
    for (size_t i = 0; i < TEXTS; i++)
        s->keys[i] = (dv_text){(const char *)s->text + 15 * i, 15};
}

static void fill_scales(dv_kernel_sample *s)
{
    for (size_t i = 0; i < VALUES; i++)
        s->scales.affine_r8[i] = s->scales.affine_r4[i] = 1;
    for (size_t i = 0; i < BOUNDS; i++)
        s->bounds.bins_r8[i] = s->bounds.bins_r4[i] = i + 1 < BOUNDS ? (float)i : INFINITY;
}

static void fill_mix(dv_kernel_sample *s)
{
    for (size_t i = 0; i < MIXED; i++)
        s->taps[i] = (dv_taps){(int32_t)(2 * i), i + 1 < MIXED ? (int32_t)TAPS : 2};
    for (size_t i = 0; i < MIXED * TAPS; i++)
        s->weights[i] = (i / TAPS + 1 < MIXED || i % TAPS < 2) << (DV_WEIGHT_BITS - 2);
    s->mix = (dv_mix){MIXED, s->taps, s->weights, TAPS};
}

static void fill_pixel_scale(dv_kernel_sample *s)
{
    s->pixel_scale = (dv_pixel_scale){0, 0.5F, {1, 1, 1}, {3, 3, 3}};
}

/* Run the kernel once.  The value is the number of bytes read and written. */
#define RUN_UTF8(k, s, name, D, S) (k->name(s->text, TEXT_NBYTES, &(size_t){0}), TEXT_NBYTES)
#define RUN_ENDS(k, s, name, D, S)                                                                 \
    (k->name(NULL, s->ends, TEXTS, 0, &(int32_t){0}), TEXTS * sizeof(S))
#define RUN_MAP_ENDS(k, s, name, D, S)                                                             \
    (k->name((D *)(void *)s->dst, s->text, TEXT_NBYTES, s->ends, TEXTS),                           \
     TEXT_NBYTES + TEXTS * (sizeof(D) + sizeof(S)))
#define RUN_COUNTS(k, s, name, D, S) (k->name(&s->rows, 1, (int64_t[2]){0}), ROWS * sizeof(S))
#define RUN_OFFSETS(k, s, name, D, S)                                                              \
    (k->name(s->offsets[0], s->offsets[1], &s->rows), ROWS * (2 * sizeof(D) + sizeof(S)))
#define RUN_STARTS(k, s, name, D, S)                                                               \
    (k->name(s->counts_dst, s->starts, ROWS, INT32_MAX, (int32_t)WIDTH),                           \
     ROWS * (sizeof(D) + sizeof(S)))
#define RUN_INDICES(k, s, name, D, S) (k->name(&s->rows, ROWS * STORED), ROWS * STORED * sizeof(S))
#define RUN_EXPAND(k, s, name, D, S)                                                               \
    (k->name((D *)(void *)s->dst, s->bits, VALUES), VALUES * sizeof(D) + VALUES / 8)
#define RUN_PACK(k, s, name, D, S)                                                                 \
    (k->name((D *)(void *)s->dst, s->bits, VALUES), VALUES * sizeof(S) + VALUES / 8)
#define RUN_RANGE(k, s, name, D, S) (k->name(s->ticks, VALUES), VALUES * sizeof(S))
#define RUN_DENSIFY(k, s, name, D, S)                                                              \
    (k->name((D *)(void *)s->dst, WIDTH, WIDTH, &s->rows, DVI_STORE_CACHED),                       \
     ROWS * (WIDTH * sizeof(D) + STORED * sizeof(S)))
#define RUN_DENSIFY_AS(k, s, name, D, S) RUN_DENSIFY(k, s, name, D, S)
#define RUN_SPARSIFY(k, s, name, D, S)                                                             \
    (k->name(s->counts_dst, s->indices_dst, (D *)(void *)s->dst, s->numbers, WIDTH, WIDTH,         \
             ROWS * STORED / WIDTH) *                                                              \
         (4 + sizeof(D)) +                                                                         \
     ROWS * STORED * sizeof(S))
#define RUN_MAP(k, s, name, D, S)                                                                  \
    (k->name((D *)(void *)s->dst, s->numbers, VALUES), VALUES * (sizeof(D) + sizeof(S)))
#define RUN_PAIRS(k, s, name, D, S)                                                                \
    (k->name(s->counts_dst, s->indices_dst, (D *)(void *)s->dst, &s->pairs, &(dvi_pairs_end){0}),  \
     ROWS * (4 + 4 + STORED * (4 + sizeof(S) + 4 + sizeof(D))))
#define RUN_NA(k, s, name, D, S) (k->name(s->ticks, VALUES, &s->na), VALUES * sizeof(S))
#define RUN_NA_MASK(k, s, name, D, S)                                                              \
    (k->name((D *)(void *)s->dst, s->ticks, VALUES, &s->na, 1), VALUES * sizeof(S) + VALUES / 8)
#define RUN_NA_REPLACE(k, s, name, D, S)                                                           \
    (k->name((D *)(void *)s->dst, s->ticks, VALUES, &s->na, 1), VALUES * (sizeof(D) + sizeof(S)))
#define RUN_MINMAX(k, s, name, D, S)                                                               \
    (k->name(s->ticks, VALUES, (D *)(void *)s->dst), VALUES * sizeof(S))
#define RUN_SUM(k, s, name, D, S) (s->sum = k->name(s->ticks, VALUES), VALUES * sizeof(S))
#define RUN_SUM_REAL(k, s, name, D, S) (s->real = k->name(s->ticks, VALUES), VALUES * sizeof(S))
#define RUN_TRANSPOSE(k, s, name, D, S)                                                            \
    (k->name((D *)(void *)s->dst, COLUMNS, s->columns, COLUMNS, ROWS),                             \
     ROWS * COLUMNS * (sizeof(D) + sizeof(S)))
#define RUN_ROWS(k, s, name, D, S)                                                                 \
    (k->name((D *)(void *)s->dst, WIDTH, s->text, WIDTH, WIDTH, ROWS, DVI_STORE_STREAM),           \
     ROWS * WIDTH * (sizeof(D) + sizeof(S)))
#define RUN_GATHER(k, s, name, D, S)                                                               \
    (k->name((D *)(void *)s->dst, s->numbers, s->index, TEXTS),                                    \
     TEXTS * (sizeof(D) + sizeof(S) + sizeof(int32_t)))
#define RUN_GATHER_ENDS(k, s, name, D, S)                                                          \
    (k->name((D *)(void *)s->dst, s->ends, 0, s->index, TEXTS, 0, &(int32_t){0}),                  \
     TEXTS * (sizeof(D) + sizeof(S) + sizeof(int32_t)))
#define RUN_GATHER_TEXT(k, s, name, D, S)                                                          \
    (k->name((D *)(void *)s->dst, 15 * TEXTS, s->text, TEXT_NBYTES, s->ends, 0, s->index, TEXTS),  \
     TEXTS * (2 * 15 + 2 * sizeof(int32_t)))
#define RUN_MOVE_ENDS(k, s, name, D, S)                                                            \
    (k->name((D *)(void *)s->dst, s->ends, TEXTS, 7), TEXTS * (sizeof(D) + sizeof(S)))
/* Every eighth byte is found. */
#define RUN_FIND(k, s, name, D, S)                                                                 \
    (k->name(                                                                                      \
         (D *)(void *)s->dst, TEXT_NBYTES / 4, s->text, TEXT_NBYTES,                               \
         &(const dvi_ascii_set){{['a' & 15] = 1 << ('a' >> 4), ['i' & 15] = 1 << ('i' >> 4)}}) *   \
         sizeof(D) +                                                                               \
     TEXT_NBYTES * sizeof(S))
/* Texts of 15 bytes. */
#define RUN_HASH(k, s, name, D, S)                                                                 \
    (k->name((D *)(void *)s->dst, s->keys, TEXTS, NULL), TEXTS * (2 * sizeof(D) + 15 * sizeof(S)))
/* Numbers of 8 bytes. */
#define RUN_CELLS(k, s, name, D, S)                                                                \
    (k->name((D *)(void *)s->dst, 0, 1, TEXTS,                                                     \
             &(const dvi_rectangle){1 << 14, 1 << 14, {1, 2, 3, 4, 5, 6}}),                        \
     TEXTS * sizeof(D))
#define RUN_MURMUR(k, s, name, D, S)                                                               \
    (k->name((D *)(void *)s->dst, s->numbers, VALUES, NULL,                                        \
             &(const dvi_murmur){1, INT32_MAX, sizeof(S), false, false, s->na}),                   \
     VALUES * (sizeof(D) + sizeof(S)))

/* Any numbers do. */
#define RUN_AFFINE(k, s, name, D, S)                                                               \
    (k->name((D *)(void *)s->dst, s->numbers, VALUES, s->scales.name, s->scales.name, true),       \
     VALUES * (sizeof(D) + sizeof(S)))
#define RUN_BINS(k, s, name, D, S)                                                                 \
    (k->name((D *)(void *)s->dst, s->numbers, VALUES, s->bounds.name, BOUNDS),                     \
     VALUES * (sizeof(D) + sizeof(S)))

#define RUN_MIX(k, s, name, D, S)                                                                  \
    (k->name((D *)(void *)s->dst, MIXED * sizeof(S), s->text, 2 * MIXED * sizeof(S),               \
             2 * MIXED * sizeof(S), MIXED_ROWS, &s->mix),                                          \
     MIXED_ROWS * MIXED * 3 * sizeof(S))
#define RUN_BLEND(k, s, name, D, S)                                                                \
    (k->name((D *)(void *)s->dst, s->text, VALUES, VALUES, s->weights, TAPS),                      \
     VALUES * (TAPS * sizeof(S) + sizeof(D)))
#define RUN_PLANES(k, s, name, D, S)                                                               \
    (k->name((D *const[3]){(D *)(void *)s->dst, (D *)(void *)s->dst + VALUES,                      \
                           (D *)(void *)s->dst + 2 * VALUES},                                      \
             s->text, VALUES, &s->pixel_scale),                                                    \
     VALUES * (3 * sizeof(D) + sizeof(S)))

typedef size_t run_fn(const dvi_kernel_table *k, dv_kernel_sample *s);

#define DEFINE_RUN(level, shape, name, D, S, contract)                                             \
    static size_t run_##name(const dvi_kernel_table *k, dv_kernel_sample *s)                       \
    {                                                                                              \
        return RUN_##shape(k, s, name, D, S);                                                      \
    }
DVI_KERNEL_LIST(DEFINE_RUN, _)

static const dv_kernel list[] = {
#define ENTRY(level, shape, name, D, S, contract) {#name, contract},
    DVI_KERNEL_LIST(ENTRY, _)
#undef ENTRY
};

static run_fn *const runs[] = {
#define RUN(level, shape, name, D, S, contract) run_##name,
    DVI_KERNEL_LIST(RUN, _)
#undef RUN
};

const dv_kernel *dv_kernel_list(size_t *n_out)
{
    *n_out = sizeof list / sizeof *list;
    return list;
}

dv_status dv_kernel_sample_create(dv_kernel_sample **sample_out, dv_error *err)
{
    void *memory;
    *sample_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(NULL, &memory, sizeof(dv_kernel_sample), err));
    dv_kernel_sample *s = memory;
    const dv_type bl = {.kind = DV_KIND_BL}; /* its NA rule applies to every width */
    s->na = dvi_na_of(&bl);
    fill_text(s);
    fill_rows(s);
    fill_numbers(s);
    fill_pairs(s);
    fill_orders(s);
    fill_scales(s);
    fill_mix(s);
    fill_pixel_scale(s);
    *sample_out = s;
    return DV_OK;
}

size_t dv_kernel_sample_run(dv_kernel_sample *sample, size_t kernel, dv_level level)
{
    const dvi_kernel_table *table = dvi_kernels_at(level);
    return table && kernel < sizeof runs / sizeof *runs ? runs[kernel](table, sample) : 0;
}

void dv_kernel_sample_free(dv_kernel_sample **sample)
{
    dvi_free(NULL, *sample, sizeof **sample);
    *sample = NULL;
}
