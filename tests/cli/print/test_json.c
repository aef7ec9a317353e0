/* SPDX-License-Identifier: MIT */
/* test_json.c: --json prints one document or none, and fails as the verb does without it.
 * json_documents.py compares the documents with docs/cli.schema.json. */
#include "cli/run.h"
#include "support/file.h"

static const char *const verbs[] = {"info", "schema", "verify", "head", "tail"};
#define VERBS (sizeof verbs / sizeof *verbs)

/* A copy of the file in the folder, under another name. */
static dvt_path copy(const dvt_path *folder, const char *file, const char *name)
{
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(file, &nbytes);
    const dvt_path path = dvt_path_in(folder, name);
    dvt_file_write(&path, bytes, nbytes);
    free(bytes);
    return path;
}

/* The whole document of a small file. */
static void expect_document(const char *const *words, const char *file, const char *rest)
{
    char want[2048];
    snprintf(want, sizeof want, "{\"verb\":\"%s\",\"files\":[\"%s\"],%s\n", words[0], file, rest);
    const char *all[] = {words[0], "--json", file, words[1], NULL};
    dvt_expect(dvt_run_with(&(dvt_setting){0}, all), 0, want, "");
}

Test(json, documents)
{
    const char *file = DVT_CRAFTED("key-above-count");
    expect_document(
        (const char *[]){"info", NULL}, file,
        "\"format\":\"idv\",\"version\":\"1.1.1.6\",\"file_nbytes\":334,\"io\":\"mmap\",\"network_"
        "file_system\":null,\"rows\":3,"
        "\"rows_per_block\":3,\"blocks_per_column\":1,\"item_count\":null,"
        "\"inferred_rows\":0,\"side_files\":[],\"columns\":[\n"
        "{\"index\":0,\"name\":\"k\",\"type\":\"U4[0-4]\",\"is_hidden\":false,"
        "\"compression\":\"none\",\"blocks\":1,\"stored_nbytes\":12,"
        "\"inflated_nbytes\":12,\"in_place_blocks\":1,\"aligned_blocks\":1}],"
        "\"dead_columns\":0,\"dead_metadata\":0,\"warnings\":[],\"proposed_text\":null}");
    expect_document((const char *[]){"schema", NULL}, file,
                    "\"rows\":3,\"columns\":[\n{\"index\":0,\"name\":\"k\",\"type\":\"U4[0-4]\","
                    "\"is_hidden\":false,\"metadata\":{}}]}");
    expect_document((const char *[]){"schema", "--metadata"}, DVT_CRAFTED("version-1113-slotnames"),
                    "\"rows\":2,\"columns\":[\n{\"index\":0,\"name\":\"f\",\"type\":\"V<R4,3>\","
                    "\"is_hidden\":false,\"metadata\":{\"SlotNames\":{\"type\":\"V<TX,3>\","
                    "\"value\":{\"len\":3,\"dense\":[\"zero\",\"\",\"deux \xC3\xA9\"]}}}},\n"
                    "{\"index\":1,\"name\":\"y\",\"type\":\"R4\",\"is_hidden\":false,"
                    "\"metadata\":{}}]}");
}

Test(json, an_empty_table)
{
    const char *file = DVT_CRAFTED("no-columns");
    dvt_expect(DVT_RUN("info", "--json", file), 0, "*\"rows\":5,", "");
    dvt_expect(DVT_RUN("info", "--json", file), 0, "*\"columns\":[],\"dead_columns\":0,", "");
    dvt_expect(DVT_RUN("schema", "--json", file), 0, "*\"rows\":5,\"columns\":[]}\n", "");
    dvt_expect(DVT_RUN("verify", "--json", file), 0, "*\"findings\":[],\"file_nbytes\":", "");
    dvt_expect(DVT_RUN("bench", "--json", file), 0, "*\"rows\":5,\"column_count\":0,", "");
}

/* Hidden columns are included and marked. */
Test(json, hidden_columns)
{
    const char *file = DVT_GOLDEN("names-duplicate-kept");
    dvt_expect(DVT_RUN("info", "--json", file), 0, "*\"is_hidden\":true", "");
    dvt_expect(DVT_RUN("schema", "--json", file), 0, "*\"is_hidden\":true", "");
}

Test(json, a_verdict)
{
    const char *file = DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280");
    const char *first = "*: not sound: the first defect is at offset 280\n";
    dvt_expect(DVT_RUN("verify", "--json", file), 1,
               "*\"findings\":[\n{\"is_warning\":false,\"status\":\"DV_ERR_CORRUPT\",\"file\":\"",
               first);
    dvt_expect(DVT_RUN("verify", "--json", file), 1,
               "*\"offset\":280,\"rule\":\"idv:L4\",\"expected\":\"256..320\",\"found\":\"255\","
               "\"message\":\"",
               first);
    dvt_expect(DVT_RUN("verify", "--json", file), 1,
               "*\"}],\"file_nbytes\":332,\"rows\":2,\"column_count\":1,\"defect_count\":1,"
               "\"warning_count\":0,\"is_sound\":false}\n",
               first);
    dvt_expect(DVT_RUN("verify", "--json", DVT_CRAFTED("key-above-count")), 0,
               "*\"defect_count\":0,\"warning_count\":1,\"is_sound\":true}\n", "");
}

/* Several files are one table. */
Test(json, several_files)
{
    const char *sound = DVT_CRAFTED("key-above-count");
    char files[2048];
    snprintf(files, sizeof files, "*\"files\":[\"%s\",\"%s\"],", sound, sound);
    for (size_t i = 0; i < VERBS; i++)
        dvt_expect(DVT_RUN(verbs[i], "--json", sound, sound), 0, files, "");
    dvt_expect(DVT_RUN("schema", "--json", sound, sound), 0, "*\"rows\":6,", "");
    dvt_expect(DVT_RUN("verify", "--json", sound, sound), 0, "*\"warning_count\":2,", "");
    dvt_expect(DVT_RUN("info", "--json", DVT_GOLDEN("scalar-all-raw-rpb1"),
                       DVT_GOLDEN("scalar-all-raw-rpb7")),
               0, "*\"rows\":200,\"rows_per_block\":null,", "");
}

/* On a terminal the list is visible, and there is no message. */
Test(json, a_terminal)
{
    const dvt_setting terminal = {DVT_STDOUT_TERMINAL, 40, true, NULL};
    const char *sound = DVT_GOLDEN("people");
    for (size_t i = 0; i < VERBS; i++) {
        dvt_run plain = DVT_RUN(verbs[i], "--json", sound);
        dvt_expect(DVT_RUN_WITH(&terminal, verbs[i], "--json", sound), 0, dvt_text_of(&plain.out),
                   "");
        dvt_run_free(&plain);
    }
    dvt_expect(DVT_RUN_WITH(&terminal, "verify", "--json",
                            DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280")),
               1, "*\"is_sound\":false}\n", "");
}

Test(json, quiet_changes_nothing)
{
    const char *file = DVT_CRAFTED("dead-codec");
    for (size_t i = 0; i < VERBS; i++) {
        const int status = strcmp(verbs[i], "verify") == 0; /* an unknown codec is a defect */
        const char *said = status ? "*not sound" : "";
        dvt_run plain = DVT_RUN(verbs[i], "--json", file);
        dvt_expect(DVT_RUN(verbs[i], "--quiet", "--json", file), status, dvt_text_of(&plain.out),
                   said);
        dvt_run_free(&plain);
    }
    dvt_expect(DVT_RUN("info", "--quiet", "--json", file), 0, "*unknown codec", "");
}

/* All of it or nothing. */
Test(json, what_cannot_be_read)
{
    const char *header = DVT_MALFORMED("columns_negative.CORRUPT.H8@48");
    const char *metadata = DVT_MALFORMED("date_in_metadata.CORRUPT.5.1@276");
    for (size_t i = 0; i < VERBS; i++) {
        dvt_expect(DVT_RUN(verbs[i], "--json", header), 1, "", "*offset 48: ");
        dvt_expect(DVT_RUN(verbs[i], "--json", "no-such-file.idv"), 3, "", "*no-such-file.idv: ");
    }
    dvt_expect(DVT_RUN("schema", "--json", "--metadata", metadata), 1, "", "*offset 276: ");
    dvt_expect(DVT_RUN("schema", "--json", metadata), 0, "*\"metadata\":{\"", "");
    dvt_expect(DVT_RUN("bench", "--json", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280")),
               1, "", "*offset 280: ");
}

Test(json, standard_output_that_fails)
{
    const dvt_setting full = {.out = DVT_STDOUT_FULL}, closed = {.out = DVT_STDOUT_CLOSED};
    const dvt_setting broken = {.out = DVT_STDOUT_BROKEN};
    const char *file = DVT_GOLDEN("people");
    for (size_t i = 0; i < VERBS; i++) {
        dvt_expect(DVT_RUN_WITH(&full, verbs[i], "--json", file), 3, "",
                   "dataview: standard output: No space left on device\n");
        dvt_expect(DVT_RUN_WITH(&closed, verbs[i], "--json", file), 3, "",
                   "dataview: standard output: Bad file descriptor\n");
        dvt_expect(DVT_RUN_WITH(&broken, verbs[i], "--json", file), 0, "", "");
    }
}

/* A path can have any bytes; a document is UTF-8 without control characters. */
Test(json, paths)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path bytes = copy(&folder, DVT_GOLDEN("rows-1"), "\xFF\xC3.idv");
    const dvt_path controls =
        copy(&folder, DVT_GOLDEN("rows-1"), "\x1B\n\"\\ \x7F\xC2\x9B\xE2\x80\xAE\xC3\xA9.idv");
    for (size_t i = 0; i < VERBS; i++) {
        dvt_expect(DVT_RUN(verbs[i], "--json", bytes.text), 0, "*/\\\\xFF\\\\xC3.idv\"]", "");
        dvt_expect(DVT_RUN(verbs[i], "--json", controls.text), 0,
                   "*/\\u001B\\n\\\"\\\\ \\u007f\\u009b\\u202e\xC3\xA9.idv\"]", "");
    }
    dvt_folder_remove(&folder);
}

Test(json, rows)
{
    const char *file = DVT_GOLDEN("people"), *damaged = DVT_MALFORMED("block_second_in_header."
                                                                      "CORRUPT.L4@280");
    dvt_expect(DVT_RUN("head", "--json", "-n1", "-cAge,Name", "--rows=3:5", file), 0,
               "*\"rows\":2,\"columns\":[\n{\"name\":\"Age\",\"type\":\"R4\"},\n"
               "{\"name\":\"Name\",\"type\":\"TX\"}],\"values\":[\n{\"Age\":",
               "");
    dvt_expect(DVT_RUN("tail", "--json", "-n1", "--ids", "-cAge", file), 0,
               "*\"values\":[\n{\"#id\":\"0x00000000000000000000000000000257\",\"Age\":", "");
    dvt_expect(DVT_RUN("tail", "--json", "-n0", file), 0, "*\"rows\":600,", "");
    dvt_expect(DVT_RUN("tail", "--json", "-n0", file), 0, "*\"values\":[]}\n", "");
    dvt_expect(DVT_RUN("head", "--json", damaged), 1, "", "*offset 280: ");
    dvt_expect(DVT_RUN("tail", "--json", damaged), 1, "", "*offset 280: ");
}

Test(json, bench)
{
    dvt_expect(DVT_RUN("bench", "--json", "-c", "Age,Seen", "--rows=100:300", "--quiet",
                       DVT_GOLDEN("people")),
               0, "*\"rows\":200,\"column_count\":2,\"file_nbytes\":11570,", "");
    dvt_run kernels = DVT_RUN("bench", "--json", "--kernels");
    dvt_expect_text(dvt_text_of(&kernels.out), "*{\"name\":\"utf8_units\",\"level\":\"");
    dvt_expect(kernels, 0, "*\"nbytes_per_s\":{\"scalar\":", "");
}

Test(json, help)
{
    dvt_expect(DVT_RUN("help", "--json"), 0, "*\n{\"name\":\"info\",\"arguments\":\"", "");
    dvt_expect(DVT_RUN("help", "--json"), 0, "*\n{\"name\":\"help\",\"arguments\":\"[VERB]\"", "");
    dvt_run asked = DVT_RUN("help", "head", "--json");
    cr_expect_not(strstr(dvt_text_of(&asked.out), "\"name\":\"info\""));
    dvt_expect(DVT_RUN("cat", "--help", "--json"), 2, "", "*--json is not an option of cat");
    dvt_expect(
        asked, 0,
        "*{\"name\":null,\"letter\":\"n\",\"value\":\"N\",\"summary\":\"show N rows (default 10); ",
        "");
    dvt_expect(DVT_RUN("info", "--help", "--json"), 0,
               "*{\"name\":\"json\",\"letter\":null,\"value\":null,", "");
    dvt_expect(DVT_RUN("help", "inof", "--json"), 2, "", "*did you mean info?");
    dvt_expect(DVT_RUN("help", "help"), 0, "*dataview help [OPTIONS] [VERB]\n", "");
}

Test(json, usage)
{
    const char *file = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN("cat", "--json", file), 2, "", "dataview: --json is not an option of cat\n");
    dvt_expect(DVT_RUN("info", "--json=1", file), 2, "", "dataview: --json takes no value\n");
    dvt_expect(DVT_RUN("info", "--jsno", file), 2, "", "*did you mean --json?");
    dvt_expect(DVT_RUN("info", "--json"), 2, "", "*info needs a file");
}
