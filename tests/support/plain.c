/* SPDX-License-Identifier: MIT */
/* plain.c: the main() of plain.h.  Runs every test; with `--of STEM` those of one source file, with
 * `--share K/N` every N-th from number K on. */
#include "support/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static dvt_plain_test *tests, *suites;
static dvt_plain_test **tests_end = &tests;
static jmp_buf leave_test;
static atomic_int failures; /* of the running test; its threads may add to it */
static char skipped[256];   /* why the running test was skipped, or "" */

void dvt_plain_add(dvt_plain_test *test)
{
    if (test->run) {
        *tests_end = test;
        tests_end = &test->next;
    } else {
        test->next = suites;
        suites = test;
    }
}

void dvt_plain_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void dvt_plain_skip(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(skipped, sizeof skipped, format, args);
    va_end(args);
    longjmp(leave_test, 1);
}

void dvt_plain_fail(bool leave, const char *file, int line, const char *check, const char *format,
                    ...)
{
    va_list args;
    va_start(args, format);
    printf("%s:%d: %s: ", file, line, check);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    atomic_fetch_add(&failures, 1);
    if (leave)
        longjmp(leave_test, 1);
}

bool dvt_plain_near(double a, double b, double epsilon)
{
    return a - b <= epsilon && b - a <= epsilon;
}

static void call(void (*hook)(void))
{
    if (hook)
        hook();
}

static const dvt_plain_test *suite_of(const dvt_plain_test *test)
{
    static const dvt_plain_test none;
    const dvt_plain_test *suite = suites;
    while (suite &&
           (strcmp(suite->suite, test->suite) != 0 || strcmp(suite->file, test->file) != 0))
        suite = suite->next;
    return suite ? suite : &none;
}

/* Why the test cannot run here, or NULL. */
static const char *why_not(const dvt_plain_test *test, const dvt_plain_test *suite)
{
    if (test->disabled || suite->disabled)
        return "disabled";
    if (test->signal || test->exit_code || suite->signal || suite->exit_code)
        return "expects the end of its process";
    return NULL;
}

static void run(const dvt_plain_test *test, const dvt_plain_test *suite)
{
    if (setjmp(leave_test) == 0) {
        call(suite->init);
        call(test->init);
        test->run();
    }
    call(test->fini);
    call(suite->fini);
}

/* Returns "PASS", "FAIL" or "SKIP". */
static const char *verdict(const dvt_plain_test *test)
{
    const dvt_plain_test *suite = suite_of(test);
    const char *reason = why_not(test, suite);
    skipped[0] = '\0';
    atomic_store(&failures, 0);
    if (reason)
        snprintf(skipped, sizeof skipped, "%s", reason);
    else
        run(test, suite);

    const char *const word = atomic_load(&failures) ? "FAIL" : *skipped ? "SKIP" : "PASS";
    printf("[%s] %s::%s%s%s\n", word, test->suite, test->name, *skipped ? ": " : "", skipped);
    return word;
}

/* Is it a test of the source file STEM.c? */
static bool is_of(const dvt_plain_test *test, const char *stem)
{
    const char *slash = strrchr(test->file, '/');
    const char *name = slash ? slash + 1 : test->file;
    const size_t n = strlen(stem);
    return strncmp(name, stem, n) == 0 && strcmp(name + n, ".c") == 0;
}

int main(int n, char **arguments)
{
    int passed = 0, failed = 0, skips = 0, share = 0, shares = 1, number = 0;
    const char *stem = n == 3 && strcmp(arguments[1], "--of") == 0 ? arguments[2] : NULL;
    const bool has_share = n == 3 && strcmp(arguments[1], "--share") == 0 &&
                           sscanf(arguments[2], "%d/%d", &share, &shares) == 2 && share >= 0 &&
                           share < shares;
    if (n > 1 && !stem && !has_share) {
        fprintf(stderr, "usage: %s [--of STEM | --share K/N]\n", arguments[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash keeps the output before it */
    for (const dvt_plain_test *test = tests; test; test = test->next) {
        if ((stem && !is_of(test, stem)) || number++ % shares != share)
            continue;
        const char *word = verdict(test);
        passed += *word == 'P';
        failed += *word == 'F';
        skips += *word == 'S';
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || passed + failed + skips == 0;
}
