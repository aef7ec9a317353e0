/* SPDX-License-Identifier: MIT */
/* test_terminal.c: does what people see fit their terminal, and is it left as it was? */
#include "cli/run.h"
#include <locale.h>
#include <signal.h>
#include <wchar.h>

#define PEOPLE DVT_GOLDEN("people")
#define CLEAR "\r\033[K"

/* Columns of a line, as the C library sees them.  What it does not know counts for nothing. */
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

/* Run it in a terminal of that width; returns the columns of its longest line. */
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

/* Wide, joining and pictured characters, long names, warnings, a name of a file that is too long.
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

/* It fits by wrapping, not by saying little: a wider screen is used. */
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

/* A name of a file that is too long keeps its end. */
Test(terminal, a_long_name_of_a_file)
{
    const dvt_setting narrow = {DVT_STDOUT_PIPE, 20, false, NULL};
    const char *file = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN_WITH(&narrow, "info", file), 0, "*…lden/idv/people.idv\n  format", "");
    char whole[1100];
    snprintf(whole, sizeof whole, "*%s\n  format   .idv 1.1.1.6\n", file);
    dvt_expect(DVT_RUN("info", file), 0, whole, "");
}

/* Too narrow for the words themselves: they are broken too. */
Test(terminal, hardly_any_room)
{
    const dvt_setting narrow = {DVT_STDOUT_PIPE, 14, false, NULL};
    dvt_expect(DVT_RUN_WITH(&narrow, "info", DVT_CRAFTED("version-9999-compat-1114")), 0,
               "*  format   .id\n           v\n           9.9\n           .9.\n", "");
}

/* A decimal comma is not ours. */
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

/* Every verb notices that its words went nowhere; that the reader has gone is silence. */
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

/* Not a terminal: a line at once.  --quiet, or a terminal and little work: nothing. */
Test(terminal, progress)
{
    dvt_expect(DVT_RUN("cat", "--progress", "--take=2", "-cAge", PEOPLE), 0, "Age\n\n1\n",
               "*rows/s, 0 s left\n");
    dvt_expect(DVT_RUN("verify", "--progress", PEOPLE), 0, "*sound", "*B/s, ");
    dvt_expect(DVT_RUN("cat", "--take=2", "-cAge", PEOPLE), 0, "Age\n\n1\n", "");
    dvt_expect(DVT_RUN("verify", "--quiet", PEOPLE), 0, "", "");
}

/* The command with standard error on a terminal and standard output in a small pipe that nobody
 * empties, so that it is at work until it is told to stop. */
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

/* Read from the terminal until that was written. */
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

/* Whoever started it sees the signal; the line of progress is gone. */
Test(terminal, stopped_by_a_signal)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < COUNT(numbers); i++)
        expect_stopped(numbers[i]);
}

/* Also on a terminal in colour: what is written last turns them off. */
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
    kill(child, SIGINT); /* its rows are more than a terminal takes before we read on */
    dvt_drain(ends[0], -1, &run);
    cr_expect_eq(end_of(child), 128 + SIGINT);
    cr_assert_geq(run.out.nbytes, 4);
    cr_expect_str_eq(run.out.data + run.out.nbytes - 4, "\033[0m");
    dvt_run_free(&run);
    dvt_lines_free(&said);
    free(argv[2]);
    close(ends[0]);
}

/* As nohup and `&` in scripts ask for. */
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
