/* SPDX-License-Identifier: MIT */
/* test_type.c: kinds, notation, checks and predicates. */
#include "support/test.h"

#include <dataview/type.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIMS_CAP 8

/* A type and the storage for its dims. */
typedef struct parsed {
    dv_type type;
    int32_t dims[DIMS_CAP];
    dv_error err;
} parsed;

static dv_status parse(parsed *p, const char *text)
{
    p->err = (dv_error)DV_ERROR_INIT;
    return dv_type_parse(&p->type, dv_text_of(text), p->dims, DIMS_CAP, &p->err);
}

static dv_type parse_type(parsed *p, const char *text)
{
    cr_assert_eq(parse(p, text), DV_OK, "%s: %s", text, p->err.message);
    return p->type;
}

static void expect_printed(const dv_type *type, const char *want)
{
    char text[128];
    const size_t n = dv_type_print(type, text, sizeof text);
    cr_expect_str_eq(text, want, "%s, not %s", text, want);
    cr_expect_eq(n, strlen(want));
}

/* --- Kinds ------------------------------------------------------------------------------------ */

#define EXPECT_KIND(kind_name, name, number, bytes, ctype, na, aliases)                            \
    cr_expect_eq((int)DV_KIND_##kind_name, number);                                                \
    cr_expect_str_eq(dv_kind_name(DV_KIND_##kind_name), #kind_name);                               \
    cr_expect_eq(dv_kind_width(DV_KIND_##kind_name), bytes);                                       \
    if (bytes != 0 && number != DV_KIND_DZ)                                                        \
        cr_expect_eq(sizeof(ctype), (size_t)bytes);

Test(type, kinds_have_names_and_widths)
{
    DV_TYPE_LIST(EXPECT_KIND)
    const int none[] = {-1, 0, 18, 63, 64, 65, INT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        cr_expect_str_eq(dv_kind_name((dv_kind)none[i]), "?");
        cr_expect_eq(dv_kind_width((dv_kind)none[i]), 0);
    }
}

/* number, standard scalar, NA: semantics:1.4. */
typedef struct kind_case {
    dv_kind kind;
    bool is_number, is_standard, has_na;
} kind_case;

static const kind_case kind_cases[] = {
    {DV_KIND_I1, true, true, true},    {DV_KIND_U1, true, true, false},
    {DV_KIND_I2, true, true, true},    {DV_KIND_U2, true, true, false},
    {DV_KIND_I4, true, true, true},    {DV_KIND_U4, true, true, false},
    {DV_KIND_I8, true, true, true},    {DV_KIND_U8, true, true, false},
    {DV_KIND_R4, true, true, true},    {DV_KIND_R8, true, true, true},
    {DV_KIND_TX, false, true, true},   {DV_KIND_BL, false, true, true},
    {DV_KIND_TS, false, true, true},   {DV_KIND_DT, false, true, true},
    {DV_KIND_DZ, false, true, true},   {DV_KIND_UG, true, true, false},
    {DV_KIND_BY, false, false, false},
};

Test(type, predicates_of_every_kind)
{
    for (size_t i = 0; i < sizeof kind_cases / sizeof *kind_cases; i++) {
        const kind_case *c = &kind_cases[i];
        const dv_type scalar = dv_type_of(c->kind);
        const dv_type vector = dv_type_vector(scalar, 3);
        const char *name = dv_kind_name(c->kind);
        cr_expect_eq(dv_type_check(&scalar, NULL), DV_OK, "%s", name);
        cr_expect_eq(dv_type_check(&vector, NULL), DV_OK, "%s", name);
        cr_expect_eq(dv_type_is_number(&scalar), c->is_number, "%s", name);
        cr_expect_eq(dv_type_is_standard_scalar(&scalar), c->is_standard, "%s", name);
        cr_expect_eq(dv_type_has_na(&scalar), c->has_na, "%s", name);
        cr_expect_eq(dv_type_has_na(&vector), c->has_na, "%s", name);
        cr_expect(dv_type_is_primitive(&scalar) && !dv_type_is_primitive(&vector), "%s", name);
        cr_expect(!dv_type_is_number(&vector) && !dv_type_is_standard_scalar(&vector), "%s", name);
        cr_expect(!dv_type_default_is_na(&scalar), "%s", name);
        cr_expect(dv_type_is_vector(&vector) && !dv_type_is_vector(&scalar), "%s", name);
    }
}

Test(type, predicates_of_keys)
{
    const dv_kind of[] = {DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};
    for (size_t i = 0; i < 4; i++) {
        const dv_type key = dv_type_key(of[i], 0, 10);
        const dv_type vector = dv_type_vector(key, 0);
        cr_expect_eq(dv_type_check(&key, NULL), DV_OK);
        cr_expect(dv_type_has_na(&key) && dv_type_default_is_na(&key));
        cr_expect(dv_type_has_na(&vector) && dv_type_default_is_na(&vector));
        cr_expect(dv_type_is_primitive(&key) && !dv_type_is_number(&key));
        cr_expect_not(dv_type_is_standard_scalar(&key));
    }
}

Test(type, an_extension_is_neither_primitive_nor_vector)
{
    const dv_type picture = dv_type_extension("Picture", 24);
    const dv_type other = dv_type_extension("Sound", 24), wider = dv_type_extension("Picture", 32);
    char name[] = "Picture"; /* another address */
    const dv_type same = dv_type_extension(name, 24);
    cr_expect_eq(dv_type_check(&picture, NULL), DV_OK);
    cr_expect(!dv_type_is_primitive(&picture) && !dv_type_is_vector(&picture));
    cr_expect(!dv_type_is_number(&picture) && !dv_type_is_standard_scalar(&picture));
    cr_expect(!dv_type_has_na(&picture) && !dv_type_default_is_na(&picture));
    cr_expect(dv_type_equal(&picture, &same));
    cr_expect(!dv_type_equal(&picture, &other) && !dv_type_equal(&picture, &wider));
    expect_printed(&picture, "Picture");
}

/* --- Parts ------------------------------------------------------------------------------------ */

Test(type, vectors_have_parts)
{
    const int32_t dims[] = {2, 3}, open[] = {0, 64};
    const dv_type key = dv_type_key(DV_KIND_U4, 5, 10);
    const dv_type vector = dv_type_vector(key, 6), varying = dv_type_vector(key, 0);
    const dv_type tensor = dv_type_tensor(key, dims, 2), runs = dv_type_tensor(key, open, 2);
    const dv_type line = dv_type_tensor(key, dims, 1);

    cr_expect_eq(dv_type_value_count(&key), 1);
    cr_expect_eq(dv_type_value_count(&vector), 6);
    cr_expect_eq(dv_type_value_count(&varying), 0);
    cr_expect_eq(dv_type_value_count(&tensor), 6);
    cr_expect_eq(dv_type_value_count(&runs), 0);
    cr_expect(dv_type_is_known_size_vector(&vector) && dv_type_is_known_size_vector(&tensor));
    cr_expect(!dv_type_is_known_size_vector(&varying) && !dv_type_is_known_size_vector(&runs));
    cr_expect_not(dv_type_is_known_size_vector(&key));

    const dv_type item = dv_type_item(&tensor), itself = dv_type_item(&key);
    cr_expect(dv_type_equal(&item, &key) && dv_type_equal(&itself, &key));
    cr_expect(item.rank == 0 && item.size == 0 && item.dims == NULL);
    cr_expect(dv_type_dim(&tensor, 0) == 2 && dv_type_dim(&tensor, 1) == 3);
    cr_expect(dv_type_dim(&tensor, 2) == 0 && dv_type_dim(&tensor, -1) == 0);
    cr_expect(dv_type_dim(&vector, 0) == 6 && dv_type_dim(&vector, 1) == 0);
    cr_expect(dv_type_dim(&key, 0) == 0 && dv_type_dim(&runs, 1) == 64);
    cr_expect(line.rank == 1 && line.size == 2 && line.dims == NULL);
}

/* What equality, sameness and subtyping say of two types, in this order. */
static void expect_related(const char *a, const char *b, const char *want)
{
    parsed p, q;
    const dv_type x = parse_type(&p, a), y = parse_type(&q, b);
    const char got[] = {dv_type_equal(&x, &y) ? 'e' : '-',
                        dv_type_same_size_and_item(&x, &y) ? 's' : '-',
                        dv_type_is_subtype(&x, &y) ? '<' : '-', '\0'};
    cr_expect_str_eq(got, want, "%s and %s: %s, not %s", a, b, got, want);
}

Test(type, relations)
{
    expect_related("R4", "R4", "es<");
    expect_related("R4", "R8", "---");
    expect_related("U4", "U4[0-9]", "---");
    expect_related("U4[0-9]", "U4[0-9]", "es<");
    expect_related("U4[0-9]", "U2[0-9]", "---");
    expect_related("U4[0-9]", "U4[1-10]", "---");
    expect_related("U4[0-9]", "U4[0-8]", "---");
    expect_related("U4[0-*]", "U4[0]", "---");
    expect_related("V<R4,3>", "R4", "---");
    expect_related("R4", "V<R4,*>", "---");
    expect_related("R4", "V<R4,1>", "---");
    expect_related("V<R4,3,2>", "V<R4,3,2>", "es<");
    expect_related("V<R4,3,2>", "V<R4,2,3>", "-s<");
    expect_related("V<R4,3,2>", "V<R4,6>", "-s<");
    expect_related("V<R4,3,2>", "V<R4,*>", "--<");
    expect_related("V<R4,*>", "V<R4,3,2>", "---");
    expect_related("V<R4,*,2>", "V<R4,*>", "-s<");
    expect_related("V<R4,*,2>", "V<R4,*,3>", "-s<");
    expect_related("V<R4,*>", "V<R8,*>", "---");
    expect_related("V<U4[0-9],*>", "V<U4[0-9],*>", "es<");
    expect_related("V<U4[0-9],*>", "V<U4[0-7],*>", "---");
}

/* --- Check ------------------------------------------------------------------------------------ */

static void expect_no_type(dv_type type, const char *story)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_type_check(&type, NULL), DV_ERR_ARGUMENT, "%s", story);
    cr_expect_eq(dv_type_check(&type, &err), DV_ERR_ARGUMENT, "%s", story);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%s", story);
    cr_expect_str_not_empty(err.message, "%s", story);
}

static dv_type with(dv_type type, bool is_contiguous, int32_t rank)
{
    type.key_is_contiguous = is_contiguous;
    type.rank = rank;
    return type;
}

Test(type, check_refuses_what_is_no_type)
{
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    const int32_t negative[] = {2, -1}, wraps[] = {65536, 65536, 0}, wide[] = {46341, 46341};
    expect_no_type(dv_type_of(DV_KIND_NONE), "no kind");
    expect_no_type(dv_type_of((dv_kind)18), "a kind after the last");
    expect_no_type(dv_type_of((dv_kind)-1), "a negative kind");
    expect_no_type(dv_type_vector(r4, -1), "a negative size");
    expect_no_type(dv_type_tensor(r4, negative, 2), "a negative dim");
    expect_no_type(dv_type_tensor(r4, wraps, 3), "a product that wraps before a 0");
    expect_no_type(dv_type_tensor(r4, wide, 2), "a product over 2^31-1");
    expect_no_type(with(r4, true, -1), "a negative rank");
    expect_no_type(with(r4, true, 2), "a rank without dims");
    dv_type unlike = dv_type_tensor(r4, (const int32_t[]){2, 3}, 2);
    unlike.size = 5;
    expect_no_type(unlike, "a size unlike its dims");

    expect_no_type(dv_type_extension(NULL, 8), "no name");
    expect_no_type(dv_type_extension("", 8), "an empty name");
    expect_no_type(dv_type_extension("Picture", 0), "no width");
    expect_no_type(dv_type_vector(dv_type_extension("Picture", 8), 3), "a vector of extensions");
    dv_type key = dv_type_extension("Picture", 8);
    key.is_key = true;
    expect_no_type(key, "a key of an extension");
}

Test(type, check_refuses_keys_that_break_the_rules)
{
    expect_no_type(dv_type_key(DV_KIND_I4, 0, 10), "a key of I4");
    expect_no_type(dv_type_key(DV_KIND_R4, 0, 10), "a key of R4");
    expect_no_type(dv_type_key(DV_KIND_UG, 0, 10), "a key of UG");
    expect_no_type(dv_type_key(DV_KIND_U1, 0, 256), "more than U1 has");
    expect_no_type(dv_type_key(DV_KIND_U2, 0, 65536), "more than U2 has");
    expect_no_type(dv_type_key(DV_KIND_U4, 0, UINT64_C(1) << 32), "more than U4 has");
    expect_no_type(dv_type_key(DV_KIND_U8, 1, UINT64_MAX), "a last value over 2^64-1");
    expect_no_type(dv_type_key(DV_KIND_U1, UINT64_MAX, 1), "a last value over 2^64-1");
    expect_no_type(with(dv_type_key(DV_KIND_U4, 0, 10), false, 0), "a count, not contiguous");
    expect_no_type(dv_type_vector(dv_type_key(DV_KIND_U1, 0, 256), 3), "a vector of such keys");
}

Test(type, check_takes_keys_at_their_limits)
{
    const dv_type keys[] = {
        dv_type_key(DV_KIND_U1, 0, 255),
        dv_type_key(DV_KIND_U2, 0, 65535),
        dv_type_key(DV_KIND_U4, 0, UINT32_MAX),
        dv_type_key(DV_KIND_U8, 0, UINT64_MAX),
        dv_type_key(DV_KIND_U1, 1000, 100),
        dv_type_key(DV_KIND_U8, UINT64_MAX, 0),
        dv_type_key(DV_KIND_U8, UINT64_MAX - 1, 1),
        with(dv_type_key(DV_KIND_U4, 5, 0), false, 0),
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        cr_expect_eq(dv_type_check(&keys[i], NULL), DV_OK, "key %zu", i);

    const int32_t dims[] = {0, 65536, 65536}, most[] = {INT32_MAX, 1};
    const dv_type open = dv_type_tensor(dv_type_of(DV_KIND_R4), dims, 3);
    const dv_type full = dv_type_tensor(dv_type_of(DV_KIND_R4), most, 2);
    cr_expect_eq(dv_type_check(&open, NULL), DV_OK, "0 first: nothing wraps");
    cr_expect_eq(dv_type_check(&full, NULL), DV_OK);
}

/* --- Notation --------------------------------------------------------------------------------- */

static void expect_notation(const char *text, const char *printed)
{
    parsed p, again;
    const dv_type type = parse_type(&p, text);
    cr_expect_eq(dv_type_check(&type, NULL), DV_OK, "%s", text);
    expect_printed(&type, printed);
    const dv_type same = parse_type(&again, printed);
    cr_expect(dv_type_equal(&type, &same), "%s", text);
}

#define EXPECT_NAME(NAME, name, number, width, ctype, na, aliases) expect_notation(#NAME, #NAME);

Test(type, notation_of_kinds)
{
    DV_TYPE_LIST(EXPECT_NAME)
    const char *const names[][2] = {
        {"r4", "R4"},       {"Num", "R4"},  {"NUM", "R4"},  {"TXT", "TX"},
        {"Text", "TX"},     {"text", "TX"}, {"bool", "BL"}, {"TimeSpan", "TS"},
        {"DateTime", "DT"}, {"U16", "UG"},  {"ug", "UG"},   {"dateTIMEzone", "DZ"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_notation(names[i][0], names[i][1]);
}

Test(type, notation_of_keys)
{
    expect_notation("U4[100-199]", "U4[100-199]");
    expect_notation("u4[0-9]", "U4[0-9]");
    expect_notation("U4[1000-*]", "U4[1000-*]");
    expect_notation("U4[1000-]", "U4[1000-*]");
    expect_notation("U4[0-*]", "U4[0-*]");
    expect_notation("U4[5]", "U4[5]");
    expect_notation("[0-9]", "U4[0-9]");
    expect_notation("U1[1000-1099]", "U1[1000-1099]");
    expect_notation("U1[0-254]", "U1[0-254]");
    expect_notation("U8[0-18446744073709551614]", "U8[0-18446744073709551614]");
    expect_notation("U8[18446744073709551615]", "U8[18446744073709551615]");
    expect_notation("U8[18446744073709551615-*]", "U8[18446744073709551615-*]");
    expect_notation("U2[007-09]", "U2[7-9]");
    expect_notation("Key<U4, 0-9>", "U4[0-9]");
    expect_notation("key<u4,0-*>", "U4[0-*]");
    expect_notation("Key<U4, Min:5>", "U4[5]");
    expect_notation("Key<U1 , min:5>", "U1[5]");
}

Test(type, notation_of_vectors)
{
    expect_notation("V<R4,3,2>", "V<R4,3,2>");
    expect_notation("V<TX,*>", "V<TX,*>");
    expect_notation("v<U4[0-63],*>", "V<U4[0-63],*>");
    expect_notation("V<R4,*,64>", "V<R4,*,64>");
    expect_notation("V<R4,2,*>", "V<R4,2,*>");
    expect_notation("Vec<R4, 3, 2>", "V<R4,3,2>");
    expect_notation("Vec<TX>", "V<TX,*>");
    expect_notation("VEC<Key<U4, 0-9>, 3>", "V<U4[0-9],3>");
    expect_notation("V<Key<U4, Min:5>  ,  *>", "V<U4[5],*>");
    expect_notation("V<[0-3],4>", "V<U4[0-3],4>");
    expect_notation("V<R4,2147483647>", "V<R4,2147483647>");
    expect_notation("V<R4,*,65536,65536>", "V<R4,*,65536,65536>");
    expect_notation("V<BY,*>", "V<BY,*>");
    expect_notation("V<I1,1,2,3,4,5,6,7,8>", "V<I1,1,2,3,4,5,6,7,8>");
}

Test(type, notation_gives_the_parts)
{
    parsed p;
    dv_type t = parse_type(&p, "U4[5]");
    cr_expect(t.is_key && !t.key_is_contiguous && t.key_min == 5 && t.key_count == 0);
    t = parse_type(&p, "U4[1000-]");
    cr_expect(t.is_key && t.key_is_contiguous && t.key_min == 1000 && t.key_count == 0);
    t = parse_type(&p, "U8[0-18446744073709551614]");
    cr_expect(t.is_key && t.key_is_contiguous && t.key_min == 0 && t.key_count == UINT64_MAX);
    t = parse_type(&p, "V<R4,*>");
    cr_expect(t.rank == 1 && t.size == 0 && t.dims == NULL);
    t = parse_type(&p, "V<R4,7>");
    cr_expect(t.rank == 1 && t.size == 7 && t.dims == NULL);
    t = parse_type(&p, "V<R4,4,*>");
    cr_expect(t.rank == 2 && t.size == 0 && t.dims == p.dims && p.dims[0] == 4 && p.dims[1] == 0);
}

static void expect_refused(const char *text, int64_t offset)
{
    parsed p;
    cr_expect_eq(parse(&p, text), DV_ERR_ARGUMENT, "%s", text);
    cr_expect_eq(p.err.status, DV_ERR_ARGUMENT, "%s", text);
    cr_expect_eq(p.err.offset, offset, "%s: %s", text, p.err.message);
    cr_expect(*p.err.expected && *p.err.found, "%s: %s", text, p.err.message);
    cr_expect_eq(p.type.kind, DV_KIND_NONE, "%s", text);
}

Test(type, notation_refuses_names)
{
    expect_refused("", 0);
    expect_refused("R5", 0);
    expect_refused("R", 0);
    expect_refused("R44", 0);
    expect_refused("Tex", 0);
    expect_refused("TXT Text", 3);
    expect_refused(" R4", 0);
    expect_refused("R4 ", 2);
    expect_refused("R4,3", 2);
    expect_refused("Key", 0);
    expect_refused("Vec", 0);
    expect_refused("V", 0);
    expect_refused("V<>", 2);
    expect_refused("V<V<R4,2>,3>", 2);
    expect_refused("V<Vec<R4>,3>", 2);
    expect_refused("Key<Key<U4,0-9>,0-9>", 4);
    expect_refused("\xC3\xA9", 0);
}

Test(type, notation_refuses_keys)
{
    expect_refused("U4[]", 3);
    expect_refused("U4[-5]", 3);
    expect_refused("U4[*]", 3);
    expect_refused("U4[5", 4);
    expect_refused("U4[5-", 5);
    expect_refused("U4[5-9", 6);
    expect_refused("U4[0-9]x", 7);
    expect_refused("U4[0-9][0-9]", 7);
    expect_refused("U4[9-0]", 5);
    expect_refused("U4[0 -9]", 4);
    expect_refused("U4[0-**]", 6);
    expect_refused("I4[0-9]", 0);
    expect_refused("R4[5]", 0);
    expect_refused("U1[0-255]", 5);
    expect_refused("U4[0-4294967295]", 5);
    expect_refused("U8[0-18446744073709551615]", 5);
    expect_refused("U8[1-18446744073709551615]", 5);
    expect_refused("U8[18446744073709551616]", 3);
    expect_refused("U8[0-99999999999999999999]", 5);
    expect_refused("Key<U4>", 6);
    expect_refused("Key<I4, 0-9>", 4);
    expect_refused("Key<, 0-9>", 4);
    expect_refused("Key<U4, 5>", 9);
    expect_refused("Key<U4, Max:5>", 8);
    expect_refused("Key<U4, Min 5>", 11);
    expect_refused("Key<U4, Min:>", 12);
    expect_refused("Key<U4, 0-9", 11);
    expect_refused("Key<U4, Min:5", 13);
    expect_refused("V<U1[0-255],3>", 7);
}

Test(type, notation_refuses_vectors)
{
    expect_refused("V<R4>", 4);
    expect_refused("V<R4,>", 5);
    expect_refused("V<R4,3", 6);
    expect_refused("V<R4,3,>", 7);
    expect_refused("V<R4,0>", 5);
    expect_refused("V<R4,-1>", 5);
    expect_refused("V<R4,3 >", 6);
    expect_refused("V <R4,3>", 0);
    expect_refused("V<R4,3>>", 7);
    expect_refused("V<R4,2147483648>", 5);
    expect_refused("V<R4,65536,65536>", 11);
    expect_refused("V<R4,65536,65536,*>", 11);
    expect_refused("Vec<R4", 6);
}

Test(type, parsing_needs_storage_from_rank_2_on)
{
    dv_type type;
    dv_error err = DV_ERROR_INIT;
    int32_t dims[2] = {7, 7};
    cr_expect_eq(dv_type_parse(&type, dv_text_of("V<R4,3>"), NULL, 0, &err), DV_OK);
    cr_expect_eq(dv_type_parse(&type, dv_text_of("V<R4,3,2>"), dims, 2, &err), DV_OK);
    cr_expect_eq(dv_type_parse(&type, dv_text_of("V<R4,3,2>"), NULL, 0, NULL), DV_ERR_LIMIT);
    cr_expect_eq(dv_type_parse(&type, dv_text_of("V<R4,3,2>"), dims, 1, NULL), DV_ERR_LIMIT);
    cr_expect_eq(dv_type_parse(&type, dv_text_of("V<R4,3,2,1>"), dims, 2, &err), DV_ERR_LIMIT);
    cr_expect_eq(err.status, DV_ERR_LIMIT);
    cr_expect_eq(err.offset, 9);
    cr_expect_str_eq(err.rule, "dims_cap");
    cr_expect_eq(type.kind, DV_KIND_NONE);
}

Test(type, parsing_reads_no_further_than_the_text)
{
    dv_type type;
    cr_expect_eq(dv_type_parse(&type, (dv_text){"R45", 2}, NULL, 0, NULL), DV_OK);
    cr_expect_eq(dv_type_parse(&type, (dv_text){"R4", 1}, NULL, 0, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_type_parse(&type, dv_text_of(NULL), NULL, 0, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_type_parse(&type, (dv_text){NULL, 0}, NULL, 0, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_type_parse(&type, (dv_text){"R4\0", 3}, NULL, 0, NULL), DV_ERR_ARGUMENT);
}

Test(type, printing_wants_its_length_whatever_fits)
{
    parsed p;
    const dv_type type = parse_type(&p, "V<U4[0-9],2,*>");
    const char whole[] = "V<U4[0-9],2,*>";
    const size_t n = strlen(whole);
    for (size_t cap = 1; cap <= n + 2; cap++) {
        char text[32];
        memset(text, 'x', sizeof text);
        const size_t fits = cap - 1 < n ? cap - 1 : n;
        cr_expect_eq(dv_type_print(&type, text, cap), n);
        cr_expect(memcmp(text, whole, fits) == 0 && text[fits] == '\0', "cap %zu", cap);
        cr_expect_eq(text[cap], 'x', "cap %zu", cap);
    }
    cr_expect_eq(dv_type_print(&type, NULL, 0), n);
}

Test(type, the_locale_plays_no_part)
{
    const char *const locales[] = {"tr_TR.UTF-8", "de_DE.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        setlocale(LC_ALL, locales[i]); /* those that are not installed change nothing */
        expect_notation("timespan", "TS");
        expect_notation("V<R4,2147483647>", "V<R4,2147483647>");
    }
    setlocale(LC_ALL, "C");
}
