/* SPDX-License-Identifier: MIT */
/* arrow_made.h: schemas and arrays of Arrow that a test makes, sound or not. */
#ifndef DVT_ARROW_MADE_H
#define DVT_ARROW_MADE_H

#include <dataview/arrow.h>
#include <stddef.h>

#define DVT_ARROW_CHILDREN 4
#define DVT_ARROW_BUFFERS 6

/* A schema and an array of it, with those of its children and of its dictionary. The members may be
 * changed before they are handed out. */
typedef struct dvt_arrow {
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct dvt_arrow *child[DVT_ARROW_CHILDREN], *dictionary, *next;
    struct ArrowSchema *schemas[DVT_ARROW_CHILDREN];
    struct ArrowArray *arrays[DVT_ARROW_CHILDREN];
    const void *buffers[DVT_ARROW_BUFFERS];
    void *owned[DVT_ARROW_BUFFERS]; /* by the node */
    char *metadata;
} dvt_arrow;

/* A node of `length` values, with as many buffers as the format needs, all NULL. format and name
 * must outlive it. */
dvt_arrow *dvt_arrow_make(const char *format, const char *name, int64_t length);

/* Copy nbytes into buffer i, in an allocation of that size. */
void dvt_arrow_fill(dvt_arrow *node, int i, const void *data, size_t nbytes);
/* Validity: one character for each value, '1' or '0'; sets null_count. */
void dvt_arrow_validity(dvt_arrow *node, const char *bits);
/* Add a pair of metadata. */
void dvt_arrow_annotate(dvt_arrow *node, const char *key, const char *value);

/* Add a child or the dictionary, which the node then owns; returns the node. */
dvt_arrow *dvt_arrow_add(dvt_arrow *node, dvt_arrow *child);
dvt_arrow *dvt_arrow_encode(dvt_arrow *node, dvt_arrow *dictionary);

/* The arrays of a stream after this node's are those of another node; returns the node. */
dvt_arrow *dvt_arrow_then(dvt_arrow *node, dvt_arrow *next);

/* Hand out the node as a stream of n arrays: of the node, those after it, then the last one again.
 * The nodes are freed with the stream and all arrays: dvt_arrow_live counts what is not released.
 */
void dvt_arrow_stream(struct ArrowArrayStream *stream_out, dvt_arrow *node, int n);
/* The same as a schema and an array. */
void dvt_arrow_pair_of(struct ArrowSchema *schema_out, struct ArrowArray *array_out,
                       dvt_arrow *node);
int64_t dvt_arrow_live(void);

#endif
