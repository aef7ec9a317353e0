/* SPDX-License-Identifier: MIT */
/* arrow_made.c: schemas and arrays of Arrow that a test makes, sound or not. */
#include "support/arrow_made.h"
#include "support/produce.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int_fast64_t live; /* schemas, arrays and streams */

int64_t dvt_arrow_live(void)
{
    return atomic_load(&live);
}

static void *must(void *memory)
{
    DVT_MUST(memory != NULL);
    return memory;
}

/* --- Nodes ------------------------------------------------------------------------------------ */

static int64_t buffers_of(const char *format)
{
    if (strcmp(format, "n") == 0)
        return 0;
    if (strcmp(format, "+s") == 0 || strncmp(format, "+w:", 3) == 0)
        return 1;
    if (strchr("uUzZ", *format) || *format == 'v' || strncmp(format, "+v", 2) == 0)
        return 3;
    return 2;
}

/* Children and dictionaries are released with their parents. */
static void release_child_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_child_array(struct ArrowArray *array)
{
    array->release = NULL;
}

dvt_arrow *dvt_arrow_make(const char *format, const char *name, int64_t length)
{
    dvt_arrow *node = must(calloc(1, sizeof *node));
    node->schema = (struct ArrowSchema){.format = format,
                                        .name = name,
                                        .flags = ARROW_FLAG_NULLABLE,
                                        .children = node->schemas,
                                        .release = release_child_schema};
    node->array = (struct ArrowArray){.length = length,
                                      .n_buffers = buffers_of(format),
                                      .buffers = node->buffers,
                                      .children = node->arrays,
                                      .release = release_child_array};
    return node;
}

void dvt_arrow_fill(dvt_arrow *node, int i, const void *data, size_t nbytes)
{
    free(node->owned[i]);
    node->owned[i] = must(malloc(nbytes > 0 ? nbytes : 1));
    if (nbytes > 0)
        memcpy(node->owned[i], data, nbytes);
    node->buffers[i] = node->owned[i];
}

void dvt_arrow_validity(dvt_arrow *node, const char *bits)
{
    uint8_t bytes[16] = {0};
    const size_t n = strlen(bits);
    node->array.null_count = 0;
    for (size_t i = 0; i < n; i++) {
        bytes[i / 8] |= (uint8_t)((bits[i] == '1') << i % 8);
        node->array.null_count += bits[i] == '0';
    }
    dvt_arrow_fill(node, 0, bytes, (n + 7) / 8);
}

static size_t put(char *dst, const char *text)
{
    const int32_t n = (int32_t)strlen(text);
    memcpy(dst, &n, sizeof n);
    memcpy(dst + sizeof n, text, (size_t)n);
    return sizeof n + (size_t)n;
}

void dvt_arrow_annotate(dvt_arrow *node, const char *key, const char *value)
{
    int32_t pairs = 0, n;
    size_t used = sizeof pairs;
    if (node->metadata)
        memcpy(&pairs, node->metadata, sizeof pairs);
    for (int32_t i = 0; i < 2 * pairs; i++) {
        memcpy(&n, node->metadata + used, sizeof n);
        used += sizeof n + (size_t)n;
    }
    node->metadata = must(realloc(node->metadata, used + 8 + strlen(key) + strlen(value)));
    used += put(node->metadata + used, key);
    put(node->metadata + used, value);
    pairs++;
    memcpy(node->metadata, &pairs, sizeof pairs);
    node->schema.metadata = node->metadata;
}

dvt_arrow *dvt_arrow_add(dvt_arrow *node, dvt_arrow *child)
{
    const int64_t i = node->schema.n_children++;
    node->array.n_children++;
    node->child[i] = child;
    node->schemas[i] = &child->schema;
    node->arrays[i] = &child->array;
    return node;
}

dvt_arrow *dvt_arrow_encode(dvt_arrow *node, dvt_arrow *dictionary)
{
    node->dictionary = dictionary;
    node->schema.dictionary = &dictionary->schema;
    node->array.dictionary = &dictionary->array;
    return node;
}

dvt_arrow *dvt_arrow_then(dvt_arrow *node, dvt_arrow *next)
{
    node->next = next;
    return node;
}

static void free_node(dvt_arrow *node)
{
    for (int i = 0; i < DVT_ARROW_CHILDREN; i++)
        if (node->child[i])
            free_node(node->child[i]);
    if (node->dictionary)
        free_node(node->dictionary);
    if (node->next)
        free_node(node->next);
    for (int i = 0; i < DVT_ARROW_BUFFERS; i++)
        free(node->owned[i]);
    free(node->metadata);
    free(node);
}

/* --- Handing out ------------------------------------------------------------------------------ */

/* What schemas, arrays and streams of a node share. */
typedef struct shared {
    dvt_arrow *node, *at; /* at: whose array is the next one */
    atomic_int refs;
    int left; /* arrays of the stream */
} shared;

static shared *retain(shared *s)
{
    atomic_fetch_add(&s->refs, 1);
    atomic_fetch_add(&live, 1);
    return s;
}

static void drop(shared *s)
{
    atomic_fetch_sub(&live, 1);
    if (atomic_fetch_sub(&s->refs, 1) > 1)
        return;
    free_node(s->node);
    free(s);
}

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
    drop(schema->private_data);
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
    drop(array->private_data);
}

static void lend_schema(struct ArrowSchema *schema_out, shared *s)
{
    *schema_out = s->node->schema;
    if (!schema_out->release)
        return; /* as the test wants it */
    schema_out->release = release_schema;
    schema_out->private_data = retain(s);
}

static void lend_array(struct ArrowArray *array_out, shared *s)
{
    *array_out = s->at->array;
    s->at = s->at->next ? s->at->next : s->at;
    array_out->release = release_array;
    array_out->private_data = retain(s);
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema_out)
{
    lend_schema(schema_out, stream->private_data);
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array_out)
{
    shared *s = stream->private_data;
    *array_out = (struct ArrowArray){0};
    if (s->left-- > 0)
        lend_array(array_out, s);
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
    drop(stream->private_data);
}

static shared *share(dvt_arrow *node, int n)
{
    shared *s = must(calloc(1, sizeof *s));
    s->node = s->at = node;
    s->left = n;
    return s;
}

void dvt_arrow_stream(struct ArrowArrayStream *stream_out, dvt_arrow *node, int n)
{
    *stream_out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream,
                                            retain(share(node, n))};
}

void dvt_arrow_pair_of(struct ArrowSchema *schema_out, struct ArrowArray *array_out,
                       dvt_arrow *node)
{
    shared *s = share(node, 0);
    lend_array(array_out, s);
    lend_schema(schema_out, s);
}
