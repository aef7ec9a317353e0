/* SPDX-License-Identifier: MIT */
/* words_model.c: texts to words, keys and counts of runs, the simple way. */
#include "words_model.h"
#include "base/utf8.h"
#include "codec/unit.h"
#include "meter.h"
#include <dataview/value.h>
#include <math.h>
#include <string.h>

void *dvt_room(dvi_arena *arena, size_t nbytes)
{
    void *room;
    DVT_CHECK(dvi_arena_alloc(arena, &room, nbytes + 1, NULL) == DV_OK);
    return room;
}

static bool is_same(dv_text a, dv_text b)
{
    return a.nbytes == b.nbytes && (a.nbytes <= 0 || memcmp(a.data, b.data, (size_t)a.nbytes) == 0);
}

static dv_text trim(dv_text text)
{
    while (text.nbytes > 0 && *text.data == ' ')
        text = (dv_text){text.data + 1, text.nbytes - 1};
    while (text.nbytes > 0 && text.data[text.nbytes - 1] == ' ')
        text.nbytes--;
    return text;
}

/* The first character, taken off the text. */
static dv_text next_character(dv_text *text)
{
    const size_t width = dvi_utf8_step(text->data, (size_t)text->nbytes);
    const dv_text character = {text->data, (int64_t)width};
    DVT_CHECK(width > 0);
    *text = (dv_text){text->data + width, text->nbytes - (int64_t)width};
    return character;
}

/* --- Texts ------------------------------------------------------------------------------------ */

static void add_text(dvi_arena *arena, dvt_texts *texts, dv_text text)
{
    DVT_CHECK(dvi_arena_append(arena, &texts->text, texts->n, &text, sizeof text, NULL) == DV_OK);
    texts->n++;
}

static int write_code(char *dst, uint32_t code)
{
    if (code < 0x80)
        return dst[0] = (char)code, 1;
    if (code < 0x800)
        return dst[0] = (char)(0xC0 | code >> 6), dst[1] = (char)(0x80 | (code & 63)), 2;
    dst[0] = (char)(0xE0 | code >> 12);
    dst[1] = (char)(0x80 | (code >> 6 & 63));
    dst[2] = (char)(0x80 | (code & 63));
    return 3;
}

dv_text dvt_model_norm(dvi_arena *arena, dv_text text, const dvt_norm *o)
{
    if (text.nbytes <= 0)
        return text;
    char *made = dvt_room(arena, 2 * (size_t)text.nbytes);
    int64_t n = 0;
    while (text.nbytes > 0) {
        const dv_text c = next_character(&text);
        uint32_t code = dvi_utf8_code(c.data, (size_t)c.nbytes);
        if (code > 0xFFFF) { /* two units, neither of which is a letter */
            memcpy(made + n, c.data, 4);
            n += 4;
            continue;
        }
        const uint8_t flags = dvi_unit_flags(code);
        if ((flags & DVI_UNIT_PUNCTUATION && !o->punctuation) ||
            (flags & DVI_UNIT_NUMBER && !o->numbers) || (flags & DVI_UNIT_MARK && !o->diacritics))
            continue;
        if (!o->diacritics)
            code = dvi_unit_plain(code);
        if (o->to_case < 2)
            code = o->to_case == 0 ? dvi_unit_lower(code) : dvi_unit_upper(code);
        n += write_code(made + n, code);
    }
    return (dv_text){made, n};
}

dvt_texts dvt_model_norms(dvi_arena *arena, dvt_texts texts, const dvt_norm *norm)
{
    dvt_texts made = {.n = 0};
    for (int32_t i = 0; i < texts.n; i++) {
        const dv_text text = dvt_model_norm(arena, texts.text[i], norm);
        if (text.nbytes > 0)
            add_text(arena, &made, text);
    }
    return made;
}

static bool is_separator(dv_text character, dv_text separators)
{
    while (separators.nbytes > 0)
        if (is_same(next_character(&separators), character))
            return true;
    return false;
}

dvt_texts dvt_model_split(dvi_arena *arena, dvt_texts texts, dv_text separators)
{
    dvt_texts words = {.n = 0};
    for (int32_t i = 0; i < texts.n; i++) {
        dv_text left = texts.text[i], word = {left.data, 0};
        while (left.nbytes > 0) {
            const dv_text c = next_character(&left);
            const bool ends = is_separator(c, separators);
            word.nbytes += ends ? 0 : c.nbytes;
            if (!ends && left.nbytes > 0)
                continue;
            if (trim(word).nbytes > 0)
                add_text(arena, &words, trim(word));
            word = (dv_text){left.data, 0};
        }
    }
    return words;
}

/* The last place of `what` in the piece; -1: none. */
static int64_t last_of(dv_text piece, dv_text what)
{
    int64_t last = -1;
    for (int64_t i = 0; i + what.nbytes <= piece.nbytes; i++)
        if (is_same((dv_text){piece.data + i, what.nbytes}, what))
            last = i;
    return last;
}

dv_text dvt_model_expand(dvi_arena *arena, dv_text text, dv_text separators, dv_text frequency)
{
    enum { MOST = 1 << 20 };
    static char made[MOST];
    static const dv_text na = {NULL, -1};
    const dvt_texts pieces = dvt_model_split(arena, (dvt_texts){&text, 1}, separators);
    const dv_type number = dv_type_of(DV_KIND_I8);
    int64_t n = 0;
    for (int32_t i = 0; i < pieces.n && text.nbytes >= 0; i++) {
        const dv_text piece = pieces.text[i];
        const int64_t at = last_of(piece, frequency), behind = at + frequency.nbytes;
        const dv_text term = at < 0 ? piece : trim((dv_text){piece.data, at});
        dv_scalar times = {.i8 = 1};
        if (at >= 0 &&
            (trim((dv_text){piece.data + behind, piece.nbytes - behind}).nbytes == 0 ||
             !dv_value_parse(&times, &number,
                             trim((dv_text){piece.data + behind, piece.nbytes - behind})) ||
             times.i8 == INT64_MIN))
            return na;
        for (; times.i8 > 0 && term.nbytes > 0; times.i8--) {
            if (n + term.nbytes + 1 > MOST)
                return na;
            memcpy(made + n, term.data, (size_t)term.nbytes);
            n += term.nbytes;
            made[n++] = ' ';
        }
    }
    if (text.nbytes < 0)
        return na;
    char *kept = dvt_room(arena, (size_t)n);
    memcpy(kept, made, (size_t)n);
    return (dv_text){kept, n};
}

dvt_texts dvt_model_stop(dvi_arena *arena, dvt_texts texts, dvt_texts stop)
{
    static const dvt_norm lower = {0, true, true, true};
    dvt_texts kept = {.n = 0};
    for (int32_t i = 0; i < texts.n; i++) {
        bool stays = texts.text[i].nbytes > 0;
        for (int32_t k = 0; k < stop.n && stays; k++)
            stays = !is_same(dvt_model_norm(arena, texts.text[i], &lower),
                             dvt_model_norm(arena, trim(stop.text[k]), &lower));
        if (stays)
            add_text(arena, &kept, texts.text[i]);
    }
    return kept;
}

/* --- Keys ------------------------------------------------------------------------------------- */

static void add_key(dvi_arena *arena, dvt_keys *keys, uint32_t key)
{
    DVT_CHECK(dvi_arena_append(arena, &keys->key, keys->n, &key, sizeof key, NULL) == DV_OK);
    keys->n++;
}

int32_t dvt_model_terms(dvi_arena *arena, const dvt_texts *rows, int32_t n, int64_t most,
                        dvt_keys *keys_out, dv_text **terms_out)
{
    dvt_texts terms = {.n = 0};
    for (int32_t row = 0; row < n; row++) {
        keys_out[row] = (dvt_keys){.n = 0};
        for (int32_t i = 0; i < rows[row].n; i++) {
            int32_t k = 0;
            while (k < terms.n && !is_same(terms.text[k], rows[row].text[i]))
                k++;
            if (k == terms.n && k < most)
                add_text(arena, &terms, rows[row].text[i]);
            add_key(arena, &keys_out[row], k < terms.n ? (uint32_t)k + 1 : 0);
        }
    }
    *terms_out = terms.text;
    return terms.n;
}

static void add_units(dvi_arena *arena, dvt_keys *keys, dv_text text)
{
    while (text.nbytes > 0) {
        const dv_text c = next_character(&text);
        const uint32_t code = dvi_utf8_code(c.data, (size_t)c.nbytes);
        if (code > 0xFFFF)
            add_key(arena, keys, 0xD800 + ((code - 0x10000) >> 10));
        add_key(arena, keys, code > 0xFFFF ? 0xDC00 + (code & 0x3FF) : code);
    }
}

dvt_keys dvt_model_chars(dvi_arena *arena, dvt_texts texts, bool is_scalar, bool has_markers)
{
    dvt_keys keys = {.n = 0};
    if (is_scalar && texts.text[0].nbytes <= 0)
        return keys;
    if (has_markers)
        add_key(arena, &keys, 2);
    for (int32_t i = 0; i < texts.n; i++) {
        if (texts.text[i].nbytes > 0 && i > 0)
            add_key(arena, &keys, 31);
        add_units(arena, &keys, texts.text[i]);
    }
    if (has_markers)
        add_key(arena, &keys, 3);
    return keys;
}

/* --- Hashes ----------------------------------------------------------------------------------- */

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t scramble(uint32_t x)
{
    return rotate(x * 0xCC9E2D51u, 15) * 0x1B873593u;
}

static uint32_t add_word(uint32_t h, uint32_t x)
{
    return rotate(h ^ scramble(x), 13) * 5 + 0xE6546B64u;
}

static uint32_t mix(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}

/* Bytes that make no word yet, and how many bits they have. */
typedef struct pending {
    uint64_t bytes;
    int bits;
} pending;

/* Version 2 swaps the ends of all that is pending, not only of the unit. */
static void add_unit(pending *p, uint32_t c, int version)
{
    const int n = c <= 0x7F ? 1 : c <= 0x7FF ? 2 : 3;
    uint64_t unit = c;
    if (n == 2)
        unit = 0xC080 | (c & 0x3F) | (c << 2 & 0x1F00);
    if (n == 3)
        unit = 0xE08080 | (c & 0x3F) | (c << 2 & 0x3F00) | (c << 4 & 0xF0000);
    p->bytes |= unit << p->bits;
    p->bits += 8 * n;
    if (version == 2 && n == 2)
        p->bytes = (p->bytes & 0xFF) << 8 | p->bytes >> 8;
    if (version == 2 && n == 3)
        p->bytes = (p->bytes & 0xFF) << 16 | (p->bytes >> 8 & 0xFF) << 8 | p->bytes >> 16;
}

static uint32_t hash_units(dvt_keys units, uint32_t h, int version)
{
    pending p = {0, 0};
    uint32_t length = 0;
    for (int32_t i = 0; i < units.n; i++) {
        add_unit(&p, units.key[i], version);
        if (p.bits >= 32) {
            h = add_word(h, (uint32_t)p.bytes);
            p.bytes >>= 32;
            p.bits -= 32;
            length += 4;
        }
    }
    length += (uint32_t)p.bits / 8;
    if (version == 1)
        return mix(add_word(p.bits > 0 ? add_word(h, (uint32_t)p.bytes) : h, length));
    if (length & 3)
        h ^= scramble((uint32_t)p.bytes & ((1u << 8 * (length & 3)) - 1));
    return mix(h ^ length);
}

dvt_keys dvt_model_hashes(dvi_arena *arena, dvt_texts texts, uint32_t seed, int version)
{
    dvt_keys keys = {.n = 0};
    for (int32_t i = 0; i < texts.n; i++) {
        dvt_keys units = {.n = 0};
        add_units(arena, &units, trim(texts.text[i]));
        const uint32_t hash = hash_units(units, seed, version);
        add_key(arena, &keys, texts.text[i].nbytes > 0 ? (hash & 0x3FFFFFFF) + 1 : 0);
    }
    return keys;
}

/* --- Runs ------------------------------------------------------------------------------------- */

/* A row, and what is done with each of its runs. */
typedef struct walk {
    const dvt_runs *runs;
    dvt_keys row;
    uint32_t run[DVT_RUN_KEYS];
    void (*visit)(struct walk *w, int32_t length);
    void *ctx;
} walk;

/* All runs whose last key, the `length`th, is that at `at`, `left` more may be skipped. */
static void go_on(walk *w, int32_t at, int32_t length, int32_t left)
{
    w->run[length - 1] = w->row.key[at];
    if (w->runs->all || length == w->runs->n)
        w->visit(w, length);
    for (int32_t skip = 0; length < w->runs->n && skip <= left; skip++)
        if (at + 1 + skip < w->row.n)
            go_on(w, at + 1 + skip, length + 1, left - skip);
}

static void each_run(walk *w, dvt_keys row)
{
    w->row = row;
    for (int32_t at = 0; at < row.n; at++)
        go_on(w, at, 1, w->runs->skips);
}

typedef struct dictionary {
    dvi_arena *arena;
    dvt_keys *run;
    int32_t n;
    int64_t of_length[DVT_RUN_KEYS + 1];
    float *counts; /* of the row; NULL: learn */
} dictionary;

static int32_t find_run(const dictionary *d, const uint32_t *run, int32_t length)
{
    int32_t k = 0;
    while (k < d->n &&
           (d->run[k].n != length || memcmp(d->run[k].key, run, 4 * (size_t)length) != 0))
        k++;
    return k;
}

static void take_run(walk *w, int32_t length)
{
    dictionary *d = w->ctx;
    const int32_t k = find_run(d, w->run, length);
    if (k < d->n) {
        if (d->counts)
            d->counts[k]++;
    } else if (!d->counts && d->of_length[length] < w->runs->most[length - 1]) {
        dvt_keys run = {.n = 0};
        for (int32_t i = 0; i < length; i++)
            add_key(d->arena, &run, w->run[i]);
        DVT_CHECK(dvi_arena_append(d->arena, &d->run, d->n, &run, sizeof run, NULL) == DV_OK);
        d->n++;
        d->of_length[length]++;
    }
}

static void weigh(dvt_bags *bags, int weight)
{
    for (int32_t slot = 0; slot < bags->slots && weight > 0; slot++) {
        int32_t rows = 0;
        for (int32_t row = 0; row < bags->rows; row++)
            rows += bags->number[(int64_t)row * bags->slots + slot] > 0;
        const double idf = log((double)bags->rows / rows);
        for (int32_t row = 0; row < bags->rows; row++) {
            float *number = &bags->number[(int64_t)row * bags->slots + slot];
            *number = *number > 0 ? (float)(weight == 1 ? idf : *number * idf) : 0;
        }
    }
}

dvt_bags dvt_model_bags(dvi_arena *arena, const dvt_keys *rows, int32_t n, const dvt_runs *runs)
{
    dictionary d = {.arena = arena};
    walk w = {.runs = runs, .visit = take_run, .ctx = &d};
    for (int32_t row = 0; row < n; row++)
        each_run(&w, rows[row]);
    dvt_bags bags = {.rows = n, .slots = d.n, .run = d.run};
    bags.number = dvt_room(arena, sizeof(float) * (size_t)n * (size_t)d.n);
    for (int32_t row = 0; row < n; row++) {
        d.counts = bags.number + (int64_t)row * d.n;
        each_run(&w, rows[row]);
    }
    weigh(&bags, runs->weight);
    return bags;
}

typedef struct hashing {
    float *counts;
    int32_t source;
} hashing;

static uint32_t slot_of_run(const walk *w, int32_t length, int32_t source)
{
    const dvt_runs *r = w->runs;
    uint32_t h = r->seed;
    for (int32_t i = 0; i < length; i++)
        h = add_word(h, w->run[i]);
    h = mix(add_word(h, (uint32_t)length));
    if (length == 1 && !r->rehash && (r->all || r->n == 1))
        h = w->run[0];
    if (r->is_ordered)
        h = mix(source > 0 ? add_word(h, (uint32_t)source) : h);
    return h & ((1u << r->bits) - 1);
}

static void hash_run(walk *w, int32_t length)
{
    const hashing *to = w->ctx;
    to->counts[slot_of_run(w, length, to->source)]++;
}

dvt_bags dvt_model_hash_bags(dvi_arena *arena, const dvt_keys *rows, int32_t n, int32_t sources,
                             const dvt_runs *runs)
{
    dvt_bags bags = {.rows = n, .slots = 1 << runs->bits};
    bags.number = dvt_room(arena, sizeof(float) * (size_t)n * (size_t)bags.slots);
    for (int32_t s = 0; s < sources; s++)
        for (int32_t row = 0; row < n; row++) {
            hashing to = {bags.number + (int64_t)row * bags.slots, s};
            walk w = {.runs = runs, .visit = hash_run, .ctx = &to};
            each_run(&w, rows[(int64_t)s * n + row]);
        }
    return bags;
}

/* --- Names ------------------------------------------------------------------------------------ */

static void add_bytes(dvi_arena *arena, dv_text *to, dv_text bytes)
{
    char *data = (char *)(uintptr_t)to->data;
    for (int64_t i = 0; i < bytes.nbytes; i++)
        DVT_CHECK(dvi_arena_append(arena, &data, (int32_t)to->nbytes++, &bytes.data[i], 1, NULL) ==
                  DV_OK);
    to->data = data;
}

/* The first different texts, in braces if there are several. */
static dv_text join_texts(dvi_arena *arena, dvt_texts texts)
{
    dv_text made = {NULL, 0};
    for (int32_t i = 0; i < texts.n; i++) {
        add_bytes(arena, &made, dv_text_of(i > 0 ? "," : texts.n > 1 ? "{" : ""));
        add_bytes(arena, &made, texts.text[i]);
    }
    add_bytes(arena, &made, dv_text_of(texts.n > 1 ? "}" : ""));
    return made;
}

/* Add a text that is not there, unless there are `most`; -1: any number. */
static void add_different(dvi_arena *arena, dvt_texts *texts, dv_text text, int32_t most)
{
    for (int32_t i = 0; i < texts->n; i++)
        if (is_same(texts->text[i], text))
            return;
    if (texts->n != most)
        add_text(arena, texts, text);
}

typedef struct naming {
    dvi_arena *arena;
    const dvt_hashed *of;
    int32_t source;
    dvt_texts *runs; /* of each slot: the bytes of the source and of the keys */
} naming;

static void see_run(walk *w, int32_t length)
{
    const naming *g = w->ctx;
    const size_t nbytes = 4 * (size_t)length;
    char *bytes = dvt_room(g->arena, 4 + nbytes);
    memcpy(bytes, &g->source, 4);
    memcpy(bytes + 4, w->run, nbytes);
    add_different(g->arena, &g->runs[slot_of_run(w, length, g->source)],
                  (dv_text){bytes, 4 + (int64_t)nbytes}, g->of->invert);
}

/* The words of a source that have a key. */
static dv_text name_key(dvi_arena *arena, const dvt_hashed *of, uint32_t source, uint32_t key)
{
    dvt_texts words = {.n = 0};
    for (int32_t row = 0; row < of->rows; row++) {
        const int32_t i = (int32_t)source * of->rows + row;
        for (int32_t k = 0; k < of->keys[i].n; k++)
            if (of->keys[i].key[k] == key)
                add_different(arena, &words, of->words[i].text[k], of->invert);
    }
    return join_texts(arena, words);
}

static dv_text name_run(dvi_arena *arena, const dvt_hashed *of, dv_text run)
{
    static const char *const columns[] = {"A:", "B:"};
    dv_text name = {NULL, 0};
    uint32_t source, key;
    memcpy(&source, run.data, 4);
    if (of->sources > 1)
        add_bytes(arena, &name, dv_text_of(columns[source]));
    for (int64_t at = 4; at < run.nbytes; at += 4) {
        memcpy(&key, run.data + at, 4);
        add_bytes(arena, &name, dv_text_of(at > 4 ? "|" : ""));
        add_bytes(arena, &name, name_key(arena, of, source, key));
    }
    return name;
}

dv_text *dvt_model_hash_names(dvi_arena *arena, const dvt_hashed *of, const dvt_runs *runs)
{
    const size_t slots = (size_t)1 << runs->bits;
    naming g = {.arena = arena, .of = of, .runs = dvt_room(arena, slots * sizeof(dvt_texts))};
    walk w = {.runs = runs, .visit = see_run, .ctx = &g};
    dv_text *names = dvt_room(arena, slots * sizeof(dv_text));
    for (int32_t row = 0; row < of->rows; row++)
        for (g.source = 0; g.source < of->sources; g.source++)
            each_run(&w, of->keys[g.source * of->rows + row]);
    for (size_t slot = 0; slot < slots; slot++) {
        dvt_texts *all = &g.runs[slot];
        for (int32_t i = 0; i < all->n; i++)
            all->text[i] = name_run(arena, of, all->text[i]);
        names[slot] = join_texts(arena, *all);
    }
    return names;
}

dv_text dvt_model_name(dvi_arena *arena, dvt_keys run, const dv_text *terms)
{
    int64_t n = 0;
    for (int32_t i = 0; i < run.n; i++)
        n += 2 + (run.key[i] > 0 ? terms[run.key[i] - 1].nbytes : 0);
    char *name = dvt_room(arena, (size_t)n);
    n = 0;
    for (int32_t i = 0; i < run.n; i++) {
        const dv_text part = run.key[i] > 0 ? terms[run.key[i] - 1] : dv_text_of("*");
        if (i > 0)
            name[n++] = '|';
        memcpy(name + n, part.data, (size_t)part.nbytes);
        n += part.nbytes;
    }
    return (dv_text){name, n};
}
