/* SPDX-License-Identifier: MIT */
/* option_numbers.h: sets the numbers of structs to the ends of their types, and uses the structs.
 */
#ifndef DVT_OPTION_NUMBERS_H
#define DVT_OPTION_NUMBERS_H

#include "support/file.h"
#include <dataview/dataview.h>
#include <stddef.h>

/* --- Numbers ---------------------------------------------------------------------------------- */

/* An allocator that refuses what no small table needs. */
extern const dv_allocator dvt_small_allocator;
/* The last request that it refused; 0: none.  Any thread. */
extern _Atomic size_t dvt_small_refused;

/* A number in a struct, of 4 or 8 bytes. */
typedef struct dvt_number {
    const char *name;
    size_t offset, width;
} dvt_number;
#define DVT_NUMBER(type, member)                                                                   \
    {                                                                                              \
#member, offsetof(type, member), sizeof(((type *)0)->member)                               \
    }

/* use: do all that the struct is for, and return the first status that is neither DV_OK nor
 * DV_END. */
typedef struct dvt_numbered {
    const char *name;
    const void *options;
    size_t nbytes;
    const dvt_number *numbers;
    size_t count;
    size_t paired; /* the first of these depend on each other; SIZE_MAX: all do */
    dv_status (*use)(void *options, dv_error *err);
} dvt_numbered;
#define DVT_NUMBERED(name, options, numbers, paired, use)                                          \
    ((dvt_numbered){name, &options, sizeof options, numbers, sizeof numbers / sizeof *numbers,     \
                    paired, use})

/* Set each number to many values, and the paired ones also two at a time.  Each use must succeed
 * or refuse the options, without a request that the allocator refuses. */
void dvt_numbered_try(const dvt_numbered *numbered);

/* --- Tables ----------------------------------------------------------------------------------- */

/* The same small tables in each format, with dvt_small_allocator. */
enum { DVT_SMALL_IDV, DVT_SMALL_BTABLE, DVT_SMALL_DATADINGS, DVT_SMALL_TEXT, DVT_SMALL_TABLES };
extern dvt_path dvt_small_paths[DVT_SMALL_TABLES];
extern dv_view *dvt_small_views[DVT_SMALL_TABLES];
extern int dvt_small_now; /* the one that is used; 0 after each call below */

/* The init and fini of a suite. */
void dvt_small_open(void);
void dvt_small_close(void);

/* Try with each table; or with those from `first` on, by steps. */
void dvt_numbered_try_tables(const dvt_numbered *numbered, int first, int step);

/* Read all rows.  DV_END, or a failure. */
dv_status dvt_read_rows(dv_view *view, const dv_cursor_options *options, dv_error *err);

#endif
