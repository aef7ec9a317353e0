/* SPDX-License-Identifier: MIT */
/* sink.c: a sink that keeps what is written, and stops on request. */
#include "support/sink.h"

#include <stdlib.h>
#include <string.h>

static bool keep(void *ctx, const char *data, size_t nbytes)
{
    dvt_sink *kept = ctx;
    if (nbytes >= sizeof kept->text - kept->n)
        abort();
    memcpy(kept->text + kept->n, data, nbytes);
    kept->n += nbytes;
    kept->text[kept->n] = '\0';
    return ++kept->calls != kept->stop_at;
}

void dvt_sink_init(dvt_sink *kept, int stop_at)
{
    memset(kept, 0, sizeof *kept);
    kept->sink = (dv_sink){keep, kept};
    kept->stop_at = stop_at;
}
