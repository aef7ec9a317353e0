/* SPDX-License-Identifier: MIT */
/* test_datadings_save_refused.c: views that datadings cannot hold are refused, before a file is
 * made or with row and column; a failed save leaves no file (datadings:12). */
#include "support/allocator.h"
#include "support/datadings_saves.h"
#include "support/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Losses in the schema --------------------------------------------------------------------- */

/* Append "types x: its numbers ...;" for each loss. */
typedef struct loss_list {
    char text[2000];
} loss_list;

static bool add_loss(void *ctx, const dv_loss_report *report)
{
    loss_list *t = ctx;
    const size_t n = strlen(t->text);
    snprintf(t->text + n, sizeof t->text - n, "%s %s;",
             report->loss == DV_LOSS_NONE ? "impossible" : dv_loss_name(report->loss),
             report->sentence);
    return true;
}

/* Columns without a row. */
typedef struct schema {
    const char *name;
    dv_type type;
} schema;

static dvt_made_table table_of(const schema *columns, int32_t n)
{
    dvt_made_table table = {.columns = n, .block_rows = 1, .bad_row = -1};
    for (int32_t i = 0; i < n; i++) {
        table.column[i].type = columns[i].type;
        table.name[i] = columns[i].name;
    }
    return table;
}

static loss_list losses_of(dvt_made_table *table, const char *datadings)
{
    loss_list t = {""};
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.datadings = datadings;
    options.hidden = true;
    dv_view *view = dvt_made_table_open(table, NULL);
    const dv_status status = dvt_datadings_save_check(view, &options, add_loss, &t, &err);
    cr_expect_eq(status, *t.text ? DV_ERR_LOSS : DV_OK, "%s", err.message);
    dv_view_release(&view);
    return t;
}

static void expect_losses(const schema *columns, int32_t n, const char *datadings,
                          const char *expected)
{
    dvt_made_table table = table_of(columns, n);
    const loss_list t = losses_of(&table, datadings);
    cr_expect_str_eq(t.text, expected);
}
#define EXPECT_LOSSES(columns, datadings, expected)                                                \
    expect_losses(columns, (int32_t)(sizeof columns / sizeof *columns), datadings, expected)

static dv_type of(dv_kind kind)
{
    return dv_type_of(kind);
}

Test(datadings_save_refused, types_that_are_kept)
{
    static const int32_t dims[] = {2, 3};
    const schema some[] = {{"key", of(DV_KIND_TX)}, {"a", of(DV_KIND_I8)},
                           {"b", of(DV_KIND_R4)},   {"c", of(DV_KIND_R8)},
                           {"d", of(DV_KIND_BL)},   {"e", of(DV_KIND_TX)},
                           {"f", of(DV_KIND_BY)},   {"g", dv_type_tensor(of(DV_KIND_U1), dims, 2)}};
    EXPECT_LOSSES(some, NULL, "");
    const schema vectors[] = {{"key", of(DV_KIND_TX)},
                              {"a", dv_type_vector(of(DV_KIND_I4), 0)},
                              {"b", dv_type_vector(of(DV_KIND_TX), 3)},
                              {"c", dv_type_vector(of(DV_KIND_BL), 3)},
                              {"d", dv_type_vector(of(DV_KIND_BY), 0)}};
    EXPECT_LOSSES(vectors, NULL, "");
}

Test(datadings_save_refused, types_that_become_others)
{
    static const int32_t dims[] = {2, 0}, known[] = {2, 3};
    const schema some[] = {{"key", of(DV_KIND_TX)}, {"a", of(DV_KIND_I4)},
                           {"b", of(DV_KIND_U8)},   {"c", dv_type_key(DV_KIND_U1, 0, 5)},
                           {"d", of(DV_KIND_TS)},   {"e", of(DV_KIND_DT)},
                           {"f", of(DV_KIND_DZ)},   {"g", of(DV_KIND_UG)}};
    EXPECT_LOSSES(some, NULL,
                  "types column \"a\": its numbers are read back as I8 or U8;"
                  "types column \"b\": its numbers are read back as I8 or U8;"
                  "types column \"c\": its keys become numbers;"
                  "types column \"d\": it becomes ticks of 100 ns, as I8;"
                  "types column \"e\": it becomes ticks of 100 ns, as I8;"
                  "types column \"f\": it becomes ticks of 100 ns in UTC, as I8, without offsets;"
                  "columns column \"g\": its type cannot be written as msgpack;");
    const schema others[] = {{"key", of(DV_KIND_TX)},
                             {"a", dv_type_tensor(of(DV_KIND_R4), dims, 2)},
                             {"b", dv_type_tensor(of(DV_KIND_TX), known, 2)},
                             {"c", dv_type_vector(dv_type_key(DV_KIND_U1, 0, 5), 2)},
                             {"d", dv_type_extension("odd", 4)},
                             {"e", dv_type_vector(of(DV_KIND_R8), INT32_MAX)},
                             {"f", dv_type_vector(of(DV_KIND_TX), INT32_MAX)}};
    EXPECT_LOSSES(others, NULL,
                  "types column \"a\": its dimensions become one;"
                  "types column \"b\": its dimensions become one;"
                  "types column \"c\": its keys become numbers;"
                  "columns column \"d\": its type cannot be written as msgpack;"
                  "impossible column \"e\": its vectors have 17179869176 bytes, and at most "
                  "4294967295 can be written;");
}

/* numpy arrays have at most 64 dimensions. */
Test(datadings_save_refused, dimensions_beyond_those_of_numpy)
{
    static int32_t dims[65];
    for (int i = 0; i < 65; i++)
        dims[i] = 1;
    const schema most[] = {{"key", of(DV_KIND_TX)},
                           {"x", dv_type_tensor(of(DV_KIND_R4), dims, 64)}};
    EXPECT_LOSSES(most, NULL, "");
    const schema more[] = {{"key", of(DV_KIND_TX)},
                           {"x", dv_type_tensor(of(DV_KIND_R4), dims, 65)}};
    EXPECT_LOSSES(more, NULL, "types column \"x\": its dimensions become one;");
}

Test(datadings_save_refused, reserved_names)
{
    const schema reserved[] = {{"key", of(DV_KIND_TX)},     {"nd", of(DV_KIND_R4)},
                               {"complex", of(DV_KIND_R4)}, {"a", of(DV_KIND_R4)},
                               {"a", of(DV_KIND_R4)},       {"ND", of(DV_KIND_R4)}};
    EXPECT_LOSSES(
        reserved, NULL,
        "impossible column \"nd\": msgpack-numpy reserves this name;"
        "impossible column \"complex\": msgpack-numpy reserves this name;"
        "impossible column \"a\": another column has this name, and names of entries are unique;");
    const schema two[] = {{"key", of(DV_KIND_TX)}, {"other", of(DV_KIND_TX)}};
    EXPECT_LOSSES(two, "key=other",
                  "impossible column \"key\": the entry \"key\" is the key of the sample;");
    const schema hidden[] = {{"key", of(DV_KIND_TX)}, {"key", of(DV_KIND_TX)}};
    EXPECT_LOSSES(hidden, NULL,
                  "impossible column \"key\": the entry \"key\" is the key of the sample;");
}

Test(datadings_save_refused, samples_without_a_key)
{
    const schema bare[] = {{"x", of(DV_KIND_R4)}, {"ys", dv_type_vector(of(DV_KIND_TX), 2)}};
    EXPECT_LOSSES(bare, NULL,
                  "impossible no column \"key\" with keys: key=NAME names another column, "
                  "key=rownumber makes keys;");
    EXPECT_LOSSES(bare, "key=x",
                  "impossible column \"x\": keys must be texts: key=NAME names another column, "
                  "key=rownumber makes keys;");
    EXPECT_LOSSES(bare, "key=ys",
                  "impossible column \"ys\": keys must be texts: key=NAME names another column, "
                  "key=rownumber makes keys;");
    EXPECT_LOSSES(bare, "key=rownumber", "");
}

static void expect_metadata(const char *kind, dv_column_view value, const char *datadings,
                            const char *expected)
{
    const schema columns[] = {{"key", of(DV_KIND_TX)}, {"x", of(DV_KIND_TX)}};
    const schema bytes[] = {{"x", of(DV_KIND_BY)}, {"key", of(DV_KIND_TX)}};
    const bool is_mark = strncmp(kind, "Msgpack", 7) == 0;
    dvt_made_table table = table_of(is_mark ? bytes : columns, 2);
    table.metadata_kind = kind;
    table.metadata = value;
    const loss_list t = losses_of(&table, datadings);
    cr_expect_str_eq(t.text, expected);
}

Test(datadings_save_refused, metadata_that_is_not_dropped)
{
    static const int8_t no;
    const dv_column_view yes = dvt_true_mark();
    const dv_column_view false_mark = dvt_made_fixed(of(DV_KIND_BL), &no, 1);
    expect_metadata("Note", yes, NULL,
                    "metadata column \"key\": metadata Note: datadings hold no metadata;");
    expect_metadata("Note", yes, "drop_metadata=Not,Notes",
                    "metadata column \"key\": metadata Note: datadings hold no metadata;");
    expect_metadata("Note", yes, "drop_metadata=Other,Note", "");
    expect_metadata("MsgpackOpaque", yes, NULL, "");
    expect_metadata("MsgpackMessage", yes, NULL, "");
    /* the mark is false */
    expect_metadata("MsgpackMessage", false_mark, NULL,
                    "metadata column \"x\": metadata MsgpackMessage: datadings hold no metadata;");
    expect_metadata("MsgpackMessage", yes, "key=rownumber",
                    "metadata column \"x\": metadata MsgpackMessage: datadings hold no metadata;"
                    "impossible column \"key\": the entry \"key\" is the key of the sample;");
}

/* --- Options ---------------------------------------------------------------------------------- */

static void expect_argument(const char *datadings, const char *found)
{
    const schema columns[] = {{"key", of(DV_KIND_TX)}};
    dvt_made_table table = table_of(columns, 1);
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.datadings = datadings;
    dv_view *view = dvt_made_table_open(&table, NULL);
    cr_expect_eq(dvt_datadings_save_check(view, &options, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, found), "%s", err.message);
    dv_view_release(&view);
}

Test(datadings_save_refused, options_are_refused)
{
    expect_argument(
        "odd=1", "unknown option \"odd\": the options are key, drop_metadata and defaults_nbytes");
    expect_argument("defaults_nbytes=-1", "option defaults_nbytes: a number of bytes");
    expect_argument("defaults_nbytes=x", "option defaults_nbytes: a number of bytes");
    expect_argument("defaults_nbytes=1 defaults_nbytes=1", "option defaults_nbytes is given twice");
    expect_argument("key", "option key needs a name");
    expect_argument("key=", "option key needs a name");
    expect_argument("drop_metadata+", "option drop_metadata needs a name");
    expect_argument("key=a key=b", "option key is given twice");
    expect_argument("key=rownumber key=b", "option key is given twice");
    expect_argument("drop_metadata=a drop_metadata=b", "option drop_metadata is given twice");
    expect_argument("key={a", "stays open");
}

Test(datadings_save_refused, names_of_side_files)
{
    static const char *const names[] = {"x.offsets", "x.keys", "x.key_hashes",
                                        "x.filter",  "x.md5",  "x.index"};
    dvt_path folder = dvt_folder_create();
    const schema columns[] = {{"key", of(DV_KIND_TX)}};
    dvt_made_table table = table_of(columns, 1);
    dv_view *view = dvt_made_table_open(&table, NULL);
    const dv_save_options options = DV_SAVE_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        dv_error err = DV_ERROR_INIT;
        const dvt_path path = dvt_path_in(&folder, names[i]);
        cr_expect_eq(dvt_datadings_save(view, path.text, &options, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, strrchr(names[i], '.')), "%s", err.message);
        cr_expect(strstr(err.file, names[i]), "%s", err.message);
    }
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Losses in values ------------------------------------------------------------------------- */

/* Expect a save to fail like this, and to leave no file. */
static void expect_failure(dvt_made_table *table, const char *datadings, dv_status status,
                           const char *found)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.msgpack");
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.datadings = datadings;
    dv_view *view = dvt_made_table_open(table, NULL);
    cr_expect_eq(dvt_datadings_save(view, path.text, &options, &err), status, "%s", err.message);
    cr_expect(strstr(err.message, found), "%s", err.message);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

static void expect_keys_refused(const char *const *keys, int64_t n, const char *found)
{
    dvt_made_table table = {
        .columns = 1, .rows = n, .block_rows = 2, .bad_row = -1, .name = {"key"}};
    table.column[0] = dvt_texts_of(DV_KIND_TX, keys, n);
    expect_failure(&table, NULL, DV_ERR_LOSS, found);
    dvt_table_free_texts(&table);
}

Test(datadings_save_refused, missing_and_duplicate_keys)
{
    static const char *const na[] = {"a", "b", NULL}, *const empty[] = {"a", ""};
    static const char *const twice[] = {"a", "b", "c", "b"};
    expect_keys_refused(na, 3, "row 2, column \"key\": expected a key, found NA");
    expect_keys_refused(empty, 2, "row 1, column \"key\": expected a key, found an empty one");
    expect_keys_refused(twice, 4,
                        "row 3, column \"key\": expected a key of one row only, "
                        "found \"b\", as in row 1");
}

Test(datadings_save_refused, values_that_are_no_messages)
{
    static const char *const messages[] = {"81a36b6579a161", ""}, *const keys[] = {"a", "b"};
    static const char *const opaques[] = {"C1", "0000", "9201"};
    dvt_made_table table = {.columns = 2,
                            .rows = 2,
                            .block_rows = 9,
                            .bad_row = -1,
                            .name = {"x", "key"},
                            .metadata_kind = "MsgpackMessage",
                            .metadata = dvt_true_mark()};
    table.column[0] = dvt_hexes_of(messages, 2);
    table.column[1] = dvt_texts_of(DV_KIND_TX, keys, 2);
    expect_failure(&table, NULL, DV_ERR_ARGUMENT,
                   "row 1, column \"x\": expected a message, found nothing");
    dvt_table_free_texts(&table);

    table.metadata_kind = "MsgpackOpaque";
    table.columns = 1;
    table.rows = 1;
    for (int i = 0; i < 3; i++) {
        table.column[0] = dvt_hexes_of(&opaques[i], 1);
        expect_failure(&table, "key=rownumber", DV_ERR_ARGUMENT,
                       "row 0, column \"x\": expected one value of msgpack, found other bytes");
        dvt_table_free_texts(&table);
    }
}

Test(datadings_save_refused, na_of_bools_in_vectors)
{
    static const int8_t bools[] = {1, 0, 1, DV_BL_NA};
    static const int32_t counts[] = {-1, -1};
    dv_column_view items = dvt_made_fixed(of(DV_KIND_BL), bools, 4);
    dvt_made_table table = {.columns = 1, .rows = 2, .block_rows = 9, .bad_row = -1, .name = {"x"}};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(items.type, 2), .layout = DV_LAYOUT_VECTOR, .rows = 2};
    table.column[0].as.vector = (dv_vector_layout){
        .length = 2, .counts = {counts, sizeof counts, NULL, true, true}, .items = &items};
    expect_failure(&table, "key=rownumber", DV_ERR_LOSS,
                   "row 1, column \"x\": expected items that are true or false, or na allowed");
}

/* A user's view that breaks batch.h. */
Test(datadings_save_refused, texts_that_are_not_utf8)
{
    static const char *const bad[] = {"a", "\xFF"}, *const cut[] = {"\xC3", "\xBC"};
    dvt_made_table table = {
        .columns = 1, .rows = 2, .block_rows = 9, .bad_row = -1, .name = {"key"}};
    table.column[0] = dvt_texts_of(DV_KIND_TX, bad, 2);
    expect_failure(&table, NULL, DV_ERR_ARGUMENT, "row 0, column \"key\": expected texts of valid");
    dvt_table_free_texts(&table);
    table.column[0] = dvt_texts_of(DV_KIND_TX, cut, 2);
    expect_failure(&table, NULL, DV_ERR_ARGUMENT, "texts of valid UTF-8");
    dvt_table_free_texts(&table);
    static const int32_t falling[] = {2, 1, 2};
    table.column[0] = dvt_made_text(DV_KIND_TX, "ab", falling, 3);
    table.rows = 3;
    expect_failure(&table, NULL, DV_ERR_ARGUMENT, "texts end to end");
}

Test(datadings_save_refused, indices_that_do_not_increase)
{
    static const float numbers[] = {1, 2};
    static const int32_t counts[] = {2}, indices[] = {1, 1};
    dv_column_view items = dvt_made_fixed(of(DV_KIND_R4), numbers, 2);
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 9, .bad_row = -1, .name = {"x"}};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(items.type, 3), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    table.column[0].as.vector =
        (dv_vector_layout){.length = 3,
                           .counts = {counts, sizeof counts, NULL, true, true},
                           .indices = {indices, sizeof indices, NULL, true, true},
                           .items = &items};
    expect_failure(&table, "key=rownumber", DV_ERR_ARGUMENT, "indices that rise below the length");
}

/* One row with too many zeros. */
Test(datadings_save_refused, a_vector_of_four_gigabytes)
{
    static const int32_t lengths[] = {INT32_MAX}, counts[] = {0};
    dv_column_view items = dvt_made_fixed(of(DV_KIND_R8), NULL, 0);
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 9, .bad_row = -1, .name = {"x"}};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(items.type, 0), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    table.column[0].as.vector =
        (dv_vector_layout){.lengths = {lengths, sizeof lengths, NULL, true, true},
                           .counts = {counts, sizeof counts, NULL, true, true},
                           .items = &items};
    expect_failure(&table, "key=rownumber", DV_ERR_LOSS,
                   "row 0, column \"x\": expected a vector of at most 4294967295 bytes");
}

/* --- Memory and progress ---------------------------------------------------------------------- */

static bool stop_at_two(void *ctx, int64_t done, int64_t rows)
{
    (void)ctx;
    (void)rows;
    return done < 2;
}

/* A table with a column of every encoding, or a raw one. */
static dvt_made_table every_shape(dv_column_view *items, bool is_raw)
{
    static const char *const keys[] = {"a", "b", "c"}, *const bytes[] = {"80", "01", "90"};
    static const char *const messages[] = {"81a36b6579a161", "81a36b6579a162", "81a36b6579a163"};
    static const float numbers[] = {1, 2, 3};
    static const int32_t counts[] = {-1, 0, 1}, indices[] = {0};
    dvt_made_table table = {.columns = is_raw ? 2 : 3,
                            .rows = 3,
                            .block_rows = 2,
                            .bad_row = -1,
                            .name = {"x", "key", "v"},
                            .metadata_kind = is_raw ? "MsgpackMessage" : "MsgpackOpaque",
                            .metadata = dvt_true_mark()};
    *items = dvt_made_fixed(of(DV_KIND_R4), numbers, 3);
    table.column[0] = dvt_hexes_of(is_raw ? messages : bytes, 3);
    table.column[1] = dvt_texts_of(DV_KIND_TX, keys, 3);
    table.column[2] = (dv_column_view){
        .type = dv_type_vector(items->type, 2), .layout = DV_LAYOUT_VECTOR, .rows = 3};
    table.column[2].as.vector =
        (dv_vector_layout){.length = 2,
                           .counts = {counts, sizeof counts, NULL, true, true},
                           .indices = {indices, sizeof indices, NULL, true, true},
                           .items = items};
    return table;
}

Test(datadings_save_refused, stops_when_asked)
{
    dv_column_view items;
    dvt_made_table table = every_shape(&items, false);
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.msgpack");
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.progress.report = stop_at_two;
    dv_view *view = dvt_made_table_open(&table, NULL);
    cr_expect_eq(dvt_datadings_save(view, path.text, &options, NULL), DV_ERR_STOPPED);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&view);
    dvt_table_free_texts(&table);
    dvt_folder_remove(&folder);
}

static void fail_each_allocation(bool is_raw, int32_t threads)
{
    dv_column_view items;
    dvt_made_table table = every_shape(&items, is_raw);
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "x.msgpack");
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_status status = DV_ERR_MEMORY;
    int64_t k = 1;
    for (; status == DV_ERR_MEMORY && k < 500; k++) {
        dvt_allocator counted;
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        dvt_allocator_init(&counted, k);
        options.allocator = &counted.allocator;
        options.threads = threads;
        options.sync = false;
        options.datadings = "drop_metadata={A B}";
        status = dvt_datadings_save(view, path.text, &options, &err);
        cr_expect_eq(counted.live, 0);
        cr_expect_eq(dvt_folder_entries(&folder), status == DV_OK ? 6 : 0);
        cr_expect(status == DV_OK || status == DV_ERR_MEMORY, "%s", err.message);
    }
    cr_expect_eq(status, DV_OK);
    cr_expect_gt(k, 20);
    dv_view_release(&view);
    dvt_table_free_texts(&table);
    dvt_folder_remove(&folder);
}

Test(datadings_save_refused, memory_may_run_out)
{
    fail_each_allocation(false, 1);
    fail_each_allocation(false, 2);
    fail_each_allocation(true, 1);
}

Test(datadings_save_refused, a_file_in_memory_has_a_limit)
{
    dv_column_view items;
    dvt_made_table table = every_shape(&items, false);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_buffer buffer;
    dv_view *view = dvt_made_table_open(&table, NULL);
    cr_assert_eq(dvt_datadings_save_memory(view, &buffer, &options, &err), DV_OK, "%s",
                 err.message);
    options.memory_nbytes = (int64_t)buffer.nbytes - 1;
    dv_buffer_release(&buffer);
    cr_expect_eq(dvt_datadings_save_memory(view, &buffer, &options, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "memory_nbytes");
    dv_view_release(&view);
    dvt_table_free_texts(&table);
}

/* A file of 355 bytes became messages of 2 GiB: slots without an item take none of its bytes. */
Test(datadings_save_refused, defaults_have_a_limit)
{
    static const int32_t counts[] = {0, 1}, indices[] = {7};
    static const float values[] = {1};
    static const struct {
        const char *options;
        bool is_refused;
    } cases[] = {{"key=rownumber defaults_nbytes=19999996", false}, /* 2500000 + 2499999 items */
                 {"key=rownumber defaults_nbytes=19999995", true},
                 {"key=rownumber", false}};
    dv_column_view items = dvt_made_fixed(of(DV_KIND_R4), values, 1);
    dvt_made_table table = {.columns = 1, .rows = 2, .block_rows = 5, .bad_row = -1};
    table.column[0] = (dv_column_view){
        .type = dv_type_vector(of(DV_KIND_R4), 2500000), .layout = DV_LAYOUT_VECTOR, .rows = 2};
    table.column[0].as.vector.length = 2500000;
    table.column[0].as.vector.counts = (dv_buffer){.data = counts, .nbytes = sizeof counts};
    table.column[0].as.vector.indices = (dv_buffer){.data = indices, .nbytes = sizeof indices};
    table.column[0].as.vector.items = &items;
    dv_view *view = dvt_made_table_open(&table, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_error err = DV_ERROR_INIT;
        dv_buffer buffer;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.format = "datadings";
        options.datadings = cases[i].options;
        const dv_status status = dv_save_memory(view, &buffer, &options, &err);
        cr_expect_eq(status, cases[i].is_refused ? DV_ERR_LIMIT : DV_OK, "%s", err.message);
        if (cases[i].is_refused)
            cr_expect(strstr(err.message, "row 1") && strstr(err.message, "defaults_nbytes=N"),
                      "%s", err.message);
        dv_buffer_release(&buffer);
    }
    dv_view_release(&view);
}
