/* SPDX-License-Identifier: MIT */
/* test_datadings_facts.c: dv_inspect lists the files of a set and warns about their defects. */
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/open.h>
#include <string.h>

/* A change to the worked example, and the expected facts; warning NULL: none. */
typedef struct story {
    const char *there, *text; /* the files (o k h f m i), the option string */
    bool lenient;
    int file;
    size_t at;
    const char *bytes, *version, *warning;
    int files, warnings;
} story;

static void check(const story *s)
{
    static const char letters[] = "okhfmi";
    dvt_samples made = dvt_samples_tiny();
    dv_view *view;
    dv_facts *facts;
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.datadings = s->text;
    options.lenient = s->lenient;
    for (int file = 0; file < DVI_DATADINGS_FILES; file++)
        if (!strchr(s->there, letters[file]))
            dvt_bytes_set(&made.side[file], NULL, 0);
    if (s->lenient)
        dvt_bytes_append(&made.data, s->bytes, 2);
    else if (s->bytes)
        dvt_bytes_patch(&made.side[s->file], s->at, s->bytes, 1);
    dvt_samples_write(&made);
    cr_assert_eq(dv_open(&view, made.path.text, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(facts->version, s->version);
    cr_expect_eq(facts->files, s->files, "%s", s->there);
    cr_expect_eq(facts->warnings, s->warnings, "%s", s->there);
    bool is_found = !s->warning;
    for (int32_t i = 0; i < facts->warnings; i++)
        is_found = is_found || strstr(facts->warning[i], s->warning);
    cr_expect(is_found, "%s: %s", s->there, s->warning);
    if (strchr(s->there, 'k') && facts->files > 1) {
        cr_expect_str_eq(facts->file[1].name, ".keys");
        cr_expect_eq(facts->file[1].nbytes, 10);
    }
    dv_facts_free(&facts);
    dv_view_release(&view);
    dvt_samples_free(&made);
}

Test(datadings_facts, of_each_set)
{
    static const story stories[] = {
        {"okhfm", "", false, 0, 0, NULL, "3.1", NULL, 5, 0},
        {"okhfmi", "", false, 0, 0, NULL, "3.1", NULL, 6, 0},
        {"okfm", "", false, 0, 0, NULL, "3.1", "no .key_hashes: ", 4, 1},
        {"okhm", "", false, 0, 0, NULL, "3.1", "no .filter: ", 4, 1},
        {"okhf", "", false, 0, 0, NULL, "3.1", "no .md5: ", 4, 1},
        {"i", "", false, 0, 0, NULL, "3.0 (legacy index)", "no .md5: ", 1, 3},
        {"okhfm", "scan", false, 0, 0, NULL, "(messages only)", NULL, 0, 0},
        {"okhfm", "", false, DVI_DATADINGS_HASHES, 9, "x", "3.1", "datadings:8.10", 5, 1},
        {"okhfm", "", false, DVI_DATADINGS_FILTER, 0, "x", "3.1", "datadings:8.17", 5, 1},
        {"okhfm", "", true, 0, 0, "\xc0\xc0", "3.1", "2 bytes after the last sample", 5, 1},
    };
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        check(&stories[i]);
}
