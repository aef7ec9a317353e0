/* SPDX-License-Identifier: MIT */
/* test_retype.c: --convert NAME:TYPE. */
#include "cli/run.h"
#include "support/file.h"

#define SAY "dataview: --convert"

Test(retype, every_verb)
{
    dvt_expect(DVT_RUN("head", "-n1", "-c", "Age,Seen", "--convert", "Age:TX", "--convert=Seen:I8",
                       DVT_GOLDEN("people")),
               0,
               "Age                Seen\nTX                   I8\nNaN  637134336000000000\n"
               "1 of 600 rows, 2 columns\n",
               "");
    dvt_expect(DVT_RUN("tail", "-n1", "-c", "Age", "--convert", "Age:R8", DVT_GOLDEN("people")), 0,
               "*\n R8\n", "");
    dvt_expect(
        DVT_RUN("cat", "--take", "3", "-c", "Age", "--convert", "Age:BL", DVT_GOLDEN("people")), 0,
        "Age\n1\n1\n1\n", "");
    dvt_expect(DVT_RUN("stats", "-c", "Age", "--convert", "Age:BL", DVT_GOLDEN("people")), 0,
               "*1 \xC3\x97"
               "594, 0 \xC3\x97"
               "6",
               "");
    dvt_expect(DVT_RUN("bench", "--json", "--convert", "Age:R8", DVT_GOLDEN("people")), 0,
               "*\"rows\":600", "");
    dvt_expect(DVT_RUN("diff", "--convert", "Age:TX", DVT_GOLDEN("people"), DVT_GOLDEN("people")),
               0, NULL, "");
    dvt_expect(DVT_RUN("info", "--convert", "Age:R8", DVT_GOLDEN("people")), 2, "",
               SAY " is not an option of info\n");
    dvt_expect(DVT_RUN("cat", "--help"), 0, "*--convert NAME:TYPE", "");
}

/* Written files have the new types. */
Test(retype, written)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", "-c", "Age,Seen", "--convert", "Age:R8",
                       DVT_GOLDEN("people"), out.text),
               0, "", "");
    dvt_expect(DVT_RUN("schema", out.text), 0,
               "#  column  type  metadata\n0  Age     R8\n1  Seen    DT\n", "");
    dvt_folder_remove(&folder);
}

/* The old column is still there, hidden. */
Test(retype, schema)
{
    dvt_expect(DVT_RUN("schema", "--convert", "Tags:R4", DVT_GOLDEN("people")), 0,
               "*\n4  Tags (hidden)  V<TX,*>\n5  Tags           V<R4,*>\n", "");
    dvt_expect(DVT_RUN("schema", "--json", "--convert", "Age:I8", DVT_GOLDEN("people")), 2, "",
               "*expected R4 R8 TX BL, found I8");
    dvt_expect(DVT_RUN("cat", "--take=2", "--hidden", "-c", "Age", "--convert", "Age:TX",
                       "--format", "exact", DVT_GOLDEN("people")),
               0, "*[\"r4:ffc00000\",\"NaN\"]\n[\"r4:3f800000\",\"1\"]\n", "");
}

/* Notations of types, and conversions that change no bits. */
Test(retype, types)
{
    static const char *const words[] = {"Tags:R4", "Tags:V<R4,*>", "Tags:vec<num, *>", "Tags:Num"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        dvt_expect(DVT_RUN("cat", "--take=1", "-c", "Tags", "--convert", words[i], "--format",
                           "exact", DVT_GOLDEN("people")),
                   0, "*\"type\":\"V<R4,*>\"", "");
    dvt_expect(DVT_RUN("schema", "--convert", "Name:[5-9]", DVT_GOLDEN("people")), 0,
               "*  U4[5-9]\n", "");
    dvt_expect(DVT_RUN("schema", "--convert", "Name:Key<U2, Min:5>", DVT_GOLDEN("people")), 0,
               "*  U2[5]\n", "");
    dvt_expect(DVT_RUN("cat", "--take=1", "-c", "K4", "--convert", "K4:U1", "--format", "exact",
                       DVT_GOLDEN("scalar-all-raw-rpb7")),
               0, "*\"type\":\"U1[0-4]\"", "");
}

Test(retype, usage)
{
    const char *people = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN("head", "--convert", "Age", people), 2, "",
               SAY " expects NAME:TYPE, such as Age:R8, not 'Age'\n");
    dvt_expect(DVT_RUN("head", "--convert", ":R8", people), 2, "", "*--convert expects NAME:TYPE");
    dvt_expect(DVT_RUN("head", "--convert", "Age:", people), 2, "", "*--convert expects NAME:TYPE");
    dvt_expect(DVT_RUN("head", "--convert"), 2, "", SAY " needs a value: --convert NAME:TYPE\n");
    dvt_expect(DVT_RUN("head", "--convert", "Ag:TX", people), 2, "",
               SAY ": no column is called 'Ag'; did you mean Age?\n");
    dvt_expect(DVT_RUN("head", "--convert", "Qqqqqq:TX", people), 2, "",
               SAY ": no column is called 'Qqqqqq'\n");
    dvt_expect(DVT_RUN("head", "--convert", "Age:Q4", people), 2, "",
               SAY " Age:Q4: not a type such as R8, TX, U4[0-9] or V<R4,3>: expected the name "
                   "of a type, found Q4\n");
    dvt_expect(DVT_RUN("head", "--convert", "Age:I4", people), 2, "",
               SAY ": column \"Age\": what R4 converts to: expected R4 R8 TX BL, found I4 "
                   "(semantics:4.1)\n");
    dvt_expect(DVT_RUN("head", "--convert", "Tags:V<R4,3>", people), 2, "",
               "*expected V<R4,*>, found V<R4,3>");
    dvt_expect(DVT_RUN("head", "--convert", "Age:R8", "--convert", "Age:TX", people), 2, "",
               SAY ": two new columns are called \"Age\"\n");
}

/* What the new type cannot hold is an error, or missing where that is asked for. */
Test(retype, losses)
{
    const char *people = DVT_GOLDEN("people");
    dvt_path folder = dvt_folder_create();
    const dvt_path out = dvt_path_in(&folder, "out.idv"), text = dvt_path_in(&folder, "in.csv");
    static const char lines[] = "a,b\n1.5,x\n\"\",x\n\"1,024\",x\n";
    dvt_file_write(&text, lines, sizeof lines - 1);
    dvt_expect(
        DVT_RUN("cat", "--quiet", "--convert", "a:R8", text.text), 1, NULL,
        "*: column \"a\": conversion: expected a value of R8, found 1,024 (semantics:4.2); the "
        "step convert makes NA of it\n");
    dvt_expect(DVT_RUN("cat", "--quiet", "--take=2", "--convert", "a:R8", text.text), 0,
               "a\tb\n1.5\tx\n\tx\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--pipe", "convert a type=R8", text.text), 0,
               "a\tb\n1.5\tx\n0\tx\n\tx\n", "");
    dvt_expect(DVT_RUN("convert", "--quiet", "--convert", "Name:R8", people, out.text), 1, "",
               "*found user 0 (semantics:4.2)");
    dvt_expect(DVT_RUN("convert", "--quiet", "--allow-loss=fields", "--convert", "Name:R8", people,
                       out.text),
               0, "", "");
    dvt_folder_remove(&folder);
}

/* Several files are one table; damage is reported as without --convert. */
Test(retype, files)
{
    dvt_expect(DVT_RUN("cat", "-c", "Age", "--convert", "Age:TX", "--rows", "599:602",
                       DVT_GOLDEN("people"), DVT_GOLDEN("people")),
               0, "Age\n59\nNaN\n1\n", "");
    dvt_expect(
        DVT_RUN("cat", "--convert", "x:TX", DVT_MALFORMED("block_second_in_header.CORRUPT.L4@280")),
        1, NULL, "*offset 280: ");
}
