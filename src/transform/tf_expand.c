/* SPDX-License-Identifier: MIT */
/* tf_expand.c: writes terms as often as their frequencies say. A text is measured before it is
 * written: a few digits may ask for more than there is room for. */
#include "transform/tf_expand.h"
#include "base/check.h"
#include "base/load.h"
#include "codec/scalar.h"
#include "codec/space.h"
#include "view/identity.h"
#include "transform/text_items.h"
#include "transform/token_vectors.h"
#include <string.h>

#define PIECES 64     /* that are read together */
#define BATCH_ROWS 64 /* at most: few bytes may become 1 MiB in each */

/* The params of a column. */
typedef struct params {
    dvi_words words; /* pieces: a term, and perhaps its frequency */
    dv_text frequency;
    int32_t column; /* of the source */
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_word_reader reader;
    dvi_token_vectors texts;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_word_reader_free(&m->reader);
    dvi_token_vectors_free(&m->texts);
}

/* --- A text ----------------------------------------------------------------------------------- */

/* Where the frequency begins, with what stands before it; -1: there is none. */
static int64_t find_last(dv_text piece, dv_text what)
{
    int64_t at = piece.nbytes - what.nbytes;
    while (at >= 0 && memcmp(piece.data + at, what.data, (size_t)what.nbytes) != 0)
        at--;
    return at < 0 ? -1 : at;
}

/* The term of a piece, and how often it comes. false: its frequency is no integer. */
static bool read_piece(dv_text *term_out, int64_t *times_out, dv_text piece, dv_text frequency)
{
    static const dv_type type = {.kind = DV_KIND_I8};
    dv_scalar number;
    const int64_t at = find_last(piece, frequency);
    *term_out = at < 0 ? piece : dvi_text_trim_blanks((dv_text){piece.data, at});
    *times_out = 1;
    if (at < 0)
        return true;
    const int64_t begin = at + frequency.nbytes;
    const dv_text digits =
        dvi_text_trim_blanks((dv_text){piece.data + begin, piece.nbytes - begin});
    if (digits.nbytes <= 0 ||
        !dvi_scalar_parse(&number, &type, digits.data, (size_t)digits.nbytes, '.') ||
        number.i8 == INT64_MIN)
        return false;
    *times_out = number.i8 > 0 ? number.i8 : 0;
    return true;
}

static char *write_times(char *dst, dv_text term, int64_t times)
{
    for (; times > 0; times--) {
        memcpy(dst, term.data, (size_t)term.nbytes);
        dst += term.nbytes;
        *dst++ = ' ';
    }
    return dst;
}

/* Write the terms of a text to dst, if it is not NULL. Returns their bytes in *nbytes_out; -1: the
 * text becomes NA. */
static dv_status expand(int64_t *nbytes_out, char *dst, const dvi_filling *f, dv_text text,
                        dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    dv_text pieces[PIECES], term;
    int64_t used = 0, times;
    *nbytes_out = -1;
    if (text.nbytes < 0)
        return DV_OK;
    DVI_TRY(dvi_word_reader_begin(&m->reader, text, f->allocator, err));
    for (int n; (n = dvi_word_reader_read(&m->reader, pieces, PIECES)) > 0;)
        for (int i = 0; i < n; i++) {
            if (!read_piece(&term, &times, pieces[i], p->frequency))
                return DV_OK;
            if (term.nbytes <= 0)
                continue;
            if (times > (DVI_EXPANDED_NBYTES - used) / (term.nbytes + 1))
                return DV_OK;
            used += times * (term.nbytes + 1);
            dst = dst ? write_times(dst, term, times) : NULL;
        }
    *nbytes_out = used;
    return DV_OK;
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status add_text(const dvi_filling *f, dv_text text, int64_t row, dv_error *err)
{
    memory *m = f->memory;
    int64_t nbytes;
    char *room;
    DVI_TRY(expand(&nbytes, NULL, f, text, err));
    DVI_TRY(dvi_token_vectors_room(&m->texts, nbytes > 0 ? (size_t)nbytes : 0, &room, f->allocator,
                                   err));
    if (nbytes > 0)
        DVI_TRY(expand(&nbytes, room, f, text, err));
    dvi_token_vectors_add(&m->texts, nbytes > 0 ? (size_t)nbytes : 0);
    if (nbytes < 0) {
        uint8_t *end = m->texts.ends->data + 4 * row;
        dvi_store_u32(end, dvi_load_u32(end) | UINT32_C(1) << 31);
    }
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    const dvi_text_rows rows = dvi_text_rows_of(src);
    const size_t nbytes = (size_t)dvi_text_extent_of(src, src->rows).nbytes;
    DVI_TRY(dvi_token_vectors_start(&m->texts, src->rows, nbytes, f->allocator, err));
    dvi_word_reader_start(&m->reader, &p->words, NULL);
    for (int64_t row = 0; row < src->rows; row++)
        DVI_TRY(add_text(f, dvi_text_rows_at(&rows, row), row, err));
    dvi_token_vectors_texts(&m->texts, f->type, dst);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dvi_words_identify(&p->words, identity);
    dvi_identity_add_i8(identity, p->frequency.nbytes);
    dv_identity_add(identity, p->frequency.data, (size_t)p->frequency.nbytes);
}

static const dvi_maker maker = {.name = "expand",
                                .identify = identify,
                                .describe = dvi_no_metadata,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .batch_rows = BATCH_ROWS,
                                .release = release_memory};

dv_status dvi_expand_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                          int32_t column, const dvi_separators *separators, dv_text frequency,
                          dv_error *err)
{
    void *room;
    char found[96];
    const dv_type *type = &dv_schema_column(source, column)->type;
    dv_type_print(type, found, sizeof found);
    if (type->kind != DV_KIND_TX || type->rank > 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.11", -1, "what has terms",
                        "TX, not vectors|%s", found);
    if (frequency.nbytes <= 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.11", -1, "what precedes a frequency",
                        "one character or more|none");
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    params *p = room;
    *p = (params){{.separators = separators}, frequency, column};
    column_out->mapped = (dvi_mapped){&maker, p, &p->column, 1};
    column_out->type = dv_type_of(DV_KIND_TX);
    return DV_OK;
}
