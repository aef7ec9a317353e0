/* SPDX-License-Identifier: MIT */
/* test_btable_reject.c: the vectors of btable:10: status, rule and offset in strict mode, and the
 * rows that lenient mode reads (btable:7). */
#include "support/btable.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>

#define P "00000000 00000003 0061001F0062 " /* good header: labels a, b; rows start at byte 14 */
#define ONE "3FF0000000000000 "
#define TAIL "00000000 00000001 4000000000000000 00000002 00000000 4008000000000000 "

/* id, bytes; status, rule and offset in strict mode; rule and offset in lenient mode, or "" and the
 * rows. */
#define REJECT_LIST(X)                                                                             \
    X(M01, "", CORRUPT, "HDR_TRUNC", 0, "HDR_TRUNC", 0, "")                                        \
    X(M02, "000000", CORRUPT, "HDR_TRUNC", 3, "HDR_TRUNC", 3, "")                                  \
    X(M03, "00000000", CORRUPT, "HDR_TRUNC", 4, "HDR_TRUNC", 4, "")                                \
    X(M04, "00000000 000000", CORRUPT, "HDR_TRUNC", 7, "HDR_TRUNC", 7, "")                         \
    X(M05, "00000001 00000001 0061", UNSUPPORTED, "VERSION", 0, "VERSION", 0, "")                  \
    X(M06, "01000000 00000001 0061", UNSUPPORTED, "VERSION", 0, "VERSION", 0, "")                  \
    X(M07, "00000000 FFFFFFFF", CORRUPT, "LABEL_LEN", 4, "LABEL_LEN", 4, "")                       \
    X(M08, "00000000 00000002 0061", CORRUPT, "LABEL_TRUNC", 4, "LABEL_TRUNC", 4, "")              \
    X(M09, "00000000 00000001 00", CORRUPT, "LABEL_TRUNC", 4, "LABEL_TRUNC", 4, "")                \
    X(M10, "00000000 7FFFFFFF 0061", CORRUPT, "LABEL_TRUNC", 4, "LABEL_TRUNC", 4, "")              \
    X(M11, "00000000 00000001 D83D", CORRUPT, "LABEL_UTF16", 8, "", 0, "")                         \
    X(M12, "00000000 00000002 DE00D83D", CORRUPT, "LABEL_UTF16", 8, "", 0, "")                     \
    X(M13, "00000000 00000003 D83D001FDE00", CORRUPT, "LABEL_UTF16", 8, "", 0, "")                 \
    X(M14, P "00", CORRUPT, "COUNT_TRUNC", 14, "", 0, "")                                          \
    X(M15, P "00000000 000000", CORRUPT, "COUNT_TRUNC", 18, "", 0, "{}")                           \
    X(M16, P "FFFFFFFF", CORRUPT, "COUNT_NEG", 14, "COUNT_NEG", 14, "")                            \
    X(M17, P "80000000", CORRUPT, "COUNT_NEG", 14, "COUNT_NEG", 14, "")                            \
    X(M18, P "00000001", CORRUPT, "ROW_TRUNC", 14, "ROW_TRUNC", 14, "")                            \
    X(M19, P "00000002", CORRUPT, "ROW_TRUNC", 14, "ROW_TRUNC", 14, "")                            \
    X(M20, P "00000001 0000", CORRUPT, "ROW_TRUNC", 14, "ROW_TRUNC", 14, "")                       \
    X(M21, P "00000001 00000000", CORRUPT, "ROW_TRUNC", 14, "ROW_TRUNC", 14, "")                   \
    X(M22, P "00000001 00000000 3FF00000000000", CORRUPT, "ROW_TRUNC", 14, "ROW_TRUNC", 14, "")    \
    X(M23, P "00000002 00000000" ONE, CORRUPT, "ROW_TRUNC", 14, "ROW_TRUNC", 14, "")               \
    X(M24, P "00000003 00000000" ONE "00000001" ONE "00000001" ONE, CORRUPT, "COUNT_GT_N", 14, "", \
      0, "[3FF0000000000000 3FF0000000000000]")                                                    \
    X(M25, P "7FFFFFFF", CORRUPT, "COUNT_GT_N", 14, "ROW_TRUNC", 14, "")                           \
    X(M26, P "15555556 00000000 00000000", CORRUPT, "COUNT_GT_N", 14, "ROW_TRUNC", 14, "")         \
    X(M27, P "00000001 00000002" ONE, CORRUPT, "INDEX_RANGE", 18, "", 0, "{}")                     \
    X(M28, P "00000001 FFFFFFFF" ONE, CORRUPT, "INDEX_NEG", 18, "", 0, "{}")                       \
    X(M29, P "00000002 00000001" ONE "00000001" ONE, CORRUPT, "INDEX_DUP", 30, "", 0,              \
      "{1:3FF0000000000000}")                                                                      \
    X(M30, P "00000002 00000001" ONE "00000000" ONE, CORRUPT, "INDEX_ORDER", 30, "", 0,            \
      "[3FF0000000000000 3FF0000000000000]")                                                       \
    X(M31,                                                                                         \
      "00000000 00000001 0061 00000001 00000000 4022000000000000" TAIL "00000001"                  \
      "4010000000000000",                                                                          \
      CORRUPT, "INDEX_RANGE", 34, "ROW_TRUNC", 50, "[4022000000000000]{}{}{}")                     \
    X(M32, "00000000 00000001 D83DDE00 00000001 00000000" ONE, CORRUPT, "LABEL_UTF16", 8,          \
      "COUNT_NEG", 10, "")                                                                         \
    X(M33, P "01000000 00000000 000000000000F03F", CORRUPT, "COUNT_GT_N", 14, "ROW_TRUNC", 14, "")

/* The expected result of one mode. */
typedef struct verdict {
    dv_status status;
    const char *rule; /* "": none */
    int64_t offset;
    const char *rows; /* read before the error; NULL: any */
} verdict;

static void expect_verdict(const char *hex, const dv_open_options *options, const verdict *want)
{
    dvt_btable table = {0};
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    char rule[32] = "";
    dvt_btable_hex(&table, hex);
    dv_view *view = dvt_btable_open(&table, options, &err);
    if (view)
        dvt_btable_rows(&lines, view, NULL, &err); /* cursors report defects of rows */
    dv_view_release(&view);

    if (*want->rule)
        snprintf(rule, sizeof rule, "btable:%s", want->rule);
    cr_expect_eq(err.status, want->status, "%s", err.message);
    cr_expect_str_eq(err.rule, rule);
    cr_expect_eq(err.offset, want->offset, "%s", err.message);
    cr_expect(!*want->rule || (*err.expected && *err.found), "%s", err.message);
    cr_expect(!*want->rule || strncmp(err.message, "bytes: ", 7) == 0, "%s", err.message);
    if (want->rows)
        cr_expect_str_eq(lines.data ? lines.data : "", want->rows);
    dvt_lines_free(&lines);
    dvt_btable_free(&table);
}

static void expect_both(const char *hex, const verdict *strict, const verdict *lenient)
{
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = io;
        expect_verdict(hex, &options, strict);
        options.lenient = true;
        expect_verdict(hex, &options, lenient);
    }
}

#define X(id, hex, code, rule, offset, lenient_rule, lenient_offset, rows)                         \
    Test(btable_reject, id)                                                                        \
    {                                                                                              \
        const bool is_read = !*lenient_rule;                                                       \
        const verdict strict = {DV_ERR_##code, rule, offset, NULL};                                \
        const verdict lenient = {is_read ? DV_OK : DV_ERR_##code, lenient_rule,                    \
                                 is_read ? -1 : lenient_offset, rows};                             \
        expect_both(hex, &strict, &lenient);                                                       \
    }
REJECT_LIST(X)
#undef X

/* --- Accepted vectors ------------------------------------------------------------------------- */

/* id, bytes, names of the slots, rows. */
#define NONE                                                                                       \
    {                                                                                              \
        NULL, 0                                                                                    \
    }
#define NAMES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
#define ACCEPT_LIST(X)                                                                             \
    X(A01, "00000000 00000000", NONE, "")                                                          \
    X(A02, "00000000 00000000 00000001 00000000" ONE, NONE, "[3FF0000000000000]")                  \
    X(A03, P, NAMES("a|b"), "")                                                                    \
    X(A04, P "00000000", NAMES("a|b"), "{}")                                                       \
    X(A05, P "00000002 00000000 0000000000000000 00000001 8000000000000000", NAMES("a|b"),         \
      "[0000000000000000 8000000000000000]")                                                       \
    X(A06, P "00000002 00000000 7FF8000000000123 00000001 FFF0000000000000", NAMES("a|b"),         \
      "[7FF8000000000123 FFF0000000000000]")                                                       \
    X(A07, P "00000001 00000001 0000000000000001", NAMES("a|b"), "{1:0000000000000001}")           \
    X(A08, "00000000 00000001 001F 00000001 00000001" ONE, NONE, "{1:3FF0000000000000}")           \
    X(A09, "00000000 00000002 0061001F 00000001 00000001" ONE, NAMES("a|"),                        \
      "{1:3FF0000000000000}")                                                                      \
    X(A10, "00000000 00000003 0061001F0061", NAMES("a|a"), "")                                     \
    X(A11, "00000000 00000002 D83DDE00 00000001 00000000" ONE, NAMES("\xF0\x9F\x98\x80"),          \
      "[3FF0000000000000]")                                                                        \
    X(A12, "00000000 00000001 011F 00000001 00000000" ONE, NAMES("\xC4\x9F"),                      \
      "[3FF0000000000000]")                                                                        \
    X(A13, "00000000 00000002 FEFF0061",                                                           \
      NAMES("\xEF\xBB\xBF"                                                                         \
            "a"),                                                                                  \
      "")                                                                                          \
    X(A14, "00000000 00000003 006100000062", NAMES("a\0b"), "")

static void expect_names(dv_view *view, dv_text names)
{
    dvt_lines lines = {0};
    const bool has = dvt_btable_names(&lines, view);
    cr_expect_eq(has, names.data != NULL);
    cr_assert_eq((int64_t)lines.nbytes, names.nbytes);
    if (has)
        cr_expect_arr_eq(lines.data, names.data, lines.nbytes);
    dvt_lines_free(&lines);
}

static void expect_accept(const char *hex, dv_text names, const char *rows)
{
    for (int way = 0; way < 4; way++) {
        dvt_btable table = {0};
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
        options.lenient = way / 2;
        dvt_btable_hex(&table, hex);
        dv_view *view = dvt_btable_open(&table, &options, &err);
        cr_assert_not_null(view, "%s", err.message);
        expect_names(view, names);
        cr_expect_eq(dvt_btable_rows(&lines, view, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_str_eq(lines.data ? lines.data : "", rows);
        dv_view_release(&view);
        dvt_lines_free(&lines);
        dvt_btable_free(&table);
    }
}

#define X(id, hex, names, rows)                                                                    \
    Test(btable_accept, id)                                                                        \
    {                                                                                              \
        static const dv_text name = names;                                                         \
        expect_accept(hex, name, rows);                                                            \
    }
ACCEPT_LIST(X)
