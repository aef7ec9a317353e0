/* SPDX-License-Identifier: MIT */
/* kernel_rates.c: times every kernel at every level on a sample that stays in the cache.
 *
 * A rate counts the bytes read and written, as that of memcpy does.  bench/ also measures beyond
 * the cache, and against other limits. */
#include "cli/verbs/kernel_rates.h"
#include "cli/print/json.h"
#include "cli/terminal/rate.h"
#include "cli/terminal/table.h"
#include <dataview/kernels.h>
#include <stdlib.h>
#include <string.h>

#define COPY_NBYTES ((size_t)64 << 10)
#define ROUNDS 5
#define ROUND_SECONDS 5e-4

/* A kernel at a level, or memcpy. */
typedef struct job {
    dv_kernel_sample *sample; /* NULL: memcpy */
    size_t kernel;
    dv_level level;
} job;

static size_t run_memcpy(void)
{
    static uint8_t src[COPY_NBYTES], dst[COPY_NBYTES];
    memcpy(dst, src, sizeof dst);
    __asm__ volatile("" : : "r"(dst) : "memory"); /* or the copy is left out */
    return 2 * sizeof dst;
}

static size_t run(const job *j)
{
    return j->sample ? dv_kernel_sample_run(j->sample, j->kernel, j->level) : run_memcpy();
}

/* Bytes per second: the median of ROUNDS rounds. */
static double rate_of(const job *j)
{
    double rates[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        const double start = dvi_rate_clock();
        double nbytes = 0, seconds;
        do
            for (int k = 0; k < 16; k++)
                nbytes += (double)run(j);
        while ((seconds = dvi_rate_clock() - start) < ROUND_SECONDS);
        rates[i] = nbytes / seconds;
    }
    return dvi_rate_median(rates, ROUNDS);
}

static void add_header(dvi_table *table)
{
    dvi_table_column_add(table, DVI_COLUMN_FIRM);
    dvi_table_add_text(table, dv_text_of("kernel"));
    for (int level = 0; level < DV_LEVELS; level++)
        if (dv_level_is_available((dv_level)level))
            dvi_table_column_add(table, DVI_COLUMN_RIGHT | DVI_COLUMN_FIRM);
    dvi_table_column_add(table, DVI_COLUMN_FIRM);
    dvi_table_column_add(table, DVI_COLUMN_RIGHT | DVI_COLUMN_FIRM);
    dvi_table_column_add(table, DVI_COLUMN_RIGHT | DVI_COLUMN_FIRM);
    for (int level = 0; level < DV_LEVELS; level++)
        if (dv_level_is_available((dv_level)level))
            dvi_table_add_text(table, dv_text_of(dv_level_name((dv_level)level)));
    dvi_table_add_text(table, dv_text_of("in use"));
    dvi_table_add_text(table, dv_text_of("of scalar"));
    dvi_table_add_text(table, dv_text_of("of memcpy"));
}

/* Add a kernel's rate at each level, the level whose code is in use, the gain of that over scalar,
 * and its share of memcpy's rate. */
static void add_kernel(dvi_table *table, dv_kernel_sample *sample, size_t kernel, double copying)
{
    size_t n;
    char text[DVI_RATE_CAP];
    const dv_level used = dv_kernel_level(kernel);
    double scalar = 0, chosen = 0;
    dvi_table_add_text(table, dv_text_of(dv_kernel_list(&n)[kernel].name));
    for (int level = 0; level < DV_LEVELS; level++) {
        if (!dv_level_is_available((dv_level)level))
            continue;
        const double rate = rate_of(&(job){sample, kernel, (dv_level)level});
        scalar = level == DV_LEVEL_SCALAR ? rate : scalar;
        chosen = (dv_level)level == used ? rate : chosen;
        dvi_table_add_text(table, dv_text_of(dvi_rate_text(text, rate, "B")));
    }
    dvi_table_add_text(table, dv_text_of(dv_level_name(used)));
    dvi_table_add_print(table, "%.1f x", chosen / scalar);
    dvi_table_add_print(table, "%.2f", chosen / copying);
}

static dvi_exit write_table(dvi_out *out, dv_kernel_sample *sample)
{
    size_t n;
    char text[DVI_RATE_CAP];
    const dvi_screen screen = dvi_screen_of(out->fd);
    const double copying = rate_of(&(job){0});
    dvi_table table;
    dvi_table_init(&table, &screen, 1);
    add_header(&table);
    dv_kernel_list(&n);
    for (size_t i = 0; i < n; i++)
        add_kernel(&table, sample, i, copying);
    const dvi_exit status = dvi_table_print(&table, out);
    dvi_table_free(&table);
    dvi_out_print(out,
                  "\nBytes read and written per second, in the cache; memcpy: %s.\nLevel in use: "
                  "%s (DATAVIEW_SIMD sets an upper limit).\n",
                  dvi_rate_text(text, copying, "B"), dv_level_name(dv_level_in_use()));
    return status;
}

static void add_json_kernel(dvi_json *json, dv_kernel_sample *sample, size_t kernel)
{
    size_t n;
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(dv_kernel_list(&n)[kernel].name));
    dvi_json_put(json, "level", dvi_json_cstr(dv_level_name(dv_kernel_level(kernel))));
    dvi_json_open(json, dv_text_of("nbytes_per_s"), '{');
    for (int level = 0; level < DV_LEVELS; level++)
        if (dv_level_is_available((dv_level)level))
            dvi_json_put(json, dv_level_name((dv_level)level),
                         dvi_json_rate(rate_of(&(job){sample, kernel, (dv_level)level}), 1));
    dvi_json_close(json, '}');
    dvi_json_close(json, '}');
}

static dvi_exit write_json(dvi_out *out, dv_kernel_sample *sample)
{
    size_t n;
    dvi_json json;
    dvi_json_begin(&json, "bench", NULL);
    dvi_json_put(&json, "level", dvi_json_cstr(dv_level_name(dv_level_in_use())));
    dvi_json_put(&json, "memcpy_nbytes_per_s", dvi_json_rate(rate_of(&(job){0}), 1));
    dvi_json_open(&json, dv_text_of("kernels"), '[');
    dv_kernel_list(&n);
    for (size_t i = 0; i < n; i++)
        add_json_kernel(&json, sample, i);
    dvi_json_close(&json, ']');
    return dvi_json_end(&json, out);
}

static dvi_exit with_sample(dvi_exit write(dvi_out *, dv_kernel_sample *), dvi_out *out)
{
    dv_kernel_sample *sample;
    if (dv_kernel_sample_create(&sample, NULL) < 0)
        return dvi_say_memory();
    const dvi_exit status = write(out, sample);
    dv_kernel_sample_free(&sample);
    return status;
}

dvi_exit dvi_kernel_rates(dvi_out *out)
{
    return with_sample(write_table, out);
}

dvi_exit dvi_kernel_rates_json(dvi_out *out)
{
    return with_sample(write_json, out);
}
