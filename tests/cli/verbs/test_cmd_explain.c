/* SPDX-License-Identifier: MIT */
/* test_cmd_explain.c: `dataview explain` prints the cited rule, in any spelling. */
#include "cli/run.h"

#define SAY "dataview: "
static const dvt_setting narrow = {DVT_STDOUT_PIPE, 40, false, NULL};

Test(cmd_explain, a_row)
{
    dvt_expect(DVT_RUN("explain", "idv:L1"), 0, "*    error", "");
    dvt_expect(DVT_RUN("explain", "btable:COUNT_NEG"), 0,
               "btable:COUNT_NEG  docs/spec/btable.md#COUNT_NEG\n"
               "7. Reader rules\n"
               "\n"
               "    broken when  `n < 0`\n",
               "");
    dvt_expect(DVT_RUN_WITH(&narrow, "explain", "idv:M2"), 0,
               "idv:M2  docs/spec/idv.md#M2\n"
               "3.3 Metadata TOC at the metadata TOC\n"
               "offset\n"
               "\n"
               "    check  kind not empty\n"
               "    error  FORMAT\n",
               "");
}

Test(cmd_explain, a_section)
{
    dvt_expect(DVT_RUN_WITH(&narrow, "explain", "idv:5.7"), 0,
               "idv:5.7  docs/spec/idv.md#5.7\n"
               "5.7 Metadata blocks\n"
               "\n"
               "Exactly a block with n = 1 of the given\n"
               "codec. E.g. text \"abc\": `01 00 00 00 03\n"
               "00 00 00 03 61 62 63`.\n",
               "");
    /* All that is below it, down to the next of its level; tables that fit are aligned. */
    dvt_expect(DVT_RUN("explain", "idv:3"), 0,
               "*\n#   check                                        error\n"
               "L1  nb <= 2^31-1                                 UNSUPPORTED\n",
               "");
    dvt_expect(DVT_RUN("explain", "idv:3"), 0, "*\n3.3 Metadata TOC", "");
    /* Code stays as it is. */
    dvt_expect(DVT_RUN("explain", "idv:4"), 0,
               "*\n    codec := str   load name (must not be empty)\n", "");
}

/* Neither anchors nor marks of emphasis are shown, but products are. */
Test(cmd_explain, markdown)
{
    dvt_run run = DVT_RUN("explain", "datadings:5.1");
    cr_expect(!strstr(dvt_text_of(&run.out), "<a id"));
    cr_expect(!strstr(dvt_text_of(&run.out), "**"));
    cr_expect(!strstr(dvt_text_of(&run.out), "]("));
    dvt_expect(run, 0, NULL, "");
    dvt_expect(DVT_RUN("explain", "idv:T3"), 0, "*tail - 16*nb", "");
    dvt_expect(DVT_RUN("explain", "datadings:6"), 0, "*`-s/--strategy random|concat`", "");
}

Test(cmd_explain, in_other_spellings)
{
    static const char *const words[] = {"idv.md M2",          "idv M2",      "IDV:m2",
                                        "(idv:M2)",           "idv rule M2", "idv#M2.",
                                        "docs/spec/idv.md#M2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        dvt_expect(DVT_RUN("explain", words[i]), 0, "*idv:M2  docs/spec/idv.md#M2\n", "");
    dvt_expect(DVT_RUN("explain", "idv.md", "M2"), 0, "*idv:M2  docs", "");
    dvt_expect(DVT_RUN("explain", "M2"), 0, "*idv:M2  docs", ""); /* btable has M02 */
    dvt_expect(DVT_RUN("explain", "semantics",
                       "\u00a7"
                       "5.4"),
               0, "*semantics:5.4  docs", "");
    dvt_expect(DVT_RUN("explain", "index_dup"), 0, "*btable:INDEX_DUP  docs", "");
}

Test(cmd_explain, refusals)
{
    static const struct {
        const char *words[2], *sentence;
    } cases[] = {
        {{"5.4"}, "'5.4' is a rule of several pages: datadings:5.4, idv:5.4, semantics:5.4"},
        {{"idv:T9"}, "there is no rule idv:T9; did you mean idv:T1?"},
        {{"btable:COUNTNEG"}, "there is no rule btable:COUNTNEG; did you mean btable:COUNT_NEG?"},
        {{"INDEX_DUB"}, "there is no rule INDEX_DUB; did you mean btable:INDEX_DUP?"},
        {{"btable", "something"},
         "there is no rule btable:something; dataview explain btable lists them"},
        {{"something"}, "there is no rule something; dataview explain lists the pages"},
        {{"docs/resuming.md"}, "docs/resuming.md is a document, not a rule of the specification"},
        {{"()"}, "explain takes a rule, such as idv:T3, not '()'"},
        {{"idv:0123456789012345678901234567890123456789", "0123456789"},
         "explain takes one rule, such as idv:T3, not "
         "'idv:012345678901234567890123456789012345...'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[160];
        snprintf(sentence, sizeof sentence, SAY "%s\n", cases[i].sentence);
        dvt_expect(DVT_RUN("explain", cases[i].words[0], cases[i].words[1]), 2, "", sentence);
    }
}

/* Every page, and every rule of one; each that is listed can be asked for. */
Test(cmd_explain, lists)
{
    dvt_expect(DVT_RUN("explain"), 0, "*\nidv          ", "");
    dvt_expect(DVT_RUN_WITH(&narrow, "explain", "idv"), 0,
               "*\nidv:H1     256 header bytes can be read\nidv:H2     signature equal\n", "");
    dvt_expect(DVT_RUN_WITH(&narrow, "explain", "idv.md"), 0,
               "*\nidv:2.2    2.2 Checks in the order ML.N\u2026\n", "");
    dvt_run list = DVT_RUN("explain", "btable");
    int rules = 0;
    for (char *line = list.out.data; *line; rules++) {
        char *const end = strchr(line, '\n');
        char title[64];
        line[strcspn(line, " ")] = 0;
        snprintf(title, sizeof title, "*%s  docs/spec/btable.md#%s\n", line, strchr(line, ':') + 1);
        dvt_expect(DVT_RUN("explain", line), 0, title, "");
        line = end + 1;
    }
    cr_expect_gt(rules, 60);
    dvt_expect(list, 0, NULL, "");
}

Test(cmd_explain, as_json)
{
    dvt_expect(DVT_RUN("explain", "--json", "idv:M2"), 0,
               "{\"verb\":\"explain\",\"pages\":[\n"
               "{\"page\":\"idv\",\"title\":\"ML.NET's binary data view\",\"rules\":186}],"
               "\"rules\":[\n"
               "{\"rule\":\"idv:M2\",\"location\":\"docs/spec/idv.md#M2\","
               "\"section\":\"3.3 Metadata TOC at the metadata TOC offset\","
               "\"summary\":\"kind not empty\","
               "\"text\":\"| # | check | error |\\n|---|---|---|\\n"
               "| <a id=\\\"M2\\\"></a>M2 | kind not empty | FORMAT |\\n\"}]}\n",
               "");
    dvt_expect(DVT_RUN("explain", "--json"), 0, "*\"rules\":[]}\n", "");
    dvt_expect(DVT_RUN("explain", "--json", "idv"), 0,
               "*\"summary\":\"signature equal\",\"text\":null}", "");
}
