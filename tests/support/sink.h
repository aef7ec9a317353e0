/* SPDX-License-Identifier: MIT */
/* sink.h: a sink that keeps what is written, and stops on request. */
#ifndef DVT_SINK_H
#define DVT_SINK_H

#include <dataview/value.h>

/* Hand &kept.sink to the library; text has a NUL after it. */
typedef struct dvt_sink {
    dv_sink sink;
    char text[8192];
    size_t n;
    int calls, stop_at; /* stop_at: the call that stops the writer, counted from 1; 0: none */
} dvt_sink;

void dvt_sink_init(dvt_sink *kept, int stop_at);

#endif
