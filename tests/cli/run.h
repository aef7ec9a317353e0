/* SPDX-License-Identifier: MIT */
/* run.h: runs the command, and checks its output and exit status.
 *
 * A test is one source file, so all of this is in the header.  The command is DV_BIN. */
#ifndef DVT_CLI_RUN_H
#define DVT_CLI_RUN_H

#include "support/lines.h"
#include "support/test.h"
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Where standard output goes. */
typedef enum dvt_stdout {
    DVT_STDOUT_PIPE,     /* to the test */
    DVT_STDOUT_TERMINAL, /* to the test, through a pseudo-terminal */
    DVT_STDOUT_CLOSED,
    DVT_STDOUT_FULL,  /* a disk without room */
    DVT_STDOUT_BROKEN /* a pipe without a reader */
} dvt_stdout;

typedef struct dvt_setting {
    dvt_stdout out;
    int width;             /* of the terminal; else COLUMNS, 0: not set */
    bool colour;           /* TERM is not dumb */
    const char *no_colour; /* NO_COLOR; NULL: not set */
} dvt_setting;

/* The result of a run.  status: the exit status, or 128 + the signal. */
typedef struct dvt_run {
    int status;
    dvt_lines out, err;
} dvt_run;

static inline const char *dvt_text_of(const dvt_lines *lines)
{
    return lines->data ? lines->data : "";
}

/* A file below tests/; lives as long as the program. */
static inline const char *dvt_file(const char *name)
{
    static char paths[8][1024];
    static int next;
    const char *root = getenv("DV_TEST_ROOT");
    char *path = paths[next++ % 8];
    cr_assert(root, "DV_TEST_ROOT is not set");
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

#define DVT_GOLDEN(name) dvt_file("golden/idv/" name ".idv")
#define DVT_CRAFTED(name) dvt_file("golden/idv-crafted/" name ".idv")
#define DVT_MALFORMED(name) dvt_file("malformed/idv/" name ".idv")

/* In the child: redirect standard output, set the screen, execute the command. */
static inline void dvt_become(const dvt_setting *setting, int out, int err, char *const *argv)
{
    char columns[16];
    dup2(err, STDERR_FILENO);
    if (setting->out == DVT_STDOUT_CLOSED)
        close(STDOUT_FILENO);
    else
        dup2(setting->out == DVT_STDOUT_FULL ? open("/dev/full", O_WRONLY) : out, STDOUT_FILENO);
    snprintf(columns, sizeof columns, "%d", setting->width);
    unsetenv("COLUMNS");
    if (setting->width && setting->out != DVT_STDOUT_TERMINAL)
        setenv("COLUMNS", columns, 1);
    setenv("TERM", setting->colour ? "xterm" : "dumb", 1);
    unsetenv("NO_COLOR");
    if (setting->no_colour)
        setenv("NO_COLOR", setting->no_colour, 1);
    const char *program = getenv("DV_BIN");
    if (program)
        execv(program, argv);
    _exit(126);
}

/* A pair of descriptors: [0] to read what is written to [1]. */
static inline void dvt_open_ends(const dvt_setting *setting, int ends[2])
{
    if (setting->out != DVT_STDOUT_TERMINAL) {
        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        return;
    }
    struct winsize size = {.ws_col = (unsigned short)setting->width, .ws_row = 24};
    struct termios raw;
    if (openpty(&ends[0], &ends[1], NULL, NULL, &size) != 0)
        cr_skip_test("the system has no pseudo-terminal to give");
    tcgetattr(ends[1], &raw);
    cfmakeraw(&raw); /* line ends as they were written */
    tcsetattr(ends[1], TCSANOW, &raw);
    for (int i = 0; i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
}

/* Read both until all writers have closed them. */
static inline void dvt_drain(int out, int err, dvt_run *run)
{
    struct pollfd fds[] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    dvt_lines *const lines[] = {&run->out, &run->err};
    char part[4096];
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        poll(fds, 2, -1);
        for (int i = 0; i < 2; i++) {
            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            const ssize_t n = read(fds[i].fd, part, sizeof part);
            if (n > 0)
                dvt_lines_add(lines[i], part, (size_t)n);
            else
                fds[i].fd = -1;
        }
    }
}

static inline dvt_run dvt_run_with(const dvt_setting *setting, const char *const *words)
{
    dvt_run run = {0};
    char *argv[32] = {(char[]){"dataview"}};
    for (int i = 0; words[i]; i++)
        argv[i + 1] = strdup(words[i]);
    int out[2], err[2];
    dvt_open_ends(setting, out);
    cr_assert(pipe2(err, O_CLOEXEC) == 0);
    const pid_t child = fork();
    if (child == 0) {
        if (setting->out == DVT_STDOUT_BROKEN)
            close(out[0]);
        dvt_become(setting, out[1], err[1], argv);
    }
    close(out[1]);
    close(err[1]);
    if (setting->out == DVT_STDOUT_BROKEN) {
        close(out[0]);
        out[0] = -1;
    }
    dvt_drain(out[0], err[0], &run);
    int status = 0;
    waitpid(child, &status, 0);
    run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (out[0] >= 0)
        close(out[0]);
    close(err[0]);
    for (int i = 1; argv[i]; i++)
        free(argv[i]);
    return run;
}

/* DVT_RUN("head", "-n", "3", file): the arguments of the command. */
#define DVT_RUN_WITH(setting, ...) dvt_run_with(setting, (const char *const[]){__VA_ARGS__, NULL})
#define DVT_RUN(...) DVT_RUN_WITH((&(dvt_setting){DVT_STDOUT_PIPE, 0, false, NULL}), __VA_ARGS__)

static inline void dvt_run_free(dvt_run *run)
{
    dvt_lines_free(&run->out);
    dvt_lines_free(&run->err);
}

static inline void dvt_expect_text(const char *got, const char *want)
{
    const char *star = want ? strchr(want, '*') : NULL;
    if (star && star == want)
        cr_expect(strstr(got, star + 1), "wanted: %s\ngot: %s", star + 1, got);
    else if (want)
        cr_expect_str_eq(got, want, "wanted:\n%s\ngot:\n%s", want, got);
}

/* Check the result, and free it.  A text that starts with "*" must be contained in the output,
 * without the "*"; any other text must be the whole output; NULL accepts any output. */
static inline void dvt_expect(dvt_run run, int status, const char *out, const char *err)
{
    const char *err_text = dvt_text_of(&run.err);
    cr_expect_eq(run.status, status, "exit status %d, not %d: %s", run.status, status, err_text);
    dvt_expect_text(dvt_text_of(&run.out), out);
    dvt_expect_text(err_text, err);
    dvt_run_free(&run);
}

#endif
