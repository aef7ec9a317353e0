/* SPDX-License-Identifier: MIT */
/* terms.h: the distinct values of a column, numbered from 0 in the order in which they came
 * (semantics:7.2). */
#ifndef DVI_TRANSFORM_TERMS_H
#define DVI_TRANSFORM_TERMS_H

#include <dataview/batch.h>

/* A dictionary of values of one scalar type. Values that are NA, and empty texts, are no terms. -0
 * and +0 are the same, as are two DZ of the same moment; the bits that came first are kept.
 *
 * One thread at a time may add values; any number may look them up when none are added. */
typedef struct dvi_terms dvi_terms;

/* The option of fitting that limits the texts. */
#define DVI_TERMS_LIMIT "terms_nbytes"

/* An empty dictionary.
 *
 * type         neither a vector nor BY nor an extension
 * most         after so many terms no other is added: 1..2^31-2
 * text_nbytes  of all texts together, at most 2^31-1 */
dv_status dvi_terms_create(dvi_terms **terms_out, const dv_type *type, int64_t most,
                           size_t text_nbytes, const dv_allocator *allocator, dv_error *err);
void dvi_terms_free(dvi_terms **terms); /* NULL is fine */

int64_t dvi_terms_count(const dvi_terms *terms);
bool dvi_terms_are_full(const dvi_terms *terms); /* there are `most` */

/* Add rows first..first+n-1 of a column of that type. Values that are known already, or that come
 * when the dictionary is full, change nothing.
 *
 * DV_OK; DV_ERR_LIMIT: more than text_nbytes; DV_ERR_MEMORY: the same call may be repeated. */
dv_status dvi_terms_add(dvi_terms *terms, const dv_column_view *values, int64_t first, int64_t n,
                        dv_error *err);
/* The same, and write what dvi_terms_find would for each row. Of a dictionary that becomes full,
 * some keys are not written: look them up. */
dv_status dvi_terms_number(dvi_terms *terms, const dv_column_view *values, int64_t first, int64_t n,
                           uint32_t *keys_out, dv_error *err);
/* Add the values of a column of that type or of vectors of it, slot by slot in the order of their
 * indices. The default value of a sparse vector comes in the place of its first slot without an
 * item. */
dv_status dvi_terms_learn(dvi_terms *terms, const dv_column_view *column, dv_error *err);

/* Add the values that texts stand for, without the blanks around them; texts that are no value of
 * the type are skipped. Statuses as above. */
dv_status dvi_terms_add_texts(dvi_terms *terms, const dv_text *texts, int64_t n, dv_error *err);

/* Write for each of those rows 1 + the number of its term, or 0 if it is none. */
void dvi_terms_find(const dvi_terms *terms, const dv_column_view *values, int64_t first, int64_t n,
                    uint32_t *keys_out);
/* The same for the default value of the type. */
uint32_t dvi_terms_find_default(const dvi_terms *terms);

/* The same for words: of a dictionary of texts, at most DVI_TERMS_WORDS texts, none of them empty.
 * Up to `end`, bytes behind each may be read. Adding gives each word its key at once, or 0 if the
 * dictionary is full. */
#define DVI_TERMS_WORDS 64
void dvi_terms_find_words(const dvi_terms *terms, const dv_text *words, int n, const char *end,
                          uint32_t *keys_out);
dv_status dvi_terms_add_words(dvi_terms *terms, const dv_text *words, int n, const char *end,
                              uint32_t *keys_out, dv_error *err);

/* The terms in order, as a column that points into the dictionary. */
void dvi_terms_values(const dvi_terms *terms, dv_column_view *values_out);

/* Make a dictionary of the same terms in the order of their values: numbers ascending, texts by
 * UTF-16 units, DZ by moment. keys_out: 1 + count keys: of no term, 0, and then of each term in the
 * sorted dictionary. NULL: not wanted. */
dv_status dvi_terms_sort(dvi_terms **sorted_out, const dvi_terms *terms, uint32_t *keys_out,
                         dv_error *err);

/* --- Dictionaries of several threads ----------------------------------------------------------
 *
 * Threads that share the chunks of a cursor set fill one dictionary each, all with the same limits.
 * A chunk belongs to one thread, so its number tells which of two dictionaries met a value first.
 */

/* The values that follow are those of this chunk. Numbers rise. */
dv_status dvi_terms_begin_chunk(dvi_terms *terms, int64_t chunk, dv_error *err);

/* Make the dictionary that one thread would have made of all chunks.
 *
 * keys_out  for each part, 1 + count keys: of no term, 0, and then of each of its terms in the
 *           merged dictionary; 0: that was full, or it was full before it came. NULL: not wanted */
dv_status dvi_terms_merge(dvi_terms **merged_out, dvi_terms *const *parts, int32_t n,
                          uint32_t *const *keys_out, dv_error *err);

#endif
