/* SPDX-License-Identifier: MIT */
/* losses.c: collects what would be lost: reports each loss, and lists them in one message. */
#include "save/losses.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SENTENCE_NBYTES 512

#define NAME_CASE(member, bit, name, sentence)                                                     \
    case DV_LOSS_##member:                                                                         \
        return name;
#define SENTENCE_CASE(member, bit, name, sentence)                                                 \
    case DV_LOSS_##member:                                                                         \
        return sentence;

const char *dv_loss_name(dv_loss loss)
{
    switch (loss) {
    case DV_LOSS_NONE:
        break;
        DV_LOSS_LIST(NAME_CASE)
    }
    return "";
}

const char *dv_loss_sentence(dv_loss loss)
{
    switch (loss) {
    case DV_LOSS_NONE:
        break;
        DV_LOSS_LIST(SENTENCE_CASE)
    }
    return "";
}

#define MEMBER(member, bit, name, sentence) DV_LOSS_##member,
static const dv_loss all[] = {DV_LOSS_LIST(MEMBER)};
#define ALL (sizeof all / sizeof *all)

dv_status dv_loss_parse(dv_loss *loss_out, dv_text name)
{
    *loss_out = DV_LOSS_NONE;
    for (size_t i = 0; i < ALL; i++) {
        const char *is = dv_loss_name(all[i]);
        if (name.nbytes == (int64_t)strlen(is) && memcmp(name.data, is, strlen(is)) == 0)
            *loss_out = all[i];
    }
    return *loss_out == DV_LOSS_NONE ? DV_NOT_FOUND : DV_OK;
}

/* Add a sentence to the list in the message if it fits; the first one is truncated to fit. */
static void list(dvi_losses *losses, dv_loss loss, const char *sentence)
{
    char text[SENTENCE_NBYTES + 32];
    const size_t left = sizeof losses->listed - losses->listed_nbytes;
    const char *between = losses->refused++ > 0 ? "; " : "";
    const char *kind = loss == DV_LOSS_NONE ? "impossible" : dv_loss_name(loss);
    const int n = snprintf(text, sizeof text, "%s%s (%s)", between, sentence, kind);
    if (losses->refused > 1 && (losses->unlisted > 0 || (size_t)n >= left))
        losses->unlisted++;
    else
        losses->listed_nbytes +=
            dvi_printable(losses->listed + losses->listed_nbytes, left, text, (size_t)n);
}

/* `column "x": metadata SlotNames: `, as far as it applies.  Returns its length. */
static size_t write_location(char *dst, size_t cap, const dvi_losses *losses, int32_t column,
                             dv_text metadata)
{
    size_t n = 0;
    const dv_column_info *info = dv_schema_column(losses->schema, column);
    dst[0] = 0;
    if (info)
        n += (size_t)snprintf(dst, cap, "column \"%s\": ", dvi_show(info->name).text);
    if (metadata.nbytes > 0)
        n += (size_t)snprintf(dst + n, cap - n, "metadata %s: ", dvi_show(metadata).text);
    return n;
}

void dvi_losses_add(dvi_losses *losses, dv_loss loss, int32_t column, dv_text metadata,
                    const char *format, ...)
{
    char text[SENTENCE_NBYTES], shown[SENTENCE_NBYTES];
    const size_t n = write_location(text, sizeof text, losses, column, metadata);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - n, format, args);
    va_end(args);
    dvi_printable(shown, sizeof shown, text, strlen(text));

    const bool is_allowed = loss != DV_LOSS_NONE && (losses->allow & (uint32_t)loss) != 0;
    const dv_loss_report report = {loss, is_allowed, column, metadata, shown, -1, false};
    if (losses->report && !losses->report(losses->ctx, &report))
        losses->report = NULL;
    if (is_allowed)
        return;
    losses->needed |= (uint32_t)loss;
    losses->is_possible = losses->is_possible && loss != DV_LOSS_NONE;
    list(losses, loss, shown);
}

void dvi_losses_imply(dvi_losses *losses, dv_loss loss, const char *sentence)
{
    const dv_loss_report report = {loss, true, -1, {"", 0}, sentence, -1, true};
    if (losses->report && !losses->report(losses->ctx, &report))
        losses->report = NULL;
}

/* "columns,types": what would have to be allowed. */
static void write_needed(char *dst, size_t cap, uint32_t needed)
{
    size_t n = 0;
    dst[0] = 0;
    for (size_t i = 0; i < ALL; i++)
        if (needed & (uint32_t)all[i])
            n += (size_t)snprintf(dst + n, cap - n, "%s%s", n ? "," : "", dv_loss_name(all[i]));
}

dv_status dvi_losses_verdict(const dvi_losses *losses, const char *format, dv_error *err)
{
    if (losses->refused == 0)
        return DV_OK;
    char more[32] = "";
    if (losses->unlisted > 0)
        snprintf(more, sizeof more, "; and %d more", losses->unlisted);
    char text[DVI_LOSSES_LISTED + 96];
    snprintf(text, sizeof text, "not saved as %s without loss: %s%s", format, losses->listed, more);
    dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, text, "%s", "");
    if (err && losses->is_possible)
        write_needed(err->expected, sizeof err->expected, losses->needed);
    if (err)
        snprintf(err->found, sizeof err->found, "%d not allowed", losses->refused);
    return DV_ERR_LOSS;
}
