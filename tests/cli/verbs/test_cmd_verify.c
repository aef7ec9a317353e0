/* SPDX-License-Identifier: MIT */
/* test_cmd_verify.c: `dataview verify` lists every defect, and reports sound files as sound. */
#include "cli/run.h"
#include "support/file.h"

/* A copy of the file with some bytes inverted. */
static dvt_path damage(const dvt_path *folder, const char *file, const size_t *at, size_t n)
{
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(file, &nbytes);
    const dvt_path path = dvt_path_in(folder, "damaged.idv");
    for (size_t i = 0; i < n; i++)
        bytes[at[i] < nbytes ? at[i] : 0] ^= 0xFF;
    dvt_file_write(&path, bytes, nbytes);
    free(bytes);
    return path;
}

Test(cmd_verify, sound)
{
    dvt_expect(DVT_RUN("verify", DVT_GOLDEN("people")), 0,
               "*people.idv: sound: 600 rows, 5 columns, 11.3 KiB\n", "");
    dvt_expect(DVT_RUN("verify", "--quiet", "--io=pread", DVT_GOLDEN("people")), 0, "", "");
    dvt_expect(DVT_RUN("verify", DVT_GOLDEN("rows-1")), 0, "*: sound: 1 row, ", "");
    dvt_expect(DVT_RUN("verify", DVT_CRAFTED("no-columns")), 0, "*: sound: 5 rows, 0 columns, ",
               "");
}

Test(cmd_verify, a_defect)
{
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    dvt_expect(DVT_RUN("verify", file), 1,
               "*L4@280.idv: offset 280: ", "*not sound: the first defect is at offset 280");
    dvt_expect(DVT_RUN("verify", file), 1, "*L4@280.idv: 1 defect, ", NULL);
    dvt_run quiet = DVT_RUN("verify", "--quiet", file);
    cr_expect_not(strstr(dvt_text_of(&quiet.out), "1 defect"));
    dvt_expect(quiet, 1, "*offset 280: ", "*at offset 280");
}

Test(cmd_verify, on_a_terminal)
{
    const dvt_setting terminal = {DVT_STDOUT_TERMINAL, 80, true, NULL};
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    dvt_expect(DVT_RUN_WITH(&terminal, "verify", file), 1, "*offset 280:", "");
}

/* Two damaged compressed blocks are both reported. */
Test(cmd_verify, every_defect)
{
    static const size_t at[] = {256, 256 + 723};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = damage(&folder, DVT_GOLDEN("people"), at, 2);
    dvt_run run = DVT_RUN("verify", path.text);
    const char *said = dvt_text_of(&run.out), *first = strstr(said, ": offset ");
    cr_expect(first && strstr(first + 1, ": offset "), "%s", said);
    dvt_expect(run, 1, "*damaged.idv: 2 defects, 11.3 KiB checked\n",
               "*the first defect is at offset 256");
    dvt_folder_remove(&folder);
}

Test(cmd_verify, a_warning_is_no_defect)
{
    const char *file = DVT_CRAFTED("key-above-count");
    dvt_expect(DVT_RUN("verify", file), 0, "*warning: ", "");
    dvt_expect(DVT_RUN("verify", file), 0, "*: sound: 3 rows, 1 column, 1 warning, 334 B\n", "");
}

/* A kind that comes after the samples that are read at open: verify reads all for the columns, cat
 * stops with the option that does so. */
Test(cmd_verify, a_kind_that_comes_late)
{
    enum { ROWS = 1500 };
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "s.msgpack");
    dvt_lines bytes = {0};
    for (int i = 0; i < ROWS; i++) {
        char message[32];
        const int n = snprintf(message, sizeof message, "\x82\xa3key\xa4%04d\xa1x%c", i,
                               i == 1200 ? '\xc3' : '\x07');
        dvt_lines_add(&bytes, message, (size_t)n);
    }
    dvt_file_write(&path, bytes.data, bytes.nbytes);
    dvt_expect(DVT_RUN("verify", "--datadings", "scan", path.text), 0,
               "*: sound: 1500 rows, 2 columns, ", "");
    dvt_expect(DVT_RUN("verify", "--datadings", "scan infer=1000", path.text), 1,
               "*sample 1200: x: expected I8 (or option infer=all, or mismatch=na), found bool",
               NULL);
    dvt_expect(DVT_RUN("cat", "--datadings", "scan", path.text), 1, "*\n1199\t7\n",
               "*sample 1200: x: expected I8 (or option infer=all, or mismatch=na), found bool");
    dvt_expect(DVT_RUN("cat", "--datadings", "scan infer=all", path.text), 0, "*\n1200\tc3\n", "");
    dvt_lines_free(&bytes);
    dvt_folder_remove(&folder);
}

Test(cmd_verify, what_does_not_open)
{
    dvt_expect(DVT_RUN("verify", DVT_MALFORMED("columns_negative.CORRUPT.H8@48")), 1, "",
               "*dataview: ");
    dvt_expect(DVT_RUN("verify", DVT_MALFORMED("compatible_1117.UNSUPPORTED.H6@16")), 1, "",
               "*offset 16: ");
    dvt_expect(DVT_RUN("verify", "/usr/bin/env"), 1, "", "*expected a known format");
    dvt_expect(DVT_RUN("verify", "no-such-file.idv"), 3, "", "*No such file");
}

Test(cmd_verify, limits)
{
    dvt_expect(DVT_RUN("verify", DVT_MALFORMED("metadata_bomb.LIMIT.metadata_nbytes@276")), 1,
               "*option metadata_nbytes", "*at offset 276");
}
