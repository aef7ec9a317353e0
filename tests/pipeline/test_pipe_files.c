/* SPDX-License-Identifier: MIT */
/* test_pipe_files.c: values that are the lines of files. */
#include "pipeline/pipe_files.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/lines.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>

/* The only file that there is, "f": its bytes come one by one. */
typedef struct shelf {
    const char *bytes;
    size_t nbytes;
    int64_t times; /* that the bytes come */
} shelf;

static dv_status read_shelf(void *ctx, const char *path, const dv_sink *sink, dv_error *err)
{
    const shelf *s = ctx;
    if (strcmp(path, "f") != 0)
        return dv_error_set(err, DV_ERR_IO, "there is only f");
    for (int64_t k = 0; k < s->times; k++)
        for (size_t i = 0; i < s->nbytes; i++)
            if (!sink->write(sink->ctx, s->bytes + i, 1))
                return DV_OK;
    return DV_OK;
}

static dv_status parse(dv_pipeline **pipeline_out, const char *text, const shelf *s,
                       const dv_allocator *allocator, dv_error *err)
{
    shelf own = *s;
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.read_file = read_shelf;
    options.ctx = &own;
    return dv_pipeline_parse_files(pipeline_out, dv_text_of(text), &options, allocator, err);
}

static shelf shelf_of(const char *bytes)
{
    return (shelf){bytes, strlen(bytes), 1};
}

static const struct {
    const char *text, *bytes, *written;
} sound[] = {
    {"term A terms=@f", "a\nb c\n", "term A terms=[a \"b c\"]"},
    {"term A terms=@f",
     "\xEF\xBB\xBF"
     "a\r\n\r\nb",
     "term A terms=[a b]"},
    {"term A terms=@f max=3", "\n", "term A max=3 terms=[]"},
    {"term A terms=@\"f\" max=3", " \n#\n@x", "term A max=3 terms=[\" \" \"#\" \"@x\"]"},
    {"term A terms=\"@f\"", "a", "term A terms=[\"@f\"]"},
    {"convert A type=@f", "R4\n", "convert A type=R4"},
};

Test(pipe_files, lines_are_texts)
{
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        dv_pipeline *pipeline;
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        const dv_sink sink = dvt_lines_sink(&lines);
        const shelf s = shelf_of(sound[i].bytes);
        cr_assert_eq(parse(&pipeline, sound[i].text, &s, NULL, &err), DV_OK, "%s", err.message);
        cr_assert(dv_pipeline_write_step(pipeline, 0, &sink));
        dvt_lines_add(&lines, "", 0);
        cr_expect_str_eq(lines.data, sound[i].written);
        dvt_lines_free(&lines);
        dv_pipeline_release(&pipeline);
    }
}

static const struct {
    const char *text, *bytes;
    dv_status status;
    const char *message;
} refused[] = {
    {"copy A; term A terms=@f", "a\n\xC3\n", DV_ERR_ARGUMENT,
     "step 2, term: option \"terms\": @f: line 2: text: expected UTF-8, found \\xC3"},
    {"convert A type=@f", "R4\nR8\n", DV_ERR_ARGUMENT, "@f has 2 lines; the option is one text"},
    {"convert A type=@f", "", DV_ERR_ARGUMENT, "@f has 0 lines"},
    {"term A terms=@g", "", DV_ERR_IO, "option \"terms\": @g: there is only f"},
    {"term A terms=@", "", DV_ERR_ARGUMENT, "@ must be followed by the name of a file"},
    {"term A terms=@;copy B", "", DV_ERR_ARGUMENT, "@ must be followed by the name of a file"},
    {"term A max=@f", "3", DV_ERR_ARGUMENT, "only texts, lists of them and tables come from files"},
    {"term A terms=[@f", "3", DV_ERR_ARGUMENT, "a list that ends in ]"},
};

static void expect_refused(const char *text, const shelf *s, dv_status status, const char *message)
{
    dv_pipeline *pipeline;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(parse(&pipeline, text, s, NULL, &err), status, "%s", text);
    cr_expect_null(pipeline);
    cr_expect(strstr(err.message, message), "%s: %s", text, err.message);
}

Test(pipe_files, what_is_wrong_is_named)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const shelf s = shelf_of(refused[i].bytes);
        expect_refused(refused[i].text, &s, refused[i].status, refused[i].message);
    }
    const shelf nul = {"a\nb\0", 4, 1}, large = {"0123456789abcde\n", 16, (4 << 20) + 1};
    expect_refused("term A terms=@f", &nul, DV_ERR_ARGUMENT, "@f: line 2: text: expected UTF-8");
    expect_refused("term A terms=@f", &large, DV_ERR_ARGUMENT, "more than 64 MiB");
}

Test(pipe_files, of_this_machine)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "terms.txt");
    char text[sizeof path.text + 32];
    dv_pipeline *pipeline;
    dv_error err = DV_ERROR_INIT;
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.read_file = dv_pipeline_read_file;
    snprintf(text, sizeof text, "term A terms=@\"%s\"", path.text);
    cr_expect_eq(dv_pipeline_parse_files(&pipeline, dv_text_of(text), &options, NULL, &err),
                 DV_ERR_IO);
    cr_expect_eq(err.os_code, 2);
    dvt_file_write(&path, "a\nb\n", 4);
    cr_expect_eq(dv_pipeline_parse_files(&pipeline, dv_text_of(text), &options, NULL, &err), DV_OK,
                 "%s", err.message);
    dv_pipeline_release(&pipeline);
    options.size = 3;
    cr_expect_eq(dv_pipeline_parse_files(&pipeline, dv_text_of(text), &options, NULL, &err),
                 DV_ERR_ARGUMENT);
    dvt_folder_remove(&folder);
}

Test(pipe_files, each_allocation_may_fail)
{
    const shelf s = {"abcdefghi jklmnop\n", 18, 1000};
    for (int64_t k = 1;; k++) {
        dv_pipeline *pipeline;
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        const dv_status status = parse(&pipeline, "term A terms=@f", &s, &counted.allocator, NULL);
        const bool has_failed = atomic_load(&counted.asked) >= k;
        cr_assert_eq(status, has_failed ? DV_ERR_MEMORY : DV_OK);
        dv_pipeline_release(&pipeline);
        cr_assert_eq(atomic_load(&counted.live), 0);
        if (!has_failed)
            break;
    }
}
