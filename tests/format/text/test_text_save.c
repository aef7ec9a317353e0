/* SPDX-License-Identifier: MIT */
/* test_text_save.c: is a table that was saved as text and opened again the same one?  And what is
 * not written, is it told? */
#include "support/golden_files.h"
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
