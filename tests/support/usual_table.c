/* SPDX-License-Identifier: MIT */
/* usual_table.c: a small table of columns that suit many steps of pipelines. */
#include "support/usual_table.h"
#include "support/produce.h"
#include <dataview/table.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

dv_view *dvt_usual_table_open(void)
{
    static const char *const words[DVT_USUAL_ROWS] = {
        "the cat", "a b a", "", NULL, "The  dog, 12", "b\xC3\xA9 A", "a", " x ", "cat a"};
    static const char *const pairs[2 * DVT_USUAL_ROWS] = {"a", "b",   "the", NULL, "",    "a",
                                                          "b", "b c", "a",   "b",  "x",   "",
                                                          "a", "a",   "the", "b",  "cat", "x"};
    static const float reals[DVT_USUAL_ROWS] = {1, -2, 0, NAN, 2.5F, INFINITY, -0.0F, 1, 3};
    static const double vectors[3 * DVT_USUAL_ROWS] = {
        1, 0, -3, NAN, 2, 2, 0, 0, 0, 4, 5, 6, 0, 1, 2, 7, 0, 0, 1, 1, 1, 2, 3, 4, 9, 0.5, -1};
    static const int8_t labels[DVT_USUAL_ROWS] = {1, 0, 1, DV_BL_NA, 0, 1, 1, 0, 0};
    static const uint32_t keys[DVT_USUAL_ROWS] = {1, 2, 3, 0, 1, 1, 2, 3, 2};
    const dv_table_column columns[] = {
        {"words", dv_type_of(DV_KIND_TX), words, NULL},
        {"pairs", dv_type_vector(dv_type_of(DV_KIND_TX), 2), pairs, NULL},
        {"real", dv_type_of(DV_KIND_R4), reals, NULL},
        {"reals", dv_type_vector(dv_type_of(DV_KIND_R8), 3), vectors, NULL},
        {"label", dv_type_of(DV_KIND_BL), labels, NULL},
        {"key", dv_type_key(DV_KIND_U4, 0, 3), keys, NULL}};
    dv_view *view;
    DVT_MUST(dv_table_create(&view, columns, COUNT(columns), DVT_USUAL_ROWS, NULL, NULL) == DV_OK);
    return view;
}
