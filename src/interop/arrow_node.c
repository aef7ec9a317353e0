/* SPDX-License-Identifier: MIT */
/* arrow_node.c: structs of the Arrow C data interface, and their release. */
#include "interop/arrow_node.h"
#include "base/alloc.h"
#include "base/check.h"
#include <stdatomic.h>
#include <string.h>

#define BUFFERS 3

/* What a schema's private_data points to. Its texts follow its children. */
typedef struct schema_node {
    dv_allocator allocator;
    size_t nbytes;
    struct ArrowSchema dictionary;
    struct ArrowSchema **pointers, *children;
} schema_node;

typedef struct family family;

/* What an array's private_data points to; of an empty child already. */
typedef struct array_node {
    family *of;       /* that it lies in */
    family *children; /* and the dictionary, as the last one; NULL: none */
    const dv_batch *batch;
    dvi_memory *made[DVI_ARROW_MADE];
    int n_made;
    const void *buffers[BUFFERS];
} array_node;

/* The children of an array lie in one piece of memory: thousands of columns take no allocation
 * each. The array and every child hold it, so a child that was moved out keeps the structs of all,
 * but not what the others point to. The node of an array that is no child lies in a family of its
 * own. */
typedef struct member {
    struct ArrowArray array;
    array_node node;
} member;

struct family {
    atomic_size_t refs;
    dv_allocator allocator;
    size_t nbytes;
    struct ArrowArray **pointers; /* after the members */
    member members[];
};

/* What a buffer without bytes points to. */
static const uint64_t nothing[8] = {0};

/* --- Schemas ---------------------------------------------------------------------------------- */

void dvi_arrow_schema_drop(struct ArrowSchema *schema)
{
    if (schema->release)
        schema->release(schema);
}

static void release_schema(struct ArrowSchema *schema)
{
    schema_node *node = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        dvi_arrow_schema_drop(&node->children[i]);
    dvi_arrow_schema_drop(&node->dictionary);
    const dv_allocator allocator = node->allocator;
    dvi_free(&allocator, node, node->nbytes);
    schema->release = NULL;
}

/* Copy bytes and a NUL to *at, which moves behind them. */
static const char *put_text(char **at, const char *bytes, size_t n)
{
    char *start = *at;
    if (n > 0)
        memcpy(start, bytes, n);
    start[n] = '\0';
    *at += n + 1;
    return start;
}

dv_status dvi_arrow_schema_create(struct ArrowSchema *schema_out, const char *format, dv_text name,
                                  dv_text metadata, int64_t flags, int64_t n_children,
                                  bool has_dictionary, const dv_allocator *allocator, dv_error *err)
{
    const size_t n = (size_t)n_children, n_name = (size_t)name.nbytes, n_format = strlen(format);
    const size_t n_metadata = metadata.nbytes > 0 ? (size_t)metadata.nbytes : 0;
    const size_t nbytes = sizeof(schema_node) +
                          n * (sizeof(struct ArrowSchema) + sizeof(struct ArrowSchema *)) + n_name +
                          n_format + n_metadata + 3;
    const dv_allocator own = dvi_allocator_of(allocator);
    void *memory;
    *schema_out = (struct ArrowSchema){0};
    DVI_TRY(dvi_alloc_struct(&own, &memory, nbytes, err));
    schema_node *node = memory;
    node->allocator = own;
    node->nbytes = nbytes;
    node->children = (struct ArrowSchema *)(node + 1);
    node->pointers = (struct ArrowSchema **)(node->children + n);
    char *text = (char *)(node->pointers + n);
    for (size_t i = 0; i < n; i++)
        node->pointers[i] = &node->children[i];
    *schema_out = (struct ArrowSchema){
        .format = put_text(&text, format, n_format),
        .name = put_text(&text, name.data, n_name),
        .metadata = n_metadata > 0 ? put_text(&text, metadata.data, n_metadata) : NULL,
        .flags = flags,
        .n_children = n_children,
        .children = n > 0 ? node->pointers : NULL,
        .dictionary = has_dictionary ? &node->dictionary : NULL,
        .release = release_schema,
        .private_data = node};
    return DV_OK;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

void dvi_arrow_array_drop(struct ArrowArray *array)
{
    if (array->release)
        array->release(array);
}

static dv_status create_family(family **family_out, size_t n, const dv_allocator *allocator,
                               dv_error *err)
{
    void *memory;
    const dv_allocator own = dvi_allocator_of(allocator);
    const size_t nbytes = sizeof(family) + n * (sizeof(member) + sizeof(struct ArrowArray *));
    *family_out = NULL;
    DVI_TRY(dvi_alloc_struct(&own, &memory, nbytes, err));
    family *f = memory;
    atomic_init(&f->refs, 1);
    f->allocator = own;
    f->nbytes = nbytes;
    f->pointers = (struct ArrowArray **)(f->members + n);
    for (size_t i = 0; i < n; i++) {
        f->members[i].node.of = f;
        f->members[i].array.private_data = &f->members[i].node;
        f->pointers[i] = &f->members[i].array;
    }
    *family_out = f;
    return DV_OK;
}

static void leave_family(family *f)
{
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) != 1)
        return;
    const dv_allocator allocator = f->allocator;
    dvi_free(&allocator, f, f->nbytes);
}

static void release_array(struct ArrowArray *array)
{
    array_node *node = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        dvi_arrow_array_drop(node->children->pointers[i]);
    if (array->dictionary)
        dvi_arrow_array_drop(node->children->pointers[array->n_children]);
    leave_family(node->children);
    for (int i = 0; i < node->n_made; i++)
        dvi_memory_release(&node->made[i]);
    dv_batch_release(&node->batch);
    array->release = NULL;
    leave_family(node->of); /* which may be where the array lies */
}

/* The node of a child; or a new one. The caller then holds its family. */
static dv_status take_node(array_node **node_out, const struct ArrowArray *array,
                           const dv_allocator *allocator, dv_error *err)
{
    family *own;
    *node_out = array->private_data;
    if (*node_out) {
        atomic_fetch_add_explicit(&(*node_out)->of->refs, 1, memory_order_relaxed);
        return DV_OK;
    }
    DVI_TRY(create_family(&own, 1, allocator, err));
    *node_out = &own->members[0].node;
    return DV_OK;
}

dv_status dvi_arrow_array_create(struct ArrowArray *array_out, int64_t length, int64_t n_buffers,
                                 int64_t n_children, bool has_dictionary, const dv_batch *batch,
                                 const dv_allocator *allocator, dv_error *err)
{
    array_node *node;
    const size_t members = (size_t)n_children + has_dictionary;
    DVI_TRY(take_node(&node, array_out, allocator, err));
    const dv_status status =
        members > 0 ? create_family(&node->children, members, allocator, err) : DV_OK;
    if (status < 0) {
        leave_family(node->of);
        return status;
    }
    if (batch)
        dv_batch_retain(batch);
    node->batch = batch;
    struct ArrowArray **pointers = members > 0 ? node->children->pointers : NULL;
    *array_out =
        (struct ArrowArray){.length = length,
                            .n_buffers = n_buffers,
                            .n_children = n_children,
                            .buffers = node->buffers,
                            .children = n_children > 0 ? pointers : NULL,
                            .dictionary = has_dictionary && pointers ? pointers[n_children] : NULL,
                            .release = release_array,
                            .private_data = node};
    return DV_OK;
}

dv_status dvi_arrow_array_make(struct ArrowArray *array, size_t nbytes, void **memory_out,
                               dv_error *err)
{
    array_node *node = array->private_data;
    dvi_memory **made = &node->made[node->n_made];
    *memory_out = NULL;
    DVI_TRY(dvi_memory_create(made, &node->of->allocator, nbytes, err));
    node->n_made++;
    *memory_out = (*made)->data;
    return DV_OK;
}

void dvi_arrow_array_set(struct ArrowArray *array, int64_t buffer, const void *data, size_t nbytes)
{
    array_node *node = array->private_data;
    node->buffers[buffer] = nbytes > 0 ? data : nothing;
}

static dv_status share_parts(struct ArrowArray *array, const struct ArrowArray *of, dv_error *err)
{
    for (int64_t i = 0; i < of->n_children; i++)
        DVI_TRY(dvi_arrow_array_share(array->children[i], of->children[i], err));
    return of->dictionary ? dvi_arrow_array_share(array->dictionary, of->dictionary, err) : DV_OK;
}

dv_status dvi_arrow_array_share(struct ArrowArray *array_out, const struct ArrowArray *of,
                                dv_error *err)
{
    const array_node *from = of->private_data;
    DVI_TRY(dvi_arrow_array_create(array_out, of->length, of->n_buffers, of->n_children,
                                   of->dictionary != NULL, from->batch, &from->of->allocator, err));
    array_node *node = array_out->private_data;
    array_out->null_count = of->null_count;
    memcpy(node->buffers, from->buffers, sizeof node->buffers);
    memcpy(node->made, from->made, sizeof node->made);
    node->n_made = from->n_made;
    for (int i = 0; i < node->n_made; i++)
        dvi_owner_retain(&node->made[i]->owner);
    const dv_status status = share_parts(array_out, of, err);
    if (status != DV_OK)
        dvi_arrow_array_drop(array_out);
    return status;
}
