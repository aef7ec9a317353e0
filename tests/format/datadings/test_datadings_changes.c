/* SPDX-License-Identifier: MIT */
/* test_datadings_changes.c: what samples would lose if their columns were written again is refused
 * by name, and entries that are kept or dropped undecoded lose nothing (datadings:12). */
#include "view/identity.h"
#include "support/datadings_saves.h"
#include "support/messages.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

static dv_view *open_text(const char *messages, const char *options)
{
    dvt_lines bytes = {0};
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.datadings = options;
    dvt_messages_add(&bytes, messages);
    dv_view *view = dvt_messages_open(&bytes, &how, &err);
    cr_assert_not_null(view, "%s: %s", messages, err.message);
    dvt_lines_free(&bytes);
    return view;
}

/* --- What changes ----------------------------------------------------------------------------- */

static bool add_loss(void *ctx, const dv_loss_report *report)
{
    dvt_lines_print(ctx, "%s: %s\n", dv_loss_name(report->loss), report->sentence);
    return true;
}

/* Check the losses of a view; without any, the save must give the messages again. */
static void expect_losses(dv_view *view, const char *messages, const char *losses)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_lines found = {0}, bytes = {0};
    options.allow_loss = DV_LOSS_TYPES;
    const dv_status status = dvt_datadings_save_check(view, &options, add_loss, &found, &err);
    cr_expect_eq(status, strstr(losses, "forms") ? DV_ERR_LOSS : DV_OK, "%s", messages);
    cr_expect_str_eq(found.data ? found.data : "", losses, "%s: %s", messages, found.data);
    dvt_messages_add(&bytes, messages);
    if (status == DV_OK) {
        dv_buffer saved;
        cr_assert_eq(dvt_datadings_save_memory(view, &saved, &options, &err), DV_OK, "%s",
                     err.message);
        cr_expect(saved.nbytes == bytes.nbytes && memcmp(saved.data, bytes.data, bytes.nbytes) == 0,
                  "%s: %s", messages, dvt_datadings_hex(view, &options));
        dv_buffer_release(&saved);
    }
    dvt_lines_free(&bytes);
    dvt_lines_free(&found);
}

typedef struct change {
    const char *messages, *losses;
} change;

#define ABSENT "samples without this key would get it, with nil or an empty value\n"
#define NESTED "values in a nested map would become entries of the sample\n"
#define ENTRIES                                                                                    \
    "forms: column \"key\": entries that have no column would go: keys that are no text, empty "   \
    "maps\n"
#define X "forms: column \"x\": "

Test(datadings_changes, of_columns_that_are_written_again)
{
    static const change table[] = {
        /* what a column says exactly */
        {"{key:\"a\",x:1} {key:\"b\",x:n}", ""},
        {"{key:\"a\",x:2.5} {key:\"b\",x:n}", ""},
        {"{key:\"a\",x:\"t\"} {key:\"b\",x:n}", ""},
        {"{key:\"a\",x:[\"t\",n]} {key:\"b\",x:[\"u\",\"v\"]}", ""},
        {"{key:\"a\",x:[#00]} {key:\"b\",x:[]}", ""},
        {"{key:\"a\",x:@<i2[2]#01000200} {key:\"b\",x:@<i2[2]#01000200}", ""},
        {"{key:\"a\",x:@<i2[1,2]#01000200} {key:\"b\",x:@<i2[1,2]#01000200}", ""},
        {"{key:\"a\",x:@<i2[1]#0100} {key:\"b\",x:@<i2[2]#01000200}", ""},
        /* values of msgpack are copied, and absent ones are absent again */
        {"{key:\"a\",x:[1,\"t\"]} {key:\"b\"} {key:\"c\",x:n}", ""},
        {"{key:\"a\",x:[{u:{}}]} {key:\"b\"} {key:\"c\",x:!C0}", ""},
        {"{key:\"a\",x:@<c8[1]#0000000000000000,y:n} {key:\"b\",y:n}", ""},
        /* what it does not */
        {"{key:\"a\",x:1} {key:\"b\"}", X ABSENT},
        {"{key:\"a\",x:#00} {key:\"b\",x:n}", X "nil would become an empty value\n"},
        {"{key:\"a\",x:18446744073709551615} {key:\"b\",x:n}",
         "types: column \"x\": its numbers are read back as I8 or U8\n" X
         "nil would become an empty value\n"},
        {"{key:\"a\",x:[\"t\"]} {key:\"b\",x:n}", X "nil would become an empty value\n"},
        {"{key:\"a\",x:[1]}", X "lists would become numpy arrays\n"},
        {"{key:\"a\",x:~1-2j~}", X "complex numbers would become arrays of two reals\n"},
        {"{key:\"a\",x:@<i8#0100000000000000}", X "scalars of numpy would become plain values\n"},
        {"{key:\"a\",x:@<i8[]#0100000000000000}", X "scalars of numpy would become plain values\n"},
        {"{key:\"a\",x:@>i2[1]#0100}",
         X "numpy arrays would get items of another type or byte order, or become lists\n"},
        {"{key:\"a\",x:@<f2[1]#0100}",
         X "numpy arrays would get items of another type or byte order, or become lists\n"},
        {"{key:\"a\",x:@|S1[1]#41}",
         X "numpy arrays would get items of another type or byte order, or become lists\n"},
        {"{key:\"a\",x:@<i2[1,1]#0100} {key:\"b\",x:@<i2[1]#0100}",
         X "numpy arrays would get one dimension\n"},
        {"{key:\"a\",x:1} {key:\"b\",x:2.5}", X "integers would become reals\n"},
        {"{key:\"a\",x:!CBFFF8000000000000}", X "NaN with the bits of NA would become nil\n"},
        {"{key:\"a\",x:!CAFFC00000}", X "NaN with the bits of NA would become nil\n"},
        {"{key:\"a\",x:!CB7FF8000000000000}", ""},
        {"{key:\"a\",m:{x:1}}", "forms: column \"m.x\": " NESTED},
        {"{key:\"a\",m:{x:[{}]}}", "forms: column \"m.x\": " NESTED},
        {"{key:\"a\",5:1}", ENTRIES},
        {"{key:\"a\",m:{}}", ENTRIES},
        {"{key:\"a\",\"\":1}", ENTRIES},
        {"{key:\"a\"} {key:\"b\",m:{}}", ENTRIES},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        dv_view *view = open_text(table[i].messages, NULL);
        expect_losses(view, table[i].messages, table[i].losses);
        dv_view_release(&view);
    }
}

/* The samples between the first ones and the last may hold anything. */
Test(datadings_changes, of_samples_that_were_not_read)
{
    static const char *const messages = "{key:\"a\",x:1} {key:\"b\",x:2} {key:\"c\",x:3}";
    static const char unread[] =
        "not all samples were read for its type: open with infer=all to know what changes\n";
    static const char *const some[] = {"infer=1", "col=key:TX col=x:I8"};
    for (int i = 0; i < 2; i++) {
        char losses[300];
        snprintf(losses, sizeof losses, "forms: column \"key\": %s" X "%s", unread, unread);
        dv_view *view = open_text(messages, some[i]);
        expect_losses(view, messages, losses);
        dv_view_release(&view);
    }
    dv_view *view = open_text(messages, "infer=all");
    expect_losses(view, messages, "");
    dv_view_release(&view);
}

/* Losses pass to views that are made of the set. */
Test(datadings_changes, of_derived_views)
{
    static const char *const messages = "{key:\"a\",x:1} {key:\"b\"}";
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_text(messages, NULL), *other = NULL, *both = NULL;
    const dv_conversion_spec to = {dv_text_of("x"), dv_text_of("x"), dv_type_of(DV_KIND_R8)};
    const dv_condition condition = {.column = dv_text_of("x"), .relations = DV_IS_VALUE};
    cr_assert_eq(dv_view_convert(&other, view, &to, 1, NULL, &err), DV_OK, "%s", err.message);
    expect_losses(other, messages, X ABSENT);
    dv_view_release(&other);
    cr_assert_eq(dv_view_filter(&other, view, &condition, 1, NULL, &err), DV_OK, "%s", err.message);
    expect_losses(other, messages, X ABSENT);
    dv_view_release(&other);
    other = open_text("{key:\"c\",x:5}", NULL);
    dv_view *views[] = {other, view};
    cr_assert_eq(dv_view_concat(&both, views, 2, NULL, &err), DV_OK, "%s", err.message);
    expect_losses(both, messages, X ABSENT);
    dv_view_release(&both);
    dv_view_release(&other);
    dv_view_release(&view);
}

/* --- Entries that are kept or dropped --------------------------------------------------------- */

static void expect_kept(const char *messages, const char *options, const char *kept)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    dvt_lines bytes = {0};
    dv_buffer saved;
    dv_view *view = open_text(messages, options);
    dvt_messages_add(&bytes, kept);
    cr_assert_eq(dvt_datadings_save_memory(view, &saved, &save, &err), DV_OK, "%s", err.message);
    cr_expect(saved.nbytes == bytes.nbytes && memcmp(saved.data, bytes.data, bytes.nbytes) == 0,
              "%s: %s", options, dvt_datadings_hex(view, &save));
    dv_buffer_release(&saved);
    dv_view_release(&view);
    dvt_lines_free(&bytes);
}

Test(datadings_changes, entries_that_are_kept_or_dropped)
{
    static const char *const messages = "{x:[1],key:\"a\",m:{u:{}},5:n} {key:\"b\",m:n,y:~1j~}";
    expect_kept(messages, "raw keep=m", "{key:\"a\",m:{u:{}}} {key:\"b\",m:n}");
    expect_kept(messages, "raw keep=y keep=x keep=key", "{x:[1],key:\"a\"} {key:\"b\",y:~1j~}");
    expect_kept(messages, "raw keep={no such}", "{key:\"a\"} {key:\"b\"}");
    expect_kept(messages, "raw drop=m", "{x:[1],key:\"a\",5:n} {key:\"b\",y:~1j~}");
    expect_kept(messages, "raw drop=x drop=y", "{key:\"a\",m:{u:{}},5:n} {key:\"b\",m:n}");
    expect_kept("{key:\"a\",a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1,j:1,k:1,l:1,m:1,n1:1,o:1,p:1}",
                "raw drop=p",
                "{key:\"a\",a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1,j:1,k:1,l:1,m:1,"
                "n1:1,o:1}");
}

/* The sound samples before a broken one are read, and the error names it. */
Test(datadings_changes, broken_messages_are_not_projected)
{
    static const struct {
        const char *broken, *rule;
        int64_t offset;
    } table[] = {{"!82A16BA161", "datadings:8.24", 18},
                 {"!81A16BC1", "datadings:8.26", 16},
                 {"!81A16B0101", "datadings:8.25", 17},
                 {"!819001", "datadings:8.41", 14},
                 {"5", "datadings:8.30", 13}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[200];
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dvt_lines rows = {0};
        dvt_path folder = dvt_folder_create();
        how.datadings = "raw drop=x";
        snprintf(text, sizeof text, "{key:\"a\",k:{x:1}};%s", table[i].broken);
        dvt_messages_save(&folder, text);
        dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
        cr_assert_not_null(view, "%s", err.message);
        cr_expect_eq(dvt_messages_rows(&rows, view, NULL, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, table[i].rule, "%s", err.message);
        cr_expect_eq(err.offset, table[i].offset, "%s", err.message);
        cr_expect_str_eq(rows.data, "[\"k0\",\"by:82a36b6579a161a16b81a17801\"]\n");
        dvt_lines_free(&rows);
        dv_view_release(&view);
        dvt_folder_remove(&folder);
    }
}

Test(datadings_changes, options_that_are_refused)
{
    static const char *const wrong[] = {"keep=x",   "raw keep=x drop=y", "raw drop=key",
                                        "raw keep", "raw keep=",         "raw drop+"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dvt_lines bytes = {0};
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.datadings = wrong[i];
        dvt_messages_add(&bytes, "{key:\"a\"}");
        cr_expect_null(dvt_messages_open(&bytes, &how, &err), "%s", wrong[i]);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%s", wrong[i]);
        dvt_lines_free(&bytes);
    }
}

/* Views with other entries are other views; copies are no bytes of the file. */
Test(datadings_changes, identity_and_copies)
{
    static const char *const options[] = {"raw", "raw keep=x", "raw drop=x", "raw drop=y", "raw"};
    static const int32_t message[] = {1};
    dv_error err = DV_ERROR_INIT;
    dv_u128 identity[5];
    dvt_path folder = dvt_folder_create();
    dvt_messages_save(&folder, "{key:\"a\",x:1,y:2}");
    for (int i = 0; i < 5; i++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        dvt_lines rows = {0};
        how.datadings = options[i];
        dv_view *view = dvt_messages_open_saved(&folder, &how, &err);
        cr_assert_not_null(view, "%s", err.message);
        cr_assert_eq(dvi_view_identity(view, true, &identity[i], &err), DV_OK, "%s", err.message);
        for (int k = 0; k < i; k++)
            cr_expect_eq(memcmp(&identity[i], &identity[k], sizeof *identity) == 0,
                         i == 4 && k == 0, "%d %d", i, k);
        cursor.columns = message;
        cursor.columns_count = 1;
        cursor.zero_copy_only = true;
        cr_expect_eq(dvt_messages_rows(&rows, view, &cursor, &err), i % 4 ? DV_ERR_COPY : DV_OK);
        dvt_lines_free(&rows);
        dv_view_release(&view);
    }
    dvt_folder_remove(&folder);
}
