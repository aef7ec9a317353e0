/* SPDX-License-Identifier: MIT */
/* test_diff_value.c: vectors are compared slot by slot, dense or sparse, and the slot is reported.
 *
 *
 * No file stores the same values in other ways, so this includes the source of the command. */
#include "cli/terminal/default_item.c"
#include "cli/verbs/diff_value.c"
#include "support/columns.h"
#include "support/test.h"

#define HUGE_TOLERANCE 1e300

/* One row of V<I4,4>: 0, 7, 0, 9 in three forms, and others that differ. */
typedef struct form {
    const char *items, *count, *indices;
} form;

static const form forms[] = {
    {"00000000 07000000 00000000 09000000", "FFFFFFFF", ""},
    {"07000000 09000000", "02000000", "01000000 03000000"},
    {"07000000 00000000 09000000", "03000000", "01000000 02000000 03000000"},
    {"07000000 09000000", "02000000", "00000000 03000000"},          /* 7 in slot 0 */
    {"00000000 07000000 01000000 09000000", "FFFFFFFF", ""},         /* 1 in slot 2 */
    {"07000000 09000000 05000000", "02000000", "01000000 02000000"}, /* 9 in slot 2 */
    {"07000000", "01000000", "01000000"},                            /* nothing in slot 3 */
};

#define FORMS (int)(sizeof forms / sizeof *forms)

static const dvi_diff_rule by_bits = {-1, false}, by_layout = {-1, true};

typedef struct vector {
    dv_column_view items, column;
} vector;

static void make(vector *v, const form *f, int32_t size)
{
    v->items = dvt_column_fixed(dv_type_of(DV_KIND_I4), f->items);
    v->column = dvt_column_vector(&v->items, size, f->count, f->indices);
}

static void unmake(vector *v)
{
    dvt_column_free(&v->column);
    dvt_column_free(&v->items);
}

/* The aspect and its slot. */
static dvi_aspect hold(const dvi_diff_rule *rule, int a, int b, int32_t *slot_out)
{
    vector x, y;
    dvi_difference d;
    make(&x, &forms[a], 4);
    make(&y, &forms[b], 4);
    const dv_value v = dv_value_first(&x.column), w = dv_value_first(&y.column);
    const bool differs = dvi_diff_value_find(&d, rule, &v, &w);
    cr_expect_eq(differs, d.aspect != DVI_ASPECT_NONE);
    *slot_out = d.slot;
    unmake(&x);
    unmake(&y);
    return d.aspect;
}

Test(diff_value, the_same_values_in_other_forms)
{
    int32_t slot;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            cr_expect_eq(hold(&by_bits, a, b, &slot), DVI_ASPECT_NONE, "%d %d", a, b);
}

Test(diff_value, the_first_slot_that_differs)
{
    static const int32_t want[] = {0, 2, 2, 3};
    for (int a = 0; a < 3; a++)
        for (int b = 3; b < FORMS; b++) {
            int32_t slot;
            cr_expect_eq(hold(&by_bits, a, b, &slot), DVI_ASPECT_VALUE, "%d %d", a, b);
            cr_expect_eq(slot, want[b - 3], "%d %d: slot %d", a, b, slot);
            cr_expect_eq(hold(&by_bits, b, a, &slot), DVI_ASPECT_VALUE);
            cr_expect_eq(slot, want[b - 3]);
        }
}

Test(diff_value, layout)
{
    int32_t slot;
    for (int a = 0; a < FORMS; a++)
        cr_expect_eq(hold(&by_layout, a, a, &slot), DVI_ASPECT_NONE);
    cr_expect_eq(hold(&by_layout, 0, 1, &slot), DVI_ASPECT_DENSE);
    cr_expect_eq(slot, -1);
    cr_expect_eq(hold(&by_layout, 2, 0, &slot), DVI_ASPECT_DENSE);
    cr_expect_eq(hold(&by_layout, 1, 2, &slot), DVI_ASPECT_STORED);
    cr_expect_eq(slot, 2);
    cr_expect_eq(hold(&by_layout, 2, 1, &slot), DVI_ASPECT_STORED);
}

Test(diff_value, lengths)
{
    vector x, y;
    dvi_difference d;
    make(&x, &forms[1], 4);
    make(&y, &forms[1], 5);
    const dv_value v = dv_value_first(&x.column), w = dv_value_first(&y.column);
    cr_expect(dvi_diff_value_find(&d, &by_bits, &v, &w));
    cr_expect_eq(d.aspect, DVI_ASPECT_LENGTH);
    cr_expect_eq(d.a.length, 4);
    cr_expect_eq(d.b.length, 5);
    unmake(&x);
    unmake(&y);
}

/* Two reals of 8 bytes. */
static bool are_different(const char *a, const char *b, double tolerance)
{
    dv_column_view x = dvt_column_fixed(dv_type_of(DV_KIND_R8), a);
    dv_column_view y = dvt_column_fixed(dv_type_of(DV_KIND_R8), b);
    const dvi_diff_rule rule = {tolerance, false};
    const dv_value v = dv_value_first(&x), w = dv_value_first(&y);
    dvi_difference d;
    const bool differs = dvi_diff_value_find(&d, &rule, &v, &w);
    dvt_column_free(&x);
    dvt_column_free(&y);
    return differs;
}

#define ZERO "0000000000000000"
#define MINUS_ZERO "0000000000000080"
#define ONE "000000000000F03F"
#define THREE "0000000000000840"
#define NEXT "010000000000F03F" /* after 1 */
#define NAN_1 "010000000000F87F"
#define NAN_2 "000000000000F8FF"
#define INFINITE "000000000000F07F"
#define MINUS_INFINITE "000000000000F0FF"
#define GREATEST "FFFFFFFFFFFFEF7F"

Test(diff_value, tolerance)
{
    static const struct {
        const char *a, *b;
        double tolerance;
        bool differs;
    } cases[] = {
        {ZERO, ZERO, -1, false},
        {ZERO, MINUS_ZERO, -1, true},
        {ZERO, MINUS_ZERO, 0, false},
        {ONE, NEXT, -1, true},
        {ONE, NEXT, 0, true},
        {ONE, NEXT, 1e-15, false},
        {ONE, THREE, 1.99, false}, /* relative to the larger: 3 * 0.67 */
        {ONE, THREE, 0.67, false},
        {ONE, THREE, 0.66, true},
        {ZERO, ONE, 1, false}, /* absolute */
        {ZERO, ONE, 0.99, true},
        {NAN_1, NAN_1, -1, false},
        {NAN_1, NAN_2, -1, true},
        {NAN_1, NAN_2, 0, false},
        {NAN_1, ONE, HUGE_TOLERANCE, true},
        {INFINITE, INFINITE, 0, false},
        {INFINITE, MINUS_INFINITE, HUGE_TOLERANCE, true},
        {INFINITE, GREATEST, HUGE_TOLERANCE, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(are_different(cases[i].a, cases[i].b, cases[i].tolerance), cases[i].differs,
                     "case %zu", i);
        cr_expect_eq(are_different(cases[i].b, cases[i].a, cases[i].tolerance), cases[i].differs);
    }
}

/* Rows that begin anywhere in their batch; NA belongs to a text. */
Test(diff_value, runs_of_texts)
{
    dv_column_view a = dvt_column_text(DV_KIND_TX, "xabbc", 1, "02000000 04000000 05000000");
    dv_column_view b = dvt_column_text(DV_KIND_TX, "abbcc", 0, "01000000 03000000 04000000");
    dv_column_view na = dvt_column_text(DV_KIND_TX, "abb", 0, "01000000 03000000 03000080");
    dv_column_view empty = dvt_column_text(DV_KIND_TX, "abb", 0, "01000000 03000000 03000000");
    dvi_run x = {.column = &a}, y = {.column = &b};
    cr_expect(dvi_run_equal(&x, &y, 3));
    x.first = y.first = 1;
    cr_expect(dvi_run_equal(&x, &y, 2));
    y.first = 0;
    cr_expect_not(dvi_run_equal(&x, &y, 1)); /* "bb" and "a" */
    x = (dvi_run){.column = &na};
    y = (dvi_run){.column = &empty};
    cr_expect(dvi_run_equal(&x, &y, 2));
    cr_expect_not(dvi_run_equal(&x, &y, 3));
    dvt_column_free(&a);
    dvt_column_free(&b);
    dvt_column_free(&na);
    dvt_column_free(&empty);
}

Test(diff_value, types_that_can_be_held_against_each_other)
{
    const dv_type i4 = dv_type_of(DV_KIND_I4), u4 = dv_type_of(DV_KIND_U4);
    const dv_type any = dv_type_vector(i4, 0), four = dv_type_vector(i4, 4);
    const dv_type key = dv_type_key(DV_KIND_U4, 0, 5), other = dv_type_key(DV_KIND_U4, 1, 5);
    cr_expect(dvi_diff_value_can(&i4, &i4));
    cr_expect(dvi_diff_value_can(&any, &four));
    cr_expect_not(dvi_diff_value_can(&i4, &four));
    cr_expect_not(dvi_diff_value_can(&i4, &u4));
    cr_expect_not(dvi_diff_value_can(&u4, &key));
    cr_expect_not(dvi_diff_value_can(&key, &other));
}
