/* SPDX-License-Identifier: MIT */
/* test_stats_distinct.c: distinct values are counted correctly and estimated closely. */
#include "support/many_rows.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Within four standard errors, for any values. */
Test(stats_distinct, estimates_of_different_values)
{
    enum { N = 200000 };
    int64_t *values = malloc(N * sizeof *values);
    char *utf8 = malloc(8 * N + 1);
    int32_t *ends = malloc(N * sizeof *ends);
    static const int64_t different[] = {N, 150000, 20000, 300, 5};
    for (size_t i = 0; i < COUNT(different); i++)
        for (int64_t step = 1; step < INT64_C(1) << 42; step <<= 20) {
            for (int64_t k = 0; k < N; k++) {
                values[k] = k % different[i] * step;
                snprintf(utf8 + 8 * k, 9, "%08lld", (long long)(k % different[i]));
                ends[k] = (int32_t)(8 * (k + 1));
            }
            dvt_made_table table = {.columns = 2, .rows = N, .block_rows = 5000, .bad_row = -1};
            table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), values, N);
            table.column[1] = dvt_made_text(DV_KIND_TX, utf8, ends, N);
            dv_view *view = dvt_made_table_open(&table, NULL);
            dv_stats_options options = DV_STATS_OPTIONS_INIT;
            options.exact_distinct = different[i] - 1;
            dv_stats *stats = dvt_stats_of(view, &options);
            for (int32_t k = 0; k < 2; k++) {
                const dv_column_stats *c = &stats->column[k];
                const double off = (double)c->distinct / (double)different[i] - 1;
                cr_expect(c->distinct_error > 0.008 && c->distinct_error < 0.0082);
                cr_expect_leq(fabs(off), 4 * c->distinct_error, "%d, step %lld: %d",
                              (int)different[i], (long long)step, (int)c->distinct);
                cr_expect_leq(c->distinct, N, "more than there are values");
                cr_expect_eq(c->top_count, 0);
            }
            dv_stats_free(&stats);
            options.exact_distinct = different[i];
            stats = dvt_stats_of(view, &options);
            cr_expect(stats->column[0].distinct == different[i] &&
                      stats->column[1].distinct == different[i] &&
                      stats->column[0].distinct_error == 0);
            dv_stats_free(&stats);
            dv_view_release(&view);
        }
    free(values);
    free(utf8);
    free(ends);
}
