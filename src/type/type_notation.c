/* SPDX-License-Identifier: MIT */
/* type_notation.c: prints types in the notation of semantics:1, and parses them. */
#include "base/check.h"
#include "base/size.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- Printing --------------------------------------------------------------------------------- */

typedef struct printer {
    char *dst;
    size_t cap, n; /* n counts what does not fit, too */
} printer;

static void print(printer *p, const char *format, ...) DVI_PRINTF(2, 3);

static void print(printer *p, const char *format, ...)
{
    const bool fits = p->n < p->cap;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(fits ? p->dst + p->n : NULL, fits ? p->cap - p->n : 0, format, args);
    va_end(args);
    p->n += n > 0 ? (size_t)n : 0;
}

static void print_item(printer *p, const dv_type *type)
{
    const bool is_extension = type->kind == DV_KIND_EXTENSION;
    print(p, "%s", is_extension ? type->extension : dv_kind_name(type->kind));
    if (!type->is_key)
        return;
    print(p, "[%" PRIu64, type->key_min);
    if (type->key_count > 0)
        print(p, "-%" PRIu64, type->key_min + (type->key_count - 1));
    else if (type->key_is_contiguous)
        print(p, "-*");
    print(p, "]");
}

size_t dv_type_print(const dv_type *type, char *dst, size_t cap)
{
    printer p = {dst, cap, 0};
    if (!dv_type_is_vector(type)) {
        print_item(&p, type);
        return p.n;
    }
    print(&p, "V<");
    print_item(&p, type);
    for (int32_t i = 0; i < type->rank; i++) {
        const int32_t dim = dv_type_dim(type, i);
        if (dim > 0)
            print(&p, ",%" PRId32, dim);
        else
            print(&p, ",*");
    }
    print(&p, ">");
    return p.n;
}

/* --- Parsing ---------------------------------------------------------------------------------- */

/*   type   = item | "V<" item dims ">" | "Vec<" item [dims] ">"
 *   dims   = "," dim { "," dim }           dim = digits, not 0 | "*"
 *   item   = kind | [kind] "[" range "]" | "Key<" kind "," (span | "Min:" digits) ">"
 *   range  = digits | span                 not contiguous | contiguous
 *   span   = digits "-" [digits | "*"]
 *
 * Blanks may stand around commas; names match in any case; without a kind it is U4. */
typedef struct notation {
    dv_text text;
    int64_t at;
    dv_error *err;
} notation;

static dv_status refuse(const notation *n, int64_t at, const char *expected)
{
    const int64_t left = n->text.nbytes - at;
    const dv_text rest = {n->text.data + at, left};
    return dvi_fail(n->err, DV_ERR_ARGUMENT, "semantics:1", at, "type", "%s|%s", expected,
                    left > 0 ? dvi_show(rest).text : "the end");
}

static char peek(const notation *n)
{
    return n->at < n->text.nbytes ? n->text.data[n->at] : '\0';
}

static bool take(notation *n, char c)
{
    const bool is_there = n->at < n->text.nbytes && n->text.data[n->at] == c;
    n->at += is_there;
    return is_there;
}

static bool take_comma(notation *n)
{
    const int64_t before = n->at;
    while (take(n, ' ')) {
    }
    if (!take(n, ',')) {
        n->at = before;
        return false;
    }
    while (take(n, ' ')) {
    }
    return true;
}

static dv_status require(notation *n, char c)
{
    const char expected[] = {'\'', c, '\'', '\0'};
    return take(n, c) ? DV_OK : refuse(n, n->at, expected);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ASCII only, whatever the locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(dv_text text, const char *word, size_t n)
{
    if ((size_t)text.nbytes != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (lower(text.data[i]) != lower(word[i]))
            return false;
    return true;
}

/* Letters and digits; may be empty. */
static dv_text read_word(notation *n)
{
    const int64_t at = n->at;
    while (is_digit(peek(n)) || (lower(peek(n)) >= 'a' && lower(peek(n)) <= 'z'))
        n->at++;
    return (dv_text){n->text.data + at, n->at - at};
}

/* Is the word the name, or one of the aliases with a blank between them? */
static bool names_kind(dv_text word, const char *name, const char *aliases)
{
    if (is_word(word, name, strlen(name)))
        return true;
    for (size_t width; *aliases; aliases += width + strspn(aliases + width, " ")) {
        width = strcspn(aliases, " ");
        if (is_word(word, aliases, width))
            return true;
    }
    return false;
}

#define FIND_KIND(NAME, name, number, width, ctype, na, aliases)                                   \
    if (names_kind(word, #NAME, aliases))                                                          \
        return DV_KIND_##NAME;

static dv_kind find_kind(dv_text word)
{
    DV_TYPE_LIST(FIND_KIND)
    return DV_KIND_NONE;
}

static dv_status read_number(notation *n, uint64_t most, uint64_t *number_out)
{
    const int64_t at = n->at;
    uint64_t number = 0;
    if (!is_digit(peek(n)))
        return refuse(n, at, "a number");
    for (; is_digit(peek(n)); n->at++) {
        const uint64_t digit = (uint64_t)(peek(n) - '0');
        if (number > most / 10 || 10 * number > most - digit)
            return refuse(n, at, "a smaller number");
        number = 10 * number + digit;
    }
    *number_out = number;
    return DV_OK;
}

/* What follows "MIN-". */
static dv_status read_span_end(notation *n, dv_type *key)
{
    const int64_t at = n->at;
    uint64_t last;
    if (take(n, '*') || !is_digit(peek(n)))
        return DV_OK;
    DVI_TRY(read_number(n, UINT64_MAX, &last));
    if (last < key->key_min)
        return refuse(n, at, "a number that is not below the first");
    key->key_count = last - key->key_min + 1; /* 0 when all of 2^64 are meant */
    if (key->key_count == 0 || dv_type_check(key, NULL) != DV_OK)
        return refuse(n, at, "no more values than the kind has");
    return DV_OK;
}

static dv_status read_range(notation *n, dv_type *key)
{
    DVI_TRY(read_number(n, UINT64_MAX, &key->key_min));
    if (take(n, '-'))
        return read_span_end(n, key);
    key->key_is_contiguous = false;
    return DV_OK;
}

/* A key in brackets, after its kind. */
static dv_status read_brackets(notation *n, dv_type *key)
{
    DVI_TRY(require(n, '['));
    DVI_TRY(read_range(n, key));
    return require(n, ']');
}

/* A key as it is displayed: after "Key<U4". */
static dv_status read_displayed(notation *n, dv_type *key)
{
    if (!take_comma(n))
        return refuse(n, n->at, "','");
    if (is_digit(peek(n))) {
        DVI_TRY(read_number(n, UINT64_MAX, &key->key_min));
        DVI_TRY(require(n, '-'));
        DVI_TRY(read_span_end(n, key));
        return require(n, '>');
    }
    const int64_t at = n->at;
    if (!is_word(read_word(n), "Min", 3))
        return refuse(n, at, "a number, or 'Min:'");
    DVI_TRY(require(n, ':'));
    DVI_TRY(read_number(n, UINT64_MAX, &key->key_min));
    key->key_is_contiguous = false;
    return require(n, '>');
}

static dv_status read_key(notation *n, dv_kind kind, int64_t kind_at,
                          dv_status (*read)(notation *, dv_type *), dv_type *item_out)
{
    dv_type key = dv_type_key(kind, 0, 0);
    if (dv_type_check(&key, NULL) != DV_OK)
        return refuse(n, kind_at, "U1, U2, U4 or U8");
    DVI_TRY(read(n, &key));
    *item_out = key;
    return DV_OK;
}

/* `word` has been read at `at`: the first of the item. */
static dv_status read_item(notation *n, dv_text word, int64_t at, dv_type *item_out)
{
    if (is_word(word, "Key", 3) && take(n, '<')) {
        at = n->at;
        return read_key(n, find_kind(read_word(n)), at, read_displayed, item_out);
    }
    const bool is_key = peek(n) == '[';
    const dv_kind kind = is_key && word.nbytes == 0 ? DV_KIND_U4 : find_kind(word);
    if (kind == DV_KIND_NONE)
        return refuse(n, at, "the name of a type");
    if (is_key)
        return read_key(n, kind, at, read_brackets, item_out);
    *item_out = dv_type_of(kind);
    return DV_OK;
}

static dv_status read_dim(notation *n, int32_t *dim_out)
{
    uint64_t dim = 0;
    const int64_t at = n->at;
    if (!take(n, '*')) {
        DVI_TRY(read_number(n, INT32_MAX, &dim));
        if (dim == 0)
            return refuse(n, at, "a size, or '*'");
    }
    *dim_out = (int32_t)dim;
    return DV_OK;
}

/* Everything after the item; *type is the item before, the vector after. */
static dv_status read_dims(notation *n, dv_type *type, int32_t *dims, int32_t cap)
{
    int32_t rank = 0, size = 1, first = 0;
    for (; take_comma(n); rank++) {
        const int64_t at = n->at;
        int32_t dim = 0;
        DVI_TRY(read_dim(n, &dim));
        if (__builtin_mul_overflow(size, dim, &size))
            return refuse(n, at, "dims whose product is at most 2^31-1");
        if (rank > 0 && rank >= cap)
            return dvi_fail(n->err, DV_ERR_LIMIT, "dims_cap", at, "type", "at most %d dims|more",
                            cap);
        if (rank == 1)
            dims[0] = first; /* storage is needed from rank 2 on */
        if (rank > 0)
            dims[rank] = dim;
        else
            first = dim;
    }
    *type = rank < 2 ? dv_type_vector(*type, first) : dv_type_tensor(*type, dims, rank);
    return rank > 0 ? DV_OK : DV_NOT_FOUND;
}

static dv_status read_vector(notation *n, bool needs_dims, dv_type *type_out, int32_t *dims,
                             int32_t cap)
{
    const int64_t at = n->at;
    dv_type type;
    DVI_TRY(read_item(n, read_word(n), at, &type));
    const dv_status found = read_dims(n, &type, dims, cap);
    DVI_TRY(found);
    if (found == DV_NOT_FOUND && needs_dims)
        return refuse(n, n->at, "','");
    *type_out = type;
    return require(n, '>');
}

dv_status dv_type_parse(dv_type *type_out, dv_text text, int32_t *dims, int32_t dims_cap,
                        dv_error *err)
{
    notation n = {text, 0, err};
    if (text.nbytes <= 0)
        n.text = (dv_text){"", 0};
    dv_type type = {0};
    *type_out = type;

    const dv_text word = read_word(&n);
    const bool is_short = is_word(word, "V", 1);
    if ((is_short || is_word(word, "Vec", 3)) && take(&n, '<'))
        DVI_TRY(read_vector(&n, is_short, &type, dims, dims_cap));
    else
        DVI_TRY(read_item(&n, word, 0, &type));
    if (n.at < n.text.nbytes)
        return refuse(&n, n.at, "nothing more");
    *type_out = type;
    return DV_OK;
}
