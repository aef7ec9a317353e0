/* SPDX-License-Identifier: MIT */
/* datadings_changes.h: what samples would lose if they were written again from a column
 * (datadings:12, "Writing again").
 *
 * The marks of columns of this format (type/schema.h): bits of the list. */
#ifndef DVI_DATADINGS_CHANGES_H
#define DVI_DATADINGS_CHANGES_H

#define DVI_DATADINGS_CHANGE_LIST(X)                                                               \
    X(ABSENT, 0, "samples without this key would get it, with nil or an empty value")              \
    X(NIL, 1, "nil would become an empty value")                                                   \
    X(LIST, 2, "lists would become numpy arrays")                                                  \
    X(COMPLEX, 3, "complex numbers would become arrays of two reals")                              \
    X(NESTED, 4, "values in a nested map would become entries of the sample")                      \
    X(SCALAR, 5, "scalars of numpy would become plain values")                                     \
    X(ITEMS, 6, "numpy arrays would get items of another type or byte order, or become lists")     \
    X(DIMS, 7, "numpy arrays would get one dimension")                                             \
    X(REALS, 8, "integers would become reals")                                                     \
    X(NAN, 9, "NaN with the bits of NA would become nil")                                          \
    X(ENTRIES, 10, "entries that have no column would go: keys that are no text, empty maps")      \
    X(UNREAD, 11,                                                                                  \
      "not all samples were read for its type: open with infer=all to know what changes")

#define DVI_DATADINGS_CHANGE(name, bit, sentence) DVI_CHANGE_##name = 1 << bit,
enum { DVI_DATADINGS_CHANGE_LIST(DVI_DATADINGS_CHANGE) };
#undef DVI_DATADINGS_CHANGE

#endif
