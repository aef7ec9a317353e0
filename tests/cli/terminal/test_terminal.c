/* SPDX-License-Identifier: MIT */
/* test_terminal.c: output fits the terminal, which is restored after a signal. */
#include "cli/run.h"
#include <locale.h>
#include <signal.h>
#include <wchar.h>

#define PEOPLE DVT_GOLDEN("people")
#define CLEAR "\r\033[K"

/* The columns of a line by the C library; characters that it does not know count as none. */
static int columns_of(const char *line, size_t nbytes)
{
    int columns = 0;
    mbstate_t state = {0};
    for (size_t i = 0; i < nbytes;) {
        wchar_t code;
        const size_t n = mbrtowc(&code, line + i, nbytes - i, &state);
        cr_assert(n > 0 && n <= nbytes - i, "not UTF-8: %.*s", (int)nbytes, line);
        const int width = wcwidth(code);
        columns += width > 0 ? width : 0;
        i += n;
    }
    return columns;
}

/* Run the command in a terminal of that width; returns the columns of the longest line. */
static int widest(int width, const char *const *words)
{
    const dvt_setting setting = {DVT_STDOUT_TERMINAL, width, false, NULL};
    dvt_run run = dvt_run_with(&setting, words);
    int most = 0;
    const char *line = dvt_text_of(&run.out);
    for (size_t n; *line; line += n + (line[n] == '\n')) {
        n = strcspn(line, "\n");
        const int columns = columns_of(line, n);
        cr_expect_leq(columns, width, "%s %s at %d: %.*s", words[0], words[1], width, (int)n, line);
        most = columns > most ? columns : most;
    }
    dvt_expect(run, 0, NULL, "");
    return most;
}

static const int widths[] = {40, 80, 200};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Wide and combining characters, emoji, long names, warnings, a file name that is too long.
 */
Test(terminal, tables_fit)
{
    static const char *const files[] = {"idv/people",
                                        "idv/names-unicode",
                                        "idv/text-by-width",
                                        "idv/text-unicode-raw-rpb1",
                                        "idv/metadata-raw",
                                        "idv/vector-wide-sparse",
                                        "idv/vector-TX-raw",
                                        "idv/scalar-all-deflate-rpb64-anyorder",
                                        "idv-crafted/dead-codec",
                                        "idv-crafted/old-rowid",
                                        "idv-crafted/version-9999-compat-1114"};
    static const char *const verbs[][2] = {
        {"info", NULL}, {"schema", NULL}, {"schema", "--metadata"}, {"head", "--ids"}};
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        cr_skip_test("the C library has no C.UTF-8 to count with");
    for (size_t i = 0; i < COUNT(files) * COUNT(verbs); i++) {
        char name[96];
        snprintf(name, sizeof name, "golden/%s.idv", files[i / COUNT(verbs)]);
        const char *const *verb = verbs[i % COUNT(verbs)];
        const char *words[] = {verb[0], dvt_file(name), verb[1], NULL};
        for (size_t k = 0; k < COUNT(widths); k++)
            widest(widths[k], words);
    }
}

/* Help is wrapped, and a wider screen is used. */
Test(terminal, help_fits)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        cr_skip_test("the C library has no C.UTF-8 to count with");
    dvt_run verbs = DVT_RUN("help", "--as", "verbs");
    char *end = verbs.out.data;
    for (char *verb = end; *verb; verb = end + 1) {
        end = verb + strcspn(verb, "\n");
        *end = 0;
        const char *const words[] = {"help", verb, NULL};
        for (size_t k = 0; k < COUNT(widths); k++)
            widest(widths[k], words);
    }
    dvt_run_free(&verbs);
    const char *const all[] = {"help", NULL};
    cr_expect_leq(widest(40, all), 40);
    cr_expect_gt(widest(200, all), 70);
    cr_expect_leq(widest(200, (const char *const[]){"help", "cat", NULL}), 100);
}

/* A file name that is too long keeps its end. */
Test(terminal, a_long_name_of_a_file)
{
    const dvt_setting narrow = {DVT_STDOUT_PIPE, 20, false, NULL};
    const char *file = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN_WITH(&narrow, "info", file), 0, "*…lden/idv/people.idv\n  format", "");
    char whole[1100];
    snprintf(whole, sizeof whole, "*%s\n  format   idv 1.1.1.6\n", file);
    dvt_expect(DVT_RUN("info", file), 0, whole, "");
}

/* If the screen is too narrow for words, they are broken too. */
Test(terminal, hardly_any_room)
{
    const dvt_setting narrow = {DVT_STDOUT_PIPE, 14, false, NULL};
    dvt_expect(DVT_RUN_WITH(&narrow, "info", DVT_CRAFTED("version-9999-compat-1114")), 0,
               "*  format   idv\n           9.9\n           .9.\n", "");
}

/* A locale with a decimal comma changes nothing. */
Test(terminal, a_locale_changes_nothing)
{
    const char *file = DVT_GOLDEN("scalar-all-raw-rpb7");
    static const char *const verbs[] = {"info", "schema", "head", "cat", "verify"};
    if (!setlocale(LC_ALL, "de_DE.UTF-8") || *localeconv()->decimal_point != ',')
        cr_skip_test("there is no locale with a decimal comma");
    setlocale(LC_ALL, "C");
    for (size_t i = 0; i < COUNT(verbs); i++) {
        dvt_run plain = DVT_RUN(verbs[i], file);
        setenv("LC_ALL", "de_DE.UTF-8", 1);
        dvt_expect(DVT_RUN(verbs[i], file), 0, dvt_text_of(&plain.out), "");
        unsetenv("LC_ALL");
        dvt_expect(plain, 0, NULL, "");
    }
}

/* Every verb reports that its output failed, but a closed pipe is no error. */
Test(terminal, standard_output_that_fails)
{
    static const char *const verbs[] = {"info", "schema", "head", "cat", "verify"};
    const dvt_setting full = {.out = DVT_STDOUT_FULL}, closed = {.out = DVT_STDOUT_CLOSED};
    const dvt_setting broken = {.out = DVT_STDOUT_BROKEN};
    for (size_t i = 0; i < COUNT(verbs); i++) {
        dvt_expect(DVT_RUN_WITH(&full, verbs[i], PEOPLE), 3, "",
                   "dataview: standard output: No space left on device\n");
        dvt_expect(DVT_RUN_WITH(&closed, verbs[i], PEOPLE), 3, "",
                   "dataview: standard output: Bad file descriptor\n");
        dvt_expect(DVT_RUN_WITH(&broken, verbs[i], PEOPLE), 0, "", "");
    }
    dvt_expect(DVT_RUN_WITH(&full, "help"), 3, "", "*No space left");
    dvt_expect(DVT_RUN_WITH(&broken, "--version"), 0, "", "");
}

/* Without a terminal a line is written at once; with --quiet, or on a terminal with little work,
 * none. */
Test(terminal, progress)
{
    dvt_expect(DVT_RUN("cat", "--progress", "--take=2", "-cAge", PEOPLE), 0, "Age\n\n1\n",
               "*rows/s, 0 s left\n");
    dvt_expect(DVT_RUN("verify", "--progress", PEOPLE), 0, "*sound", "*B/s, ");
    dvt_expect(DVT_RUN("cat", "--take=2", "-cAge", PEOPLE), 0, "Age\n\n1\n", "");
    dvt_expect(DVT_RUN("verify", "--quiet", PEOPLE), 0, "", "");
}

/* The messages of a run whose standard error is a terminal of that width. */
static void read_messages(dvt_lines *said, int width, const char *file)
{
    int terminal, slave, status = 0;
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)width};
    if (openpty(&terminal, &slave, NULL, NULL, &size) != 0)
        cr_skip_test("the system has no pseudo-terminal to give");
    const pid_t child = fork();
    if (child == 0) {
        const dvt_setting setting = {0};
        char *argv[] = {(char[]){"dataview"}, (char[]){"head"}, strdup(file), NULL};
        dvt_become(&setting, open("/dev/null", O_WRONLY), slave, argv);
    }
    close(slave);
    waitpid(child, &status, 0);
    cr_expect_eq(WEXITSTATUS(status), 3);
    char part[512];
    for (ssize_t n; (n = read(terminal, part, sizeof part)) > 0;)
        dvt_lines_add(said, part, (size_t)n);
    close(terminal);
}

/* The terminal broke messages in the middle of a word. */
Test(terminal, messages_fit)
{
    dvt_lines said = {0};
    read_messages(&said, 40, "no/such.idv");
    cr_expect_str_eq(said.data, "dataview: no/such.idv: cannot be opened:\r\n  No such file or "
                                "directory\r\n");
    dvt_lines_free(&said);
    read_messages(&said, 30, "a/name/that/has/a/line.idv"); /* a line of its own */
    cr_expect_str_eq(said.data, "dataview: \r\n  a/name/that/has/a/line.idv:\r\n  cannot be "
                                "opened: No such\r\n  file or directory\r\n");
    dvt_lines_free(&said);
    dvt_expect(DVT_RUN("head", "no/such.idv"), 3, "",
               "dataview: no/such.idv: cannot be opened: No such file or directory\n");
}

/* A command with standard error on a terminal and standard output in a small pipe that is not read,
 * so that it works until it is stopped. */
typedef struct stuck {
    pid_t child;
    int out, terminal, slave;
} stuck;

static stuck start_stuck(bool ignores_interrupts)
{
    stuck s = {.child = -1};
    int ends[2];
    const char *file = PEOPLE;
    if (openpty(&s.terminal, &s.slave, NULL, NULL, NULL) != 0)
        cr_skip_test("the system has no pseudo-terminal to give");
    cr_assert(pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
    s.out = ends[0];
    s.child = fork();
    if (s.child == 0) {
        const dvt_setting setting = {0};
        if (ignores_interrupts)
            signal(SIGINT, SIG_IGN);
        char *argv[] = {(char[]){"dataview"}, (char[]){"cat"}, (char[]){"--progress"}, strdup(file),
                        NULL};
        dvt_become(&setting, ends[1], s.slave, argv);
    }
    close(ends[1]);
    return s;
}

/* Read from the terminal until `mark` appears. */
static void read_until(int terminal, dvt_lines *got, const char *mark)
{
    char part[512];
    while (!got->data || !strstr(got->data, mark)) {
        const ssize_t n = read(terminal, part, sizeof part);
        cr_assert(n > 0);
        dvt_lines_add(got, part, (size_t)n);
    }
}

static int end_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void expect_stopped(int number)
{
    dvt_lines said = {0};
    struct termios before = {0}, after = {0};
    stuck s = start_stuck(false);
    tcgetattr(s.slave, &before);
    read_until(s.terminal, &said, "s left");
    kill(s.child, number);
    cr_expect_eq(end_of(s.child), 128 + number);
    read_until(s.terminal, &said, "left\033[K" CLEAR);
    cr_expect_str_eq(strstr(said.data, "left"), "left\033[K" CLEAR);
    tcgetattr(s.slave, &after);
    cr_expect_eq(memcmp(&before, &after, sizeof before), 0);
    dvt_lines_free(&said);
    close(s.terminal);
    close(s.slave);
    close(s.out);
}

/* The parent sees the signal; the progress line is cleared. */
Test(terminal, stopped_by_a_signal)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < COUNT(numbers); i++)
        expect_stopped(numbers[i]);
}

/* On a terminal with colours, the last output turns them off. */
Test(terminal, stopped_while_it_writes_to_a_terminal)
{
    const dvt_setting setting = {.out = DVT_STDOUT_TERMINAL, .width = 80, .colour = true};
    int ends[2];
    dvt_lines said = {0};
    dvt_run run = {0};
    char *argv[] = {(char[]){"dataview"}, (char[]){"cat"}, strdup(PEOPLE), NULL};
    dvt_open_ends(&setting, ends);
    const pid_t child = fork();
    if (child == 0)
        dvt_become(&setting, ends[1], STDERR_FILENO, argv);
    close(ends[1]);
    read_until(ends[0], &said, "Name");
    kill(child, SIGINT); /* the terminal buffer cannot hold all rows */
    dvt_drain(ends[0], -1, &run);
    cr_expect_eq(end_of(child), 128 + SIGINT);
    cr_assert_geq(run.out.nbytes, 4);
    cr_expect_str_eq(run.out.data + run.out.nbytes - 4, "\033[0m");
    dvt_run_free(&run);
    dvt_lines_free(&said);
    free(argv[2]);
    close(ends[0]);
}

/* As nohup and `&` in scripts expect. */
Test(terminal, an_ignored_signal_stays_ignored)
{
    dvt_lines said = {0};
    dvt_run run = {0};
    stuck s = start_stuck(true);
    read_until(s.terminal, &said, "s left");
    kill(s.child, SIGINT);
    close(s.slave);
    dvt_drain(s.out, s.terminal, &run);
    cr_expect_eq(end_of(s.child), 0);
    cr_expect(strstr(dvt_text_of(&run.out), "\nuser "));
    dvt_run_free(&run);
    dvt_lines_free(&said);
    close(s.terminal);
    close(s.out);
}
