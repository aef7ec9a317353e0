/* SPDX-License-Identifier: MIT */
/* plain.h: the tests without Criterion and its processes, for sanitizers and emulation.
 *
 * The macros of Criterion that our tests use, on a plain main(): constructors register the tests,
 * one process runs them one after the other.  So a crash ends the run, a test that expects a signal
 * or an exit is skipped, and cr_assert leaves the test by longjmp: from the thread that runs it. */
#ifndef DVT_PLAIN_H
#define DVT_PLAIN_H

/* A check without a message has an empty __VA_ARGS__, which -Wpedantic allows only to the macros of
 * a system header, as Criterion's is.  Clang asks where the macro is used. */
#pragma GCC system_header
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpedantic"
#endif

#include <stdbool.h>
#include <string.h>

/* A test, or a suite when `run` is NULL.  After `run`: the options, named as Criterion does. */
typedef struct dvt_plain_test {
    const char *file, *suite, *name;
    void (*run)(void);
    void (*init)(void), (*fini)(void);
    int signal, exit_code;
    bool disabled;
    double timeout; /* ctest has one for the whole executable */
    const char *description;
    struct dvt_plain_test *next;
} dvt_plain_test;

void dvt_plain_add(dvt_plain_test *test);
void dvt_plain_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void dvt_plain_skip(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void dvt_plain_fail(bool leave, const char *file, int line, const char *check, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
bool dvt_plain_near(double a, double b, double epsilon);

#define DVT_PLAIN_REGISTER(S, N, body, ...)                                                        \
    __attribute__((constructor)) static void S##_##N##_register(void)                              \
    {                                                                                              \
        static dvt_plain_test test = {                                                             \
            .file = __FILE__, .suite = #S, .name = #N, .run = body, __VA_ARGS__};                  \
        dvt_plain_add(&test);                                                                      \
    }
#define TestSuite(S, ...) DVT_PLAIN_REGISTER(S, suite, NULL, __VA_ARGS__) struct dvt_plain_test
#define Test(S, N, ...)                                                                            \
    static void S##_##N##_body(void);                                                              \
    DVT_PLAIN_REGISTER(S, N, S##_##N##_body, __VA_ARGS__)                                          \
    static void S##_##N##_body(void)

#define cr_skip_test(...) dvt_plain_skip("" __VA_ARGS__)
#define cr_skip(...) dvt_plain_skip("" __VA_ARGS__)
#define cr_log_info(...) dvt_plain_say(__VA_ARGS__)
#define cr_log_warn(...) dvt_plain_say(__VA_ARGS__)
#define cr_log_error(...) dvt_plain_say(__VA_ARGS__)

/* E goes on after a failure, A leaves the test; what follows the check is a printf message. */
#define DVT_PLAIN_CHECK(leave, ok, text, ...)                                                      \
    ((ok) ? (void)0 : dvt_plain_fail(leave, __FILE__, __LINE__, text, "" __VA_ARGS__))
#define DVT_PLAIN_E(ok, text, ...) DVT_PLAIN_CHECK(false, ok, text, __VA_ARGS__)
#define DVT_PLAIN_A(ok, text, ...) DVT_PLAIN_CHECK(true, ok, text, __VA_ARGS__)

#define cr_expect(c, ...) DVT_PLAIN_E(c, #c, __VA_ARGS__)
#define cr_assert(c, ...) DVT_PLAIN_A(c, #c, __VA_ARGS__)
#define cr_expect_not(c, ...) DVT_PLAIN_E(!(c), "not " #c, __VA_ARGS__)
#define cr_assert_not(c, ...) DVT_PLAIN_A(!(c), "not " #c, __VA_ARGS__)
#define cr_expect_fail(...) DVT_PLAIN_E(false, "fail", __VA_ARGS__)
#define cr_assert_fail(...) DVT_PLAIN_A(false, "fail", __VA_ARGS__)

#define cr_expect_eq(a, b, ...) DVT_PLAIN_E((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) DVT_PLAIN_A((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) DVT_PLAIN_E((a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) DVT_PLAIN_A((a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) DVT_PLAIN_E((a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) DVT_PLAIN_A((a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) DVT_PLAIN_E((a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) DVT_PLAIN_A((a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) DVT_PLAIN_E((a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) DVT_PLAIN_A((a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) DVT_PLAIN_E((a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) DVT_PLAIN_A((a) >= (b), #a " >= " #b, __VA_ARGS__)

#define cr_expect_null(p, ...) DVT_PLAIN_E((p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_assert_null(p, ...) DVT_PLAIN_A((p) == NULL, #p " is NULL", __VA_ARGS__)
#define cr_expect_not_null(p, ...) DVT_PLAIN_E((p) != NULL, #p " is not NULL", __VA_ARGS__)
#define cr_assert_not_null(p, ...) DVT_PLAIN_A((p) != NULL, #p " is not NULL", __VA_ARGS__)

#define cr_expect_str_eq(a, b, ...) DVT_PLAIN_E(strcmp(a, b) == 0, #a " is " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) DVT_PLAIN_A(strcmp(a, b) == 0, #a " is " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) DVT_PLAIN_E(strcmp(a, b) != 0, #a " is not " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) DVT_PLAIN_A(strcmp(a, b) != 0, #a " is not " #b, __VA_ARGS__)
#define cr_expect_str_empty(s, ...) DVT_PLAIN_E(!*(s), #s " is empty", __VA_ARGS__)
#define cr_assert_str_empty(s, ...) DVT_PLAIN_A(!*(s), #s " is empty", __VA_ARGS__)
#define cr_expect_str_not_empty(s, ...) DVT_PLAIN_E(*(s), #s " is not empty", __VA_ARGS__)
#define cr_assert_str_not_empty(s, ...) DVT_PLAIN_A(*(s), #s " is not empty", __VA_ARGS__)

#define cr_expect_arr_eq(a, b, n, ...) DVT_PLAIN_E(!memcmp(a, b, n), #a " equals " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) DVT_PLAIN_A(!memcmp(a, b, n), #a " equals " #b, __VA_ARGS__)
#define cr_expect_arr_neq(a, b, n, ...) DVT_PLAIN_E(memcmp(a, b, n), #a " differs " #b, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, n, ...) DVT_PLAIN_A(memcmp(a, b, n), #a " differs " #b, __VA_ARGS__)

#define cr_expect_float_eq(a, b, e, ...)                                                           \
    DVT_PLAIN_E(dvt_plain_near(a, b, e), #a " near " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...)                                                           \
    DVT_PLAIN_A(dvt_plain_near(a, b, e), #a " near " #b, __VA_ARGS__)
#define cr_expect_float_neq(a, b, e, ...)                                                          \
    DVT_PLAIN_E(!dvt_plain_near(a, b, e), #a " not near " #b, __VA_ARGS__)
#define cr_assert_float_neq(a, b, e, ...)                                                          \
    DVT_PLAIN_A(!dvt_plain_near(a, b, e), #a " not near " #b, __VA_ARGS__)

#endif
