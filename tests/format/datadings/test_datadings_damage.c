/* SPDX-License-Identifier: MIT */
/* test_datadings_damage.c: damaged samples are not copied without a word.
 *
 * A set of whose messages one byte was changed was copied from set to set, and the copy got digests
 * of its own, so that `verify` found no defect any more. */
#include "support/messages.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Five samples: the bytes of two are broken, the key of one differs, one is not a map. */
#define DAMAGED "{key:\"k0\",a:1};{key:\"k1\",a:!C1};{key:\"zz\"};[1];{key:\"k4\",a:!C1}"

typedef struct reports {
    int n, stop_at;
    int64_t row[8];
    char text[8][512];
} reports;

static bool add_report(void *ctx, const dv_loss_report *report)
{
    reports *t = ctx;
    cr_assert_lt(t->n, 8);
    cr_expect_eq(report->loss, DV_LOSS_DAMAGED);
    cr_expect(report->is_allowed && report->column == -1 && report->metadata.nbytes == 0);
    t->row[t->n] = report->row;
    snprintf(t->text[t->n++], sizeof t->text[0], "%s", report->sentence);
    return t->n != t->stop_at;
}

static void expect_report(const reports *t, int i, int64_t row, const char *text)
{
    cr_assert_lt(i, t->n);
    cr_expect_eq(t->row[i], row);
    cr_expect_str_eq(t->text[i], text);
}

static dv_view *open_raw(const char *path)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.datadings = "raw";
    cr_assert_eq(dv_open(&view, path, &options, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_save_options options_of(uint32_t losses, reports *t)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "datadings";
    options.sync = false;
    options.allow_loss = losses;
    options.report = add_report;
    options.report_ctx = t;
    return options;
}

static void expect_same_bytes(const char *a, const char *b)
{
    size_t n, m;
    uint8_t *first = dvt_file_read(a, &n), *second = dvt_file_read(b, &m);
    cr_expect(n == m && memcmp(first, second, n) == 0);
    free(first);
    free(second);
}

/* --- Samples ---------------------------------------------------------------------------------- */

Test(datadings_damage, the_first_damaged_sample_is_named)
{
    dvt_path folder = dvt_folder_create(), to = dvt_folder_create();
    dv_error err = DV_ERROR_INIT;
    reports t = {0};
    dvt_messages_save(&folder, DAMAGED);
    const dvt_path path = dvt_path_in(&folder, "set.msgpack"), out = dvt_path_in(&to, "out");
    dv_view *view = open_raw(path.text);
    dv_save_options options = options_of(~(uint32_t)DV_LOSS_DAMAGED & 0xFF, &t);
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message,
                     "/out: row 1, key \"k1\": damaged at byte 10 (datadings:8.26): expected a "
                     "sound message, or loss damaged allowed, found c1 (allow_loss)"),
              "%s", err.message);
    cr_expect_str_eq(err.rule, "allow_loss");
    cr_expect_eq(dvt_folder_entries(&to), 0);

    dv_buffer bytes;
    cr_expect_eq(dv_save_memory(view, &bytes, &options, &err), DV_ERR_LOSS);
    cr_expect_eq(t.n, 0);
    options.take = 1; /* the sound one */
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    options.first_row = 2; /* and one whose own key differs */
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
    dvt_folder_remove(&to);
}

Test(datadings_damage, allowed_damage_is_copied_and_reported)
{
    dvt_path folder = dvt_folder_create(), to = dvt_folder_create();
    dv_error err = DV_ERROR_INIT;
    reports t = {0};
    dvt_messages_save(&folder, DAMAGED);
    const dvt_path path = dvt_path_in(&folder, "set.msgpack"), out = dvt_path_in(&to, "out");
    dv_view *view = open_raw(path.text);
    dv_save_options options = options_of(DV_LOSS_DAMAGED, &t);
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    expect_same_bytes(path.text, out.text);
    cr_expect_eq(t.n, 2); /* any value is a sample, and has the listed key, whatever it says */
    expect_report(&t, 0, 1,
                  "row 1, key \"k1\": offset 10: msgpack: expected a type byte of the "
                  "specification, found c1 (datadings:8.26)");
    expect_report(&t, 1, 4,
                  "row 4, key \"k4\": offset 10: msgpack: expected a type byte of the "
                  "specification, found c1 (datadings:8.26)");

    t.n = 0;
    options.skip = 4; /* rows are counted in the file that is written */
    options.take = 1;
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(t.n, 1);
    cr_expect_eq(t.row[0], 0);
    options.report = NULL;
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
    dvt_folder_remove(&to);
}

Test(datadings_damage, a_report_can_stop_the_save)
{
    dvt_path folder = dvt_folder_create(), to = dvt_folder_create();
    dv_error err = DV_ERROR_INIT;
    reports t = {.stop_at = 2};
    dvt_messages_save(&folder, DAMAGED);
    const dvt_path path = dvt_path_in(&folder, "set.msgpack"), out = dvt_path_in(&to, "out");
    dv_view *view = open_raw(path.text);
    const dv_save_options options = options_of(DV_LOSS_DAMAGED, &t);
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_ERR_STOPPED);
    cr_expect_eq(t.n, 2);
    cr_expect_eq(dvt_folder_entries(&to), 0);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
    dvt_folder_remove(&to);
}

/* --- Digests ---------------------------------------------------------------------------------- */

/* The label of sample "a" becomes 1: sound msgpack, which only the MD5 shows to be wrong. */
static dvt_samples changed_set(void)
{
    dvt_samples set = dvt_samples_tiny();
    uint8_t *label = memmem(set.data.data, set.data.n, "label", 5);
    cr_assert_not_null(label);
    cr_assert_eq(label[5], 0);
    label[5] = 1;
    dvt_samples_write(&set);
    return set;
}

Test(datadings_damage, a_copy_of_a_whole_set_has_the_listed_digest)
{
    dvt_samples set = changed_set();
    dvt_path to = dvt_folder_create();
    const dvt_path out = dvt_path_in(&to, "out");
    dv_error err = DV_ERROR_INIT;
    reports t = {0};
    dv_view *view = open_raw(set.path.text);
    dv_save_options options = options_of(0, &t);
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message,
                     "/out: damaged samples: expected the MD5 in .md5, or loss damaged "
                     "allowed, found "),
              "%s", err.message);
    cr_expect_eq(dvt_folder_entries(&to), 0);

    options.allow_loss = DV_LOSS_DAMAGED;
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(t.n, 1);
    cr_expect_eq(t.row[0], -1);
    cr_expect(strstr(t.text[0],
                     "some of the samples: expected MD5 "
                     "18e40a37666336555c24832ebfb45b13 of all, as .md5 lists it, found "),
              "%s", t.text[0]);
    expect_same_bytes(set.path.text, out.text);
    dv_view_release(&view);
    dvt_folder_remove(&to);
    dvt_samples_free(&set);
}

/* A part has another digest in any case; a sound set, or one without digests, is just copied. */
Test(datadings_damage, other_copies_have_digests_of_their_own)
{
    dvt_samples set = changed_set();
    dvt_path to = dvt_folder_create();
    const dvt_path out = dvt_path_in(&to, "out");
    dv_error err = DV_ERROR_INIT;
    reports t = {0};
    dv_view *view = open_raw(set.path.text);
    dv_save_options options = options_of(0, &t);
    options.take = 2;
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    dvt_bytes_set(&set.side[DVI_DATADINGS_MD5], NULL, 0);
    dvt_samples_write(&set);
    options.take = -1;
    view = open_raw(set.path.text);
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    dvt_samples_free(&set);

    set = dvt_samples_tiny();
    dvt_samples_write(&set);
    view = open_raw(set.path.text);
    cr_expect_eq(dv_save(view, out.text, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(t.n, 0);
    dv_view_release(&view);
    dvt_folder_remove(&to);
    dvt_samples_free(&set);
}
