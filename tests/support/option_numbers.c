/* SPDX-License-Identifier: MIT */
/* option_numbers.c: sets the numbers of structs to the ends of their types, and uses the structs.
 */
#include "support/option_numbers.h"
#include "support/golden_files.h"
#include "support/test.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NBYTES ((size_t)64 << 20) /* of an allocation for these small tables */
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- An allocator that refuses much ----------------------------------------------------------- */

_Atomic size_t dvt_small_refused;

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    void *memory = NULL;
    (void)ctx;
    if (nbytes > MOST_NBYTES) {
        dvt_small_refused = nbytes;
        return NULL;
    }
    const size_t least = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    return nbytes > 0 && posix_memalign(&memory, least, nbytes) == 0 ? memory : NULL;
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    (void)ctx;
    (void)nbytes;
    free(memory);
}

const dv_allocator dvt_small_allocator = {allocate, release, NULL};

/* --- The numbers ------------------------------------------------------------------------------ */

static const int64_t numbers[] = {INT64_MAX,
                                  INT64_MAX - 1,
                                  INT64_MAX - 63,
                                  INT64_MAX / 2 + 1,
                                  INT64_MAX / 4 + 1,
                                  INT64_MAX / 8 + 1,
                                  INT64_MAX / 1024 + 1,
                                  INT64_C(1) << 33,
                                  (INT64_C(1) << 32) - 1,
                                  (INT64_C(1) << 31) + 1,
                                  INT32_MAX,
                                  INT32_MAX - 1,
                                  INT32_MAX / 2 + 1,
                                  1,
                                  0,
                                  -1,
                                  -2,
                                  INT32_MIN,
                                  INT64_MIN + 1,
                                  INT64_MIN};
/* Those of a pair. */
static const int64_t pair_numbers[] = {INT64_MAX, INT64_MAX / 2 + 1, INT32_MAX, 2};

static void set(void *options, const dvt_number *f, int64_t number)
{
    const int32_t low = (int32_t)(uint32_t)(uint64_t)number;
    cr_assert(f->width == 4 || f->width == 8);
    memcpy((char *)options + f->offset, f->width == 8 ? (const void *)&number : &low, f->width);
}

static void attempt(const dvt_numbered *n, void *options, const char *first, int64_t a,
                    const char *second, int64_t b)
{
    dv_error err = DV_ERROR_INIT;
    dvt_small_refused = 0;
    const dv_status status = n->use(options, &err);
    const bool is_clean = status == DV_OK || status == DV_END || status == DV_ERR_ARGUMENT ||
                          status == DV_ERR_LIMIT || status == DV_ERR_COPY || status == DV_ERR_LOSS;
    cr_expect(is_clean && dvt_small_refused == 0,
              "%s: %s %lld, %s %lld: %s, %zu bytes asked for: %s", n->name, first, (long long)a,
              second, (long long)b, dv_status_name(status), (size_t)dvt_small_refused, err.message);
    cr_expect(status >= 0 || *err.message, "%s: %s %lld: no message", n->name, first, (long long)a);
}

void dvt_numbered_try(const dvt_numbered *n)
{
    void *options = malloc(n->nbytes);
    cr_assert_not_null(options);
    for (size_t i = 0; i < n->count; i++) {
        for (size_t k = 0; k < COUNT(numbers); k++) {
            memcpy(options, n->options, n->nbytes);
            set(options, &n->numbers[i], numbers[k]);
            attempt(n, options, n->numbers[i].name, numbers[k], "-", 0);
        }
        for (size_t j = i + 1; j < n->count && j < n->paired; j++)
            for (size_t k = 0; k < COUNT(pair_numbers) * COUNT(pair_numbers); k++) {
                const int64_t a = pair_numbers[k / COUNT(pair_numbers)];
                const int64_t b = pair_numbers[k % COUNT(pair_numbers)];
                memcpy(options, n->options, n->nbytes);
                set(options, &n->numbers[i], a);
                set(options, &n->numbers[j], b);
                attempt(n, options, n->numbers[i].name, a, n->numbers[j].name, b);
            }
    }
    free(options);
}

/* --- The tables ------------------------------------------------------------------------------- */

static const char *const files[DVT_SMALL_TABLES] = {"golden/idv/people.idv",
                                                    "golden/btable/article.btable",
                                                    "golden/datadings/tiny.msgpack", "people.txt"};
dvt_path dvt_small_paths[DVT_SMALL_TABLES];
dv_view *dvt_small_views[DVT_SMALL_TABLES];
int dvt_small_now;
static dvt_path folder;

static void open_table(int i)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = &dvt_small_allocator;
    cr_assert_eq(dv_open(&dvt_small_views[i], dvt_small_paths[i].text, &options, &err), DV_OK, "%s",
                 err.message);
}

void dvt_small_open(void)
{
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    save.sync = false;
    folder = dvt_folder_create();
    for (int i = 0; i < DVT_SMALL_TEXT; i++) {
        dvt_small_paths[i] = dvt_test_path(files[i]);
        open_table(i);
    }
    dvt_small_paths[DVT_SMALL_TEXT] = dvt_path_in(&folder, files[DVT_SMALL_TEXT]);
    cr_assert_eq(
        dv_save(dvt_small_views[DVT_SMALL_IDV], dvt_small_paths[DVT_SMALL_TEXT].text, &save, NULL),
        DV_OK);
    open_table(DVT_SMALL_TEXT);
}

void dvt_small_close(void)
{
    for (int i = 0; i < DVT_SMALL_TABLES; i++)
        dv_view_release(&dvt_small_views[i]);
    dvt_folder_remove(&folder);
}

void dvt_numbered_try_tables(const dvt_numbered *numbered, int first, int step)
{
    char name[64];
    dvt_numbered named = *numbered;
    named.name = name;
    for (int i = first; i < DVT_SMALL_TABLES; i += step) {
        dvt_small_now = i;
        snprintf(name, sizeof name, "%s, %s", numbered->name, strrchr(files[i], '.') + 1);
        dvt_numbered_try(&named);
    }
    dvt_small_now = 0;
}

dv_status dvt_read_rows(dv_view *view, const dv_cursor_options *options, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    while (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    dv_cursor_close(&cursor);
    return status;
}
