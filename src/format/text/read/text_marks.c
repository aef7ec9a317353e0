/* SPDX-License-Identifier: MIT */
/* text_marks.c: finds texts with bytes that need quotes. */
#include "format/text/read/text_marks.h"
#include "simd/dispatch.h"

void dvi_text_marks_start(dvi_text_marks *m, const uint8_t *text, int64_t first, int64_t end)
{
    m->text = text;
    m->mark = m->base = m->seen = first; /* nothing has been searched yet */
    m->end = end;
    m->next = m->n = 0;
}

/* Search the next bytes. */
static void find_more(dvi_text_marks *m, const dvi_ascii_set *set)
{
    m->base = m->seen;
    m->next = 0;
    m->n = dvi_kernels()->bytes_find(m->positions, DVI_TEXT_MARKS, m->text + m->base,
                                     (size_t)(m->end - m->base), set);
    m->seen = m->n < DVI_TEXT_MARKS ? m->end : m->base + m->positions[m->n - 1] + 1;
}

bool dvi_text_marks_seek(dvi_text_marks *m, const dvi_ascii_set *set, int64_t from, int64_t end)
{
    do {
        if (m->next == m->n && m->seen < m->end)
            find_more(m, set);
        m->mark = m->next < m->n ? m->base + m->positions[m->next] : INT64_MAX;
        m->next += m->mark < from;
    } while (m->mark < from);
    return m->mark < end;
}
