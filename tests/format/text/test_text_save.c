/* SPDX-License-Identifier: MIT */
/* test_text_save.c: checks that saved text is read back as the same table. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/random_table.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_status save(dv_view *view, const char *text, uint32_t allow, dv_buffer *file,
                      dv_error *err)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "text";
    options.text = text;
    options.hidden = true;
    options.allow_loss = allow;
    return dv_save_memory(view, file, &options, err);
}

static dv_view *open_saved(const dv_buffer *file)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = "text";
    cr_assert_eq(
        dv_open_memory(&view, file->data, file->nbytes, NULL, NULL, "saved", &options, &err), DV_OK,
        "%s\n%.*s", err.message, (int)file->nbytes, (const char *)file->data);
    return view;
}

/* --- Round trips ------------------------------------------------------------------------------ */

/* Saved, read again the same, and saved again the same bytes. */
static void check_round_trip(dv_view *view, const char *text, int64_t batch_rows, uint64_t seed)
{
    dv_buffer file, again;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(save(view, text, 0, &file, &err), DV_OK, "seed %" PRIu64 ": %s", seed,
                 err.message);
    dv_view *saved = open_saved(&file);
    const char *wrong = dvt_table_difference(view, saved, batch_rows);
    cr_expect_null(wrong, "seed %" PRIu64 ", %s: %s\n%.*s", seed, text, wrong, (int)file.nbytes,
                   (const char *)file.data);
    cr_assert_eq(save(saved, text, 0, &again, &err), DV_OK, "seed %" PRIu64 ": %s", seed,
                 err.message);
    cr_expect(again.nbytes == file.nbytes && memcmp(again.data, file.data, file.nbytes) == 0,
              "seed %" PRIu64 ": other bytes\n%.*s", seed, (int)again.nbytes,
              (const char *)again.data);
    dv_buffer_release(&file);
    dv_buffer_release(&again);
    dv_view_release(&saved);
}

Test(text_save, random_tables_are_the_same_again)
{
    static const char *const options[] = {
        "", "sep=comma", "sep=space", "sep=semicolon", "sep=bar dense+", "dense+"};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        dvt_random_table *random = dvt_random_table_create(seed);
        dv_view *view = dvt_made_table_open(&random->table, NULL);
        check_round_trip(view, options[seed % COUNT(options)], (int64_t)(seed % 4), seed);
        dv_view_release(&view);
        dvt_random_table_free(random);
    }
}

/* ML.NET's tables, with losses allowed: opened again, they are saved as the same bytes. */
static void check_golden(const dvt_golden *golden)
{
    dv_view *view;
    dv_buffer file, again;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    const dv_status status = save(view, NULL, 0x7F, &file, &err);
    if (status == DV_OK) {
        dv_view *saved = open_saved(&file);
        cr_expect_eq(save(saved, NULL, 0, &again, &err), DV_OK, "%s: %s", golden->path,
                     err.message);
        cr_expect(again.nbytes == file.nbytes && memcmp(again.data, file.data, file.nbytes) == 0,
                  "%s", golden->path);
        dv_buffer_release(&again);
        dv_view_release(&saved);
    } else { /* a name of nothing but white space, no column */
        cr_expect(status == DV_ERR_LOSS && strstr(err.message, "(impossible)"), "%s: %s",
                  golden->path, err.message);
    }
    dv_buffer_release(&file);
    dv_view_release(&view);
}

Test(text_save, golden_files_are_the_same_bytes_again)
{
    cr_expect_gt(dvt_golden_each_in("idv", check_golden), 10);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

#define NA_END(end) ((int32_t)((uint32_t)(end) | UINT32_C(1) << 31))

/* The table is written as these bytes, and read back as the same table. */
static void expect_bytes(dvt_made_table *table, const char *text, const char *expected)
{
    dv_buffer file;
    dv_error err = DV_ERROR_INIT;
    table->block_rows = 2;
    table->bad_row = -1;
    dv_view *view = dvt_made_table_open(table, NULL);
    cr_assert_eq(save(view, text, 0, &file, &err), DV_OK, "%s", err.message);
    cr_expect(file.nbytes == strlen(expected) && memcmp(file.data, expected, file.nbytes) == 0,
              "%.*s", (int)file.nbytes, (const char *)file.data);
    if (!strstr(text, "mlnet") && !strstr(text, "schema-"))
        check_round_trip(view, text, 0, 0);
    dv_buffer_release(&file);
    dv_view_release(&view);
}

/* One column of texts: "|" divides them, "-" is NA. */
typedef struct texts {
    char utf8[256];
    int32_t ends[32];
} texts;

static dv_column_view texts_of(texts *t, const char *list)
{
    int64_t n = 0;
    int32_t end = 0;
    for (const char *p = list; *p; p += *p == '|') {
        const size_t k = strcspn(p, "|");
        const bool is_na = k == 1 && *p == '-';
        memcpy(t->utf8 + end, p, is_na ? 0 : k);
        end += is_na ? 0 : (int32_t)k;
        t->ends[n++] = is_na ? NA_END(end) : end;
        p += k;
    }
    return dvt_made_text(DV_KIND_TX, t->utf8, t->ends, n);
}

/* Only a first field that begins so is protected. */
Test(text_save, lines_that_would_be_passed_over_are_protected)
{
    texts a, b;
    dvt_made_table one = {.columns = 1, .rows = 6, .name = {"#a"}};
    one.column[0] = texts_of(&a, "#x|//|\xEF\xBB\xBFx|-|x#|/");
    expect_bytes(&one, "header- schema-", "\"#x\"\n\"//\"\n\"\xEF\xBB\xBFx\"\n1\t0:\nx#\n/\n");
    expect_bytes(&one, "sep=space schema- header-",
                 "\"#x\"\n\"//\"\n\"\xEF\xBB\xBFx\"\n1 0:\nx#\n/\n");
    expect_bytes(&one, "mlnet+ header- schema-", "#x\n//\n\xEF\xBB\xBFx\n\nx#\n/\n");
    expect_bytes(&one, "",
                 "#@ TextLoader{\n#@   header+\n#@   sep=tab\n#@   quote+\n#@   sparse+"
                 "            \n#@   col={name={#a} type=TX src=0}\n#@ }\n"
                 "\"#a\"\n\"#x\"\n\"//\"\n\"\xEF\xBB\xBFx\"\n1\t0:\nx#\n/\n");
    dvt_made_table two = {.columns = 2, .rows = 3};
    two.column[0] = texts_of(&a, "-|#|x");
    two.column[1] = texts_of(&b, "-|#|//");
    expect_bytes(&two, "schema- header- sep=,", ",\n\"#\",#\nx,//\n");
}

/* The option in the first lines is set once a row has shown it.  ML.NET 1.5 knows no such option,
 * so a file that does not need it must not name it. */
Test(text_save, texts_of_several_lines)
{
    texts a;
    dvt_made_table one = {.columns = 1, .rows = 3};
    one.column[0] = texts_of(&a, "x|a\nb|\n\n");
    expect_bytes(&one, "",
                 "#@ TextLoader{\n#@   header+\n#@   sep=tab\n#@   quote+\n#@   sparse+"
                 " multilines+\n#@   col=a:TX:0\n#@ }\na\nx\n\"a\nb\"\n\"\n\n\"\n");
    expect_bytes(&one, "schema- header-", "x\n\"a\nb\"\n\"\n\n\"\n");
}

/* Rows of a single vector of varying size: a row without slots is not an empty line. */
Test(text_save, vectors_without_slots)
{
    static const int32_t lengths[] = {0, 2, 6}, counts[] = {-1, -1, 0};
    static const float numbers[] = {1, 0};
    const dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), numbers, 2);
    dvt_made_table one = {.columns = 1, .rows = 3};
    dv_column_view *v = &one.column[0];
    *v = (dv_column_view){
        .type = dv_type_vector(items.type, 0), .layout = DV_LAYOUT_VECTOR, .rows = 3};
    v->as.vector.lengths = (dv_buffer){.data = lengths, .nbytes = sizeof lengths};
    v->as.vector.counts = (dv_buffer){.data = counts, .nbytes = sizeof counts};
    v->as.vector.items = &items;
    expect_bytes(&one, "",
                 "#@ TextLoader{\n#@   sep=tab\n#@   quote+\n#@   sparse+\n#@   col=a:R4:1-**\n"
                 "#@ }\n0\n0\t1\t0\n7\t0:0\n");
    expect_bytes(&one, "mlnet+",
                 "#@ TextLoader{\n#@   sep=tab\n#@   col=a:R4:0-**\n#@ }\n\n1\t0\n6\t0:0\n");
}

/* Each key type as its reader reads it, in ML.NET's notation if possible. */
Test(text_save, key_types)
{
    static const uint8_t values[] = {1, 0};
    dvt_made_table table = {.columns = 3, .rows = 2};
    table.column[0] = dvt_made_fixed(dv_type_key(DV_KIND_U1, 0, 5), values, 2);
    table.column[1] = dvt_made_fixed(dv_type_key(DV_KIND_U1, 10, 5), values, 2);
    table.column[2] = dvt_made_fixed(dv_type_key(DV_KIND_U1, 7, 0), values, 2);
    table.name[2] = "c d";
    expect_bytes(&table, "sep=comma",
                 "#@ TextLoader{\n#@   header+\n#@   sep=comma\n#@   quote+\n#@   sparse+\n"
                 "#@   col=a:U1[5]:0\n#@   col=b:U1[10-14]:1\n"
                 "#@   col={name={c d} type=U1 src=2 key=7-*}\n#@ }\na,b,c d\n0,10,7\n,,\n");
    table.column[1].type.key_count = 0;
    table.column[1].type.key_is_contiguous = false;
    expect_bytes(&table, "sep=comma header-",
                 "#@ TextLoader{\n#@   sep=comma\n#@   quote+\n#@   sparse+\n"
                 "#@   keysyntax=seed\n#@   col=a:U1[0-4]:0\n#@   col=b:U1[10]:1\n"
                 "#@   col={name={c d} type=U1[7-*] src=2}\n#@ }\n0,10,7\n,,\n");
}

/* A text longer than the write buffer, plain and quoted. */
Test(text_save, long_texts)
{
    enum { N = 300000 };
    char *utf8 = malloc(2 * N);
    const int32_t ends[] = {N, 2 * N};
    dvt_made_table one = {.columns = 1, .rows = 2, .block_rows = 2, .bad_row = -1};
    cr_assert_not_null(utf8);
    memset(utf8, 'x', N);
    memset(utf8 + N, '"', N);
    one.column[0] = dvt_made_text(DV_KIND_TX, utf8, ends, 2);
    dv_view *view = dvt_made_table_open(&one, NULL);
    check_round_trip(view, "", 0, 0);
    dv_view_release(&view);
    free(utf8);
}

/* --- Memory --- */

/* Any allocation may fail; nothing leaks. */
Test(text_save, each_allocation_may_fail)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        dvt_random_table *random = dvt_random_table_create(seed);
        dv_view *view = dvt_made_table_open(&random->table, NULL);
        dv_status status = DV_ERR_MEMORY;
        for (int64_t k = 1; status == DV_ERR_MEMORY; k++) {
            dvt_allocator counted;
            dv_buffer file;
            dv_save_options options = DV_SAVE_OPTIONS_INIT;
            dvt_allocator_init(&counted, k);
            options.allocator = &counted.allocator;
            options.format = "text";
            status = dv_save_memory(view, &file, &options, NULL);
            cr_assert(status == DV_OK ? counted.asked < k : status == DV_ERR_MEMORY);
            dv_buffer_release(&file);
            cr_assert_eq(counted.live, 0);
        }
        dv_view_release(&view);
        dvt_random_table_free(random);
    }
}

/* Memory does not depend on the number of rows. */
Test(text_save, memory_does_not_grow_with_rows)
{
    int64_t highest[2];
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.csv");
    for (int i = 0; i < 2; i++) {
        dvt_allocator counted;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        dvt_many_rows *many = dvt_many_rows_create(i == 0 ? 1000 : 50000, 500);
        dv_view *view = dvt_made_table_open(&many->table, NULL);
        dvt_allocator_init(&counted, 0);
        options.allocator = &counted.allocator;
        options.sync = false;
        options.allow_loss =
            DV_LOSS_TYPES; /* else the file is looked at again, in bounded memory */
        cr_expect_eq(dv_save(view, path.text, &options, NULL), DV_OK);
        highest[i] = counted.highest;
        dv_view_release(&view);
        dvt_many_rows_free(many);
    }
    cr_expect_eq(highest[0], highest[1]);
    dvt_folder_remove(&folder);
}
