/* SPDX-License-Identifier: MIT */
/* datadings_damage.c: finds damage in messages that are copied as they are, because the copy gets
 * digests of its own, which would hide it. */
#include "format/datadings/index/datadings_message.h"
#include "format/datadings/read/datadings_priv.h"
#include "format/datadings/save/datadings_save_priv.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SENTENCE_NBYTES 640

/* A loss if it is not allowed, else a report. */
static dv_status lose(const dvi_saving *saving, int64_t row, const char *sentence, dv_error *err)
{
    if (!dvi_saving_allows(saving, DV_LOSS_DAMAGED))
        return DV_ERR_LOSS;
    return dvi_saving_report(saving, DV_LOSS_DAMAGED, row, sentence, err);
}

dv_status dvi_datadings_check_copied(const dvi_saving *saving, int64_t row, dv_text key,
                                     dv_text message, dv_error *err)
{
    char sentence[SENTENCE_NBYTES], where[160];
    dv_error what = DV_ERROR_INIT;
    const dvi_msgpack_reader r =
        dvi_msgpack_reader_of(message.data, (size_t)message.nbytes, 0, DVI_MSGPACK_NESTING);
    if (key.nbytes < 0)
        return DV_OK; /* which is refused when it is added */
    dv_status status = dvi_datadings_check_message(r, false, &what);
    if (status == DV_OK && !saving->view) /* a copy keeps both keys, the listed one and its own */
        status = dvi_datadings_check_own_key(&r, &key, false, &what);
    if (status == DV_OK)
        return DV_OK;
    snprintf(sentence, sizeof sentence, "row %" PRId64 ", key \"%s\": %s", row, dvi_show(key).text,
             what.message);
    status = lose(saving, row, sentence, err);
    if (status != DV_ERR_LOSS)
        return status;
    snprintf(where, sizeof where, "row %" PRId64 ", key \"%s\": damaged at byte %" PRId64 " (%s)",
             row, dvi_show(key).text, what.offset, what.rule);
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, where,
                    "a sound message, or loss damaged allowed|%s", what.found);
}

/* The set whose messages are copied from the first to the last; NULL: there is none. */
static const dvi_datadings_set *whole_set(const dvi_saving *saving)
{
    const dvi_datadings_file *file = saving->view ? dvi_datadings_file_of(saving->view) : NULL;
    const bool is_whole = file && file->options.raw && file->options.names_count == 0 &&
                          saving->rows == dvi_datadings_rows(file->set) &&
                          dvi_datadings_is_all_samples(file->set);
    return is_whole ? file->set : NULL;
}

dv_status dvi_datadings_check_whole(const dvi_saving *saving, const char *md5, dv_error *err)
{
    char listed[33], sentence[SENTENCE_NBYTES];
    const dvi_datadings_set *set = whole_set(saving);
    if (!set)
        return DV_OK;
    DVI_TRY(dvi_datadings_listed_md5(set, listed, err));
    if (!*listed || strcmp(listed, md5) == 0)
        return DV_OK;
    snprintf(sentence, sizeof sentence,
             "some of the samples: expected MD5 %s of all, as .md5 lists it, found %s", listed,
             md5);
    const dv_status status = lose(saving, -1, sentence, err);
    if (status != DV_ERR_LOSS)
        return status;
    return dvi_fail(err, DV_ERR_LOSS, "allow_loss", -1, "damaged samples",
                    "the MD5 in .md5, or loss damaged allowed|%s", md5);
}
