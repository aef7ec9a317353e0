/* SPDX-License-Identifier: MIT */
/* open_type.c: the list of the types of callers, and buffers of their values. */
#include "type/open_type.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/identifier.h"
#include "base/owner.h"
#include "base/size.h"
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* --- The list --------------------------------------------------------------------------------- */

#define TYPES_MAX 256
#define WIDTH_MAX 65536

/* Entries below `types_count` never change. */
static dv_open_type *types[TYPES_MAX];
static atomic_int types_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static const dv_open_type *find(const char *name)
{
    const int n = atomic_load(&types_count);
    for (int i = 0; i < n; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

static dv_status check(const dv_open_type *type, dv_error *err)
{
    dv_type known;
    if (type->size != sizeof *type)
        return dvi_fail_argument(err, "the type has the size of another version: set size to "
                                      "sizeof(dv_open_type)");
    if (!dvi_is_identifier(type->name) || !isalpha((unsigned char)*type->name))
        return dvi_fail_argument(err, "a type needs a name of letters, digits and _, which begins "
                                      "with a letter");
    if (dv_type_parse(&known, dv_text_of(type->name), NULL, 0, NULL) == DV_OK || find(type->name))
        return dvi_fail_argument(err, "there is a type %s already", type->name);
    if (type->width < 1 || type->width > WIDTH_MAX)
        return dvi_fail_argument(err, "values of %d bytes; 1 to %d are allowed", (int)type->width,
                                 WIDTH_MAX);
    if (!type->destroy)
        return dvi_fail_argument(err, "a type needs destroy; for plain bytes use "
                                      "dv_type_extension");
    return DV_OK;
}

static dv_status add(const dv_open_type *type, dv_error *err)
{
    void *made;
    const int n = atomic_load(&types_count);
    DVI_TRY(check(type, err));
    if (n == TYPES_MAX)
        return dvi_fail_argument(err, "there are %d types of callers; no more are taken", n);
    DVI_TRY(dvi_alloc(NULL, &made, sizeof *type, err));
    memcpy(made, type, sizeof *type);
    types[n] = made;
    atomic_store(&types_count, n + 1);
    return DV_OK;
}

dv_status dv_open_type_register(const dv_open_type *type, dv_error *err)
{
    pthread_mutex_lock(&adding);
    const dv_status status = add(type, err);
    pthread_mutex_unlock(&adding);
    return status;
}

dv_type dv_open_type_find(const char *name)
{
    const dv_open_type *type = find(name);
    return type ? dv_type_extension(type->name, type->width) : dv_type_of(DV_KIND_NONE);
}

const dv_open_type *dvi_open_type_of(const dv_type *type)
{
    return type->kind == DV_KIND_EXTENSION ? find(type->extension) : NULL;
}

dv_status dvi_open_type_refuse(const dv_type *type, const char *what, dv_error *err)
{
    if (!dvi_open_type_of(type))
        return DV_OK;
    return dvi_fail_argument(err,
                             "values of the type %s cannot be copied into %s: leave the "
                             "column out, or make numbers of it first",
                             type->extension, what);
}

/* --- Values ----------------------------------------------------------------------------------- */

/* The values follow, aligned for any type. */
typedef struct open_values {
    dv_owner owner;
    dv_allocator allocator;
    const dv_open_type *type;
    int64_t n;
    size_t nbytes; /* of all */
} open_values;

static size_t header_nbytes(void)
{
    return dvi_padded(sizeof(open_values));
}

static void release(dv_owner *owner)
{
    open_values *v = (open_values *)owner;
    const dv_allocator allocator = v->allocator;
    if (v->n > 0)
        v->type->destroy((char *)v + header_nbytes(), v->n);
    dvi_free(&allocator, v, v->nbytes);
}

dv_status dv_open_values_create(dv_buffer *buffer_out, void **values_out, const dv_type *type,
                                int64_t n, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    size_t nbytes, whole;
    const dv_open_type *open = dvi_open_type_of(type);
    *buffer_out = (dv_buffer){0};
    *values_out = NULL;
    if (!open || open->width != type->extension_width || n < 0)
        return dvi_fail_argument(err, "there is no such type, or a negative number of values");
    if (!dvi_size_mul((size_t)n, (size_t)open->width, &nbytes) ||
        !dvi_size_add(nbytes, header_nbytes(), &whole))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, whole, err));
    open_values *v = made;
    dvi_owner_init(&v->owner, release);
    v->allocator = dvi_allocator_of(allocator);
    v->type = open;
    v->n = n;
    v->nbytes = whole;
    *values_out = (char *)made + header_nbytes();
    *buffer_out = (dv_buffer){n > 0 ? *values_out : NULL, nbytes, &v->owner, false, true};
    return DV_OK;
}
