/* SPDX-License-Identifier: MIT */
/* arrow_columns.h: a column of each Arrow type, with an offset, and with nulls or without. */
#ifndef DVT_ARROW_COLUMNS_H
#define DVT_ARROW_COLUMNS_H

#include "support/arrow_made.h"

/* Each makes a column "x": dvt_arrow_i4_na() has a null. */
#define DVT_ARROW_COLUMNS(X)                                                                       \
    X(i1)                                                                                          \
    X(i1_na)                                                                                       \
    X(i4)                                                                                          \
    X(i4_na)                                                                                       \
    X(i4_min)                                                                                      \
    X(i8)                                                                                          \
    X(u1)                                                                                          \
    X(u1_na)                                                                                       \
    X(u8)                                                                                          \
    X(half)                                                                                        \
    X(r4)                                                                                          \
    X(r8)                                                                                          \
    X(r8_part)                                                                                     \
    X(r8_nan)                                                                                      \
    X(r8_nan_na)                                                                                   \
    X(decimals)                                                                                    \
    X(decimals_wide)                                                                               \
    X(decimals_fine)                                                                               \
    X(decimals_128)                                                                                \
    X(turned)                                                                                      \
    X(truths)                                                                                      \
    X(degrees_text)                                                                                \
    X(named)                                                                                       \
    X(date32)                                                                                      \
    X(date64)                                                                                      \
    X(time32)                                                                                      \
    X(time64)                                                                                      \
    X(stamp_s)                                                                                     \
    X(stamp_us)                                                                                    \
    X(stamp_ns)                                                                                    \
    X(stamp_ns_before)                                                                             \
    X(span)                                                                                        \
    X(codes)                                                                                       \
    X(unsigned_codes)                                                                              \
    X(numbers)                                                                                     \
    X(few)                                                                                         \
    X(bools)                                                                                       \
    X(nulls)                                                                                       \
    X(utf8)                                                                                        \
    X(utf8_na)                                                                                     \
    X(large_utf8)                                                                                  \
    X(binary)                                                                                      \
    X(large_binary_na)                                                                             \
    X(utf8_view)                                                                                   \
    X(binary_view)                                                                                 \
    X(utf8_view_na)                                                                                \
    X(fixed_binary)                                                                                \
    X(guids)                                                                                       \
    X(item)                                                                                        \
    X(item_na)                                                                                     \
    X(list)                                                                                        \
    X(list_na)                                                                                     \
    X(large_list)                                                                                  \
    X(list_view)                                                                                   \
    X(large_list_view)                                                                             \
    X(squares)                                                                                     \
    X(squares_na)                                                                                  \
    X(points)                                                                                      \
    X(tensors)                                                                                     \
    X(matrices)                                                                                    \
    X(sparse)                                                                                      \
    X(sparse_full)                                                                                 \
    X(strings)                                                                                     \
    X(pair)                                                                                        \
    X(pair_na)                                                                                     \
    X(zoned)                                                                                       \
    X(words)                                                                                       \
    X(words_na)                                                                                    \
    X(digits)                                                                                      \
    X(lists_of_words)                                                                              \
    X(classes)                                                                                     \
    X(meant)                                                                                       \
    X(stored)                                                                                      \
    X(changed)

/* Columns that are refused, unless `types` says what they are. */
#define DVT_ARROW_REFUSED_COLUMNS(X)                                                               \
    X(decimals_256)                                                                                \
    X(strided)                                                                                     \
    X(cycled)                                                                                      \
    X(twisted)                                                                                     \
    X(degrees)

#define DVT_ARROW_COLUMN(name) dvt_arrow *dvt_arrow_##name(void);
DVT_ARROW_COLUMNS(DVT_ARROW_COLUMN)
DVT_ARROW_REFUSED_COLUMNS(DVT_ARROW_COLUMN)
#undef DVT_ARROW_COLUMN

#endif
