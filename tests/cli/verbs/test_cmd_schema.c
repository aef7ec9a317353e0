/* SPDX-License-Identifier: MIT */
/* test_cmd_schema.c: `dataview schema` shows every column, with its type and metadata. */
#include "cli/run.h"

#define RAW DVT_GOLDEN("metadata-raw")

Test(cmd_schema, a_line_per_column)
{
    dvt_expect(DVT_RUN("schema", RAW), 0,
               "#  column  type     metadata\n"
               "0  feat    V<R4,6>  SlotNames, IsNormalized, CategoricalSlotRanges\n"
               "1  label   U4[0-2]  KeyValues\n"
               "2  rating  U4[0-3]  KeyValues\n"
               "3  score   R4       ScoreColumnKind, ScoreValueKind, ScoreColumnSetId\n"
               "4  odd     R4       Custom Kind é, Many, Id, Span, When, WhenZ, I1, U8\n",
               "");
}

Test(cmd_schema, hidden_columns_are_marked)
{
    dvt_expect(DVT_RUN("schema", DVT_GOLDEN("names-duplicate-kept")), 0,
               "#  column      type  metadata\n"
               "0  x (hidden)  R4\n"
               "1  x (hidden)  R8\n"
               "2  y           TX\n"
               "3  x           TX\n",
               "");
}

Test(cmd_schema, values_of_the_metadata)
{
    dvt_expect(DVT_RUN("schema", "--metadata", RAW), 0,
               "#  column  type\n"
               "0  feat    V<R4,6>\n"
               "     SlotNames  V<TX,6>  [slot0 \"\" slot2 \"\" slot4 \"\"]\n"
               "     IsNormalized  BL  1\n"
               "     CategoricalSlotRanges  V<I4,2,2>  [0 2 3 5]\n"
               "1  label   U4[0-2]\n"
               "     KeyValues  V<TX,3>  [chat chien \"oiseau é😀\"]\n"
               "2  rating  U4[0-3]\n"
               "     KeyValues  V<R4,4>  [1.5 2.5 NA 4.5]\n"
               "3  score   R4\n"
               "     ScoreColumnKind  TX  BinaryClassification\n"
               "     ScoreValueKind  TX  Score\n"
               "     ScoreColumnSetId  U4[0-2147483646]  0\n"
               "4  odd     R4\n"
               "     Custom Kind é  R8  3.141592653589793\n"
               "     Many  V<TX,*>  [a \"\" bé]\n"
               "     Id  UG  0x00000000000000020000000000000001\n"
               "     Span  TS  -2276.17:45:12.9309201\n"
               "     When  DT  2026-11-21T01:02:03\n"
               "     WhenZ  DZ  1999-12-31T00:00:00+05:30\n"
               "     I1  I1  -5\n"
               "     U8  U8  18446744073709551615\n",
               "");
}

Test(cmd_schema, sparse_metadata_are_shown_by_slot)
{
    dvt_expect(DVT_RUN("schema", "--metadata", DVT_GOLDEN("metadata-sparse-slotnames")), 0,
               "*     SlotNames  V<TX,50>  [3:three 49:last … 50, 2 set]\n", "");
}

Test(cmd_schema, fits_a_narrow_terminal)
{
    const dvt_setting setting = {DVT_STDOUT_TERMINAL, 40, false, NULL};
    dvt_expect(DVT_RUN_WITH(&setting, "schema", RAW), 0,
               "#  column  type     metadata\n"
               "0  feat    V<R4,6>  SlotNames, IsNormal…\n"
               "1  label   U4[0-2]  KeyValues\n"
               "2  rating  U4[0-3]  KeyValues\n"
               "3  score   R4       ScoreColumnKind, Sc…\n"
               "4  odd     R4       Custom Kind é, Many…\n",
               "");
    dvt_expect(DVT_RUN_WITH(&setting, "schema", "--metadata", RAW), 0,
               "*     SlotNames  V<TX,6>  [slot0 \"\" … 6]\n"
               "     IsNormalized  BL  1\n",
               "");
}

Test(cmd_schema, names_are_whole_if_the_width_is_unknown)
{
    char name[257];
    memset(name, 'n', 256);
    name[256] = 0;
    dvt_run run = DVT_RUN("schema", DVT_GOLDEN("names-unicode"));
    cr_expect(strstr(dvt_text_of(&run.out), name));
    dvt_expect(run, 0, "*7  \\x00 ", "");
}

Test(cmd_schema, damaged_metadata_end_it)
{
    const char *file = DVT_MALFORMED("metadata_boolean_2.CORRUPT.5.2@276");
    dvt_expect(DVT_RUN("schema", file), 0, "*0  x ", "");
    dvt_expect(DVT_RUN("schema", "--metadata", file), 1, "*0  x ", "*offset 276: ");
}

Test(cmd_schema, no_columns)
{
    dvt_expect(DVT_RUN("schema", DVT_CRAFTED("no-columns")), 0, "#  column  type  metadata\n", "");
}
