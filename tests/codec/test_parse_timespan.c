/* SPDX-License-Identifier: MIT */
/* test_parse_timespan.c: parsed spans of time: every form, every limit, and printed values. */
#include "support/test.h"

#include "codec/datetime.h"
#include "codec/parse.h"
#include "support/page.h"
#include <string.h>

#define SECOND DVI_TICKS_PER_SECOND
#define MINUTE DVI_TICKS_PER_MINUTE
#define HOUR DVI_TICKS_PER_HOUR
#define DAY DVI_TICKS_PER_DAY

static void expect_parsed(const char *text, int64_t want, bool is_good)
{
    const size_t n = strlen(text);
    const char *src = (const char *)dvt_page_copy_end(dvt_shared_page(0), text, n);
    int64_t ticks = 77;
    cr_expect_eq(dvi_parse_ts(&ticks, src, n), is_good, "'%s'", text);
    cr_expect_eq(ticks, want, "'%s': %lld, not %lld", text, (long long)ticks, (long long)want);
}

static void expect(const char *text, int64_t want)
{
    expect_parsed(text, want, true);
}

static void expect_bad(const char *text)
{
    expect_parsed(text, DV_TICKS_NA, false);
}

Test(parse_timespan, forms)
{
    expect("", 0);
    expect("5", 5 * DAY);
    expect("-5", -5 * DAY);
    expect("1:02", HOUR + 2 * MINUTE);
    expect("1.2:3", DAY + 2 * HOUR + 3 * MINUTE);
    expect("1:2:3", HOUR + 2 * MINUTE + 3 * SECOND);
    expect("1.2:3:4", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND);
    expect("1:2:3:4", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND);
    expect("1:2:3.5", HOUR + 2 * MINUTE + 3 * SECOND + SECOND / 2);
    expect("1.2:3:4.5", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND + SECOND / 2);
    expect("1:2:3:4.5", DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND + SECOND / 2);
    expect(" \t-000001:00002 \xC2\xA0", -HOUR - 2 * MINUTE);
    expect("?", DV_TICKS_NA);
    expect("n/a", DV_TICKS_NA);
}

Test(parse_timespan, fields_out_of_range)
{
    expect("23:59:59", DAY - SECOND);
    expect("23:59", DAY - MINUTE);
    expect_bad("24:00");
    expect_bad("1:60");
    expect_bad("1:2:60");
    expect_bad("1:60:2");
    expect_bad("1.24:00");
    expect_bad("1.24:00:00");
    expect_bad("1.2:60:00");
    expect_bad("1:24:00:00");
    expect_bad("1:2:60:00");
    expect_bad("1:2:3:60");
    expect_bad("99999999999999999999999999");
    expect_bad("0:99999999999999999999999999");
}

/* Three fields that are not h:m:s may be d:h:m. */
Test(parse_timespan, three_fields_of_two_kinds)
{
    expect("24:00:00", 24 * DAY);
    expect("24:23:59", 25 * DAY - MINUTE);
    expect_bad("24:24:00");
    expect_bad("23:60:00");
    expect_bad("24:00:00.0");
    expect("10675199:02:48", INT64_C(10675199) * DAY + 2 * HOUR + 48 * MINUTE);
}

Test(parse_timespan, fractions)
{
    expect("0:0:0.1", SECOND / 10);
    expect("0:0:0.1234567", 1234567);
    expect("0:0:0.0000001", 1);
    expect("0:0:0.01234567", 123457);
    expect("0:0:0.01234564", 123456);
    expect("0:0:0.01234565", 123457);
    expect("0:0:0.09999995", 1000000);
    expect("0:0:0.000000000000000000000000000000", 0);
    expect("0:0:0.00000005", 1);
    expect_bad("0:0:0.12345678");
    expect_bad("0:0:0.10000000");
    expect_bad("0:0:0.");
    expect_bad("0:0.5");
    expect_bad("0:0:0,5");
    expect_bad("0:0:0.1.1");
}

Test(parse_timespan, limits)
{
    expect("10675199", INT64_C(10675199) * DAY);
    expect_bad("10675200");
    expect("10675199.02:48:05.4775807", INT64_MAX);
    expect_bad("10675199.02:48:05.4775808");
    expect("-10675199.02:48:05.4775807", -INT64_MAX);
    expect("-10675199.02:48:05.4775808", DV_TICKS_NA);
    expect_bad("-10675199.02:48:05.4775809");
}

Test(parse_timespan, other_texts)
{
    static const char *const texts[] = {" ",         "-",
                                        ":",         ".",
                                        "+5",        "--5",
                                        "- 5",       "5-",
                                        "1 :2",      "1: 2",
                                        "1:",        ":1",
                                        "1::2",      "1:2:",
                                        "1:2:3:",    "1:2:3:4:5",
                                        "1.",        "1.5",
                                        ".5",        "1.1.1:1",
                                        "1.1:2:3:4", "5d",
                                        "P1D",       "1:2 AM",
                                        "1,5",       "\xEF\xBC\x91:02",
                                        "1\xE2\x80", "\xC2",
                                        "-:1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_bad(texts[i]);
    int64_t ticks;
    cr_expect_not(dvi_parse_ts(&ticks, "5\0", 2));
}

Test(parse_timespan, printed_spans_read_back)
{
    uint64_t state = 88172645463325252;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const int64_t ticks = (int64_t)state >> (i % 64);
        char text[DVI_DATETIME_NBYTES];
        int64_t back = 77;
        const size_t n = dvi_timespan_print(text, ticks);
        cr_expect(dvi_parse_ts(&back, text, n) && (back == ticks || ticks == DV_TICKS_NA), "%.*s",
                  (int)n, text);
    }
}
