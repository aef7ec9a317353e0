/* SPDX-License-Identifier: MIT */
/* test_resume_killed.c: processes that are killed while they walk over a view, and the next one
 * that goes on: together they see each row once, in order. */
#include "support/chain.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/sample_sets.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file, how it is read, and a chain of views. */
typedef struct story {
    const char *path;
    const char *text; /* options; NULL: no text */
    const char *steps;
    int tokens; /* a process is killed after 1 to so many of them */
    int ahead;  /* batches that it goes on meanwhile, as far as it comes */
} story;

/* --- The process ------------------------------------------------------------------------------ */

static dv_view *open_story(const story *s, int turn)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *source, *view;
    how.text = s->text;
    how.io = turn % 2 ? DV_IO_PREAD : DV_IO_MMAP;
    if (dv_open(&source, s->path, &how, NULL) != DV_OK ||
        dvt_chain_of(&view, source, s->steps, NULL, NULL) != DV_OK)
        _exit(2);
    dv_view_release(&source);
    return view;
}

static void put_rows(dvt_lines *lines, const dv_batch *batch)
{
    const dv_sink sink = dvt_lines_sink(lines);
    for (int64_t i = 0; i < batch->rows; i++) {
        dvt_lines_print(lines, "%" PRId64 " %" PRIx64, batch->position + i, batch->ids[i].lo);
        for (int32_t k = 0; k < batch->columns; k++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, k), i);
            dvt_lines_print(lines, " ");
            dv_value_write(&value, DV_STYLE_EXACT, &sink);
        }
        dvt_lines_print(lines, "\n");
    }
}

static void write_all(int fd, const char *data, size_t nbytes)
{
    while (nbytes > 0) {
        const ssize_t wrote = write(fd, data, nbytes);
        if (wrote <= 0)
            _exit(3);
        data += wrote;
        nbytes -= (size_t)wrote;
    }
}

/* Wait for the permission to go on. */
static void wait_for_go(int fd)
{
    char go;
    if (read(fd, &go, 1) != 1)
        _exit(7);
}

/* Read to the end, and print the rows of each batch and then the token after it. */
static _Noreturn void walk(const story *s, const char *token, int turn, int fd, int go)
{
    static const int64_t batches[] = {1, 2, 0, 5, 40};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *view = open_story(s, turn);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    options.ids = true;
    options.token = *token ? token : NULL;
    options.threads = 1 + turn % 3;
    options.batch_rows = batches[turn % 5];
    if (dv_cursor_open(&cursor, view, &options, NULL) != DV_OK)
        _exit(4);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK) {
        dvt_lines lines = {0};
        dv_token after;
        put_rows(&lines, batch);
        if (dv_cursor_token(cursor, &after, NULL) != DV_OK)
            _exit(5);
        dvt_lines_print(&lines, "%s\n", after.text);
        write_all(fd, lines.data, lines.nbytes);
        dvt_lines_free(&lines);
        wait_for_go(go);
    }
    _exit(status == DV_END ? 0 : 6);
}

/* --- Who watches it --------------------------------------------------------------------------- */

/* What is certain: rows that stand before a token, and the last token. */
typedef struct watch {
    dvt_lines rows;
    dv_token token;
} watch;

/* Take over lines up to a token.  true: it was a token. */
static bool take_line(watch *w, dvt_lines *pending, const char *line)
{
    if (strncmp(line, "dv1-", 4) != 0) {
        dvt_lines_add(pending, line, strlen(line));
        return false;
    }
    dvt_lines_add(&w->rows, pending->data, pending->nbytes);
    dvt_lines_free(pending);
    memset(&w->token, 0, sizeof w->token);
    memcpy(w->token.text, line, strcspn(line, "\n"));
    return true;
}

/* One process, killed once it has printed so many tokens.  true: it came to the end before. */
static bool run_once(watch *w, const story *s, int turn, int tokens)
{
    int fd[2], go[2], status;
    char *line = NULL;
    size_t cap = 0;
    dvt_lines pending = {0};
    cr_assert_eq(pipe(fd), 0);
    cr_assert_eq(pipe(go), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        close(fd[0]);
        close(go[1]);
        walk(s, w->token.text, turn, fd[1], go[0]);
    }
    close(fd[1]);
    for (int i = 0; i < s->ahead; i++)
        write_all(go[1], "g", 1);
    FILE *from = fdopen(fd[0], "r");
    cr_assert_not_null(from);
    while (getline(&line, &cap, from) > 0 && strchr(line, '\n')) /* a line that was cut is none */
        if (take_line(w, &pending, line)) {
            if (--tokens == 0)
                kill(child, SIGKILL);
            write_all(go[1], "g", tokens != 0); /* go[0] is ours too: nothing breaks */
        }
    free(line);
    fclose(from);
    close(go[0]);
    close(go[1]);
    dvt_lines_free(&pending);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0,
              "status %d", status);
    return !WIFSIGNALED(status);
}

/* By as many processes as it takes, and by one. */
static void check_story(const story *s)
{
    watch whole = {.token = {{0}}}, parts = {.token = {{0}}};
    cr_assert(run_once(&whole, s, 0, 0));
    int turn = 0;
    while (!run_once(&parts, s, turn, 1 + turn % s->tokens))
        cr_assert_lt(++turn, 100000, "%s: no end", s->path);
    cr_expect_gt(turn, 1, "%s was walked over by %d processes", s->path, turn);
    cr_expect_gt(whole.rows.nbytes, 100);
    cr_expect_eq(whole.rows.nbytes, parts.rows.nbytes, "%s", s->path);
    cr_expect_str_eq(whole.rows.data, parts.rows.data, "%s", s->path);
    cr_expect_str_eq(whole.token.text, parts.token.text);
    dvt_lines_free(&whole.rows);
    dvt_lines_free(&parts.rows);
}

static void check_golden(const char *name, const char *steps, int tokens, int ahead)
{
    const dvt_path path = dvt_test_path(name);
    check_story(&(story){path.text, NULL, steps, tokens, ahead});
}

Test(resume_killed, idv)
{
    check_golden("golden/idv/scalar-all-deflate-rpb7.idv", "[]", 2, 1);
}

Test(resume_killed, btable)
{
    check_golden("golden/btable/article.btable", "{\"transform\":\"BootstrapSample\",\"seed\":5}",
                 1, 0);
}

Test(resume_killed, rows_that_pass_a_filter_and_come_again)
{
    check_golden("golden/idv/scalar-all-raw-rpb7.idv",
                 "[{\"transform\":\"GenerateNumber\",\"columns\":[{\"name\":\"g\"},{\"name\":\"c\","
                 "\"useCounter\":true}]},"
                 "{\"transform\":\"FilterByColumn\",\"column\":\"g\",\"min\":0.2},"
                 "{\"transform\":\"BootstrapSample\",\"seed\":5},{\"transform\":\"Zip\"}]",
                 2, 0);
}

/* Files of their own: many rows, and processes that are killed wherever they are. */
Test(resume_killed, text)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "a.csv");
    dvt_lines lines = {0};
    for (int i = 0; i < 3000; i++)
        dvt_lines_print(&lines, "%d,\"text %d\",%d.5\n", i, 7 * i, i % 13);
    dvt_file_write(&path, lines.data, lines.nbytes);
    check_story(&(story){path.text, "sep=comma col=A:I4:0 col=B:TX:1 col=C:R4:2 piece=500",
                         "{\"transform\":\"SkipTake\",\"skip\":11}", 9, 5});
    dvt_lines_free(&lines);
    dvt_folder_remove(&folder);
}

Test(resume_killed, datadings)
{
    dvt_samples set = dvt_samples_numbered(700);
    dvt_samples_write(&set);
    check_story(
        &(story){set.path.text, NULL, "{\"transform\":\"BootstrapSample\",\"seed\":2}", 6, 4});
    dvt_samples_free(&set);
}
