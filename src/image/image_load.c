/* SPDX-License-Identifier: MIT */
/* image_load.c: reads files below a folder, whose paths are data, and the step `loadbytes`. */
#include "image/image_load.h"
#include "image/image_paths.h"
#include "image/image_steps.h"
#include <dataview/value.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The folder ------------------------------------------------------------------------------- */

/* os_code: errno, or 0. */
static dv_status fail(dv_error *err, dv_status status, int os_code, const char *what,
                      const char *path)
{
    char text[360];
    snprintf(text, sizeof text, "%s%s%.200s", what, *path ? ": " : "", path);
    dv_error_set(err, status > 0 ? DV_ERR_IO : status, text); /* it takes errors only */
    if (err)
        err->os_code = os_code;
    return status;
}

dv_status dvi_loader_open(dvi_loader *loader, const dv_step *step, dv_error *err)
{
    dv_error why = DV_ERROR_INIT;
    if (loader->folder)
        return DV_OK;
    loader->follows = dv_step_integer(step, "follow") != 0;
    loader->nbytes_max = dv_step_integer(step, "nbytes");
    const dv_status status =
        dv_step_folder(&loader->folder, step, dv_step_text(step, "folder", 0), NULL, &why);
    return status == DV_OK ? status : fail(err, status, why.os_code, "folder=", why.message);
}

void dvi_loader_close(dvi_loader *loader)
{
    dv_folder_release(&loader->folder);
    dvi_room_free(&loader->room);
}

/* --- A file ----------------------------------------------------------------------------------- */

/* An open file, and its size. */
typedef struct found_file {
    int fd;
    int64_t nbytes;
} found_file;

static dv_status fail_file(dv_error *err, dv_status status, int os_code, const char *what,
                           dv_text path)
{
    char text[201];
    snprintf(text, sizeof text, "%.*s", path.nbytes < 200 ? (int)path.nbytes : 200, path.data);
    return fail(err, status, os_code, what, text);
}

/* Close it after DV_OK. */
static dv_status find_file(const dvi_loader *loader, found_file *found, dv_text path, dv_error *err)
{
    struct stat facts;
    found->nbytes = 0;
    dv_status status = dv_folder_open_file(&found->fd, loader->folder, path, loader->follows, err);
    if (status != DV_OK)
        return status;
    if (fstat(found->fd, &facts) != 0)
        status = fail_file(err, DV_ERR_IO, errno, strerror(errno), path);
    else if (facts.st_size > loader->nbytes_max)
        status = fail_file(err, DV_ERR_LIMIT, 0, "more bytes than `nbytes` allows", path);
    else
        found->nbytes = facts.st_size;
    if (status != DV_OK)
        close(found->fd);
    return status;
}

dv_status dvi_loader_find(dvi_loader *loader, dv_text path, dv_error *err)
{
    found_file found;
    const dv_status status = find_file(loader, &found, path, err);
    if (status == DV_OK)
        close(found.fd);
    return status;
}

static dv_status read_all(dvi_loader *loader, dv_text *file_out, const found_file *found,
                          dv_text path, dv_error *err)
{
    int64_t done = 0;
    const dv_status status = dvi_room_fit(&loader->room, (size_t)found->nbytes + 1, err);
    if (status != DV_OK)
        return status;
    while (done < found->nbytes) {
        const ssize_t n = read(found->fd, loader->room.data + done, (size_t)(found->nbytes - done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_file(err, DV_ERR_IO, errno, strerror(errno), path);
        if (n == 0)
            break; /* it became shorter */
        done += n;
    }
    *file_out = (dv_text){(const char *)loader->room.data, done};
    return DV_OK;
}

dv_status dvi_loader_read(dvi_loader *loader, dv_text *file_out, dv_text path, dv_error *err)
{
    found_file found;
    *file_out = (dv_text){NULL, 0};
    dv_status status = find_file(loader, &found, path, err);
    if (status != DV_OK)
        return status;
    status = read_all(loader, file_out, &found, path, err);
    close(found.fd);
    return status;
}

/* --- The step --------------------------------------------------------------------------------- */

typedef struct memory {
    dvi_loader loader;
    dvi_pool *pool; /* of what is made */
    dvi_room bytes; /* of the rows of a batch, end to end */
    int64_t used;
} memory;

static void release(void *of)
{
    memory *m = of;
    dvi_loader_close(&m->loader);
    dvi_room_free(&m->bytes);
    dvi_pool_close(&m->pool);
}

static dv_status type_loadbytes(dv_type *type_out, const dv_step_binding *binding, void *learned,
                                dv_error *err)
{
    (void)learned;
    const dv_type text = dv_type_of(DV_KIND_TX);
    *type_out = dv_type_of(DV_KIND_BY);
    if (dv_type_equal(&dv_schema_column(binding->schema, binding->sources[0])->type, &text))
        return DV_OK;
    return dv_error_set(err, DV_ERR_ARGUMENT, "loadbytes takes paths, which are TX");
}

/* Room for n more bytes; those that are there stay. */
static dv_status grow(memory *m, int64_t n, const dv_allocator *allocator, dv_error *err)
{
    if ((size_t)(m->used + n) <= m->bytes.nbytes)
        return DV_OK;
    dvi_room larger = {.allocator = allocator};
    const dv_status status =
        dvi_room_fit(&larger, (size_t)(m->used + n) + (size_t)m->used / 2, err);
    if (status != DV_OK)
        return status;
    if (m->used > 0)
        memcpy(larger.data, m->bytes.data, (size_t)m->used);
    dvi_room_free(&m->bytes);
    m->bytes = larger;
    return DV_OK;
}

static dv_status add_file(memory *m, const dv_step_filling *f, int64_t row, dv_text path,
                          dv_error *err)
{
    dv_text file;
    dv_error inner = DV_ERROR_INIT;
    const bool is_strict = dv_step_integer(f->binding->step, "strict") != 0;
    dv_status status = dvi_loader_read(&m->loader, &file, path, &inner);
    if (dvi_is_of_value(status) && (!is_strict || path.nbytes <= 0))
        return DV_OK;
    if (status == DV_OK && m->used + file.nbytes > INT32_MAX)
        status =
            dv_error_set(&inner, DV_ERR_LIMIT,
                         "the files of a batch have more than 2^31-1 bytes: reduce batch_rows");
    if (status != DV_OK)
        return dvi_fail_row(err, row, &inner);
    status = grow(m, file.nbytes, f->binding->allocator, err);
    if (status == DV_OK && file.nbytes > 0)
        memcpy(m->bytes.data + m->used, file.data, (size_t)file.nbytes);
    if (status == DV_OK)
        m->used += file.nbytes;
    return status;
}

/* BY has no NA: a missing file has no bytes. */
static dv_status fill_loadbytes(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    memory *m = f->memory;
    void *ends, *bytes;
    dv_text_layout made = {.first = 0};
    m->used = 0;
    m->loader.room.allocator = f->binding->allocator;
    dv_status status = dvi_pool_begin(&m->pool, f->binding->allocator, err);
    if (status == DV_OK)
        status = dvi_loader_open(&m->loader, f->binding->step, err);
    if (status == DV_OK)
        status = dvi_output_create(&made.ends, &ends, (size_t)f->rows * sizeof(int32_t),
                                   sizeof(int32_t), m->pool, f->binding->allocator, err);
    if (status != DV_OK)
        return status;
    dv_value value = dv_value_first(f->sources[0]);
    for (int64_t i = 0; status == DV_OK && i < f->rows; i++, dv_value_next(&value)) {
        status = add_file(m, f, f->first_row + i, dv_value_tx(&value), err);
        ((int32_t *)ends)[i] = (int32_t)m->used;
    }
    if (status == DV_OK)
        status = dvi_output_create(&made.utf8, &bytes, (size_t)m->used, 1, m->pool,
                                   f->binding->allocator, err);
    if (status != DV_OK) {
        dv_buffer_release(&made.ends);
        return status;
    }
    if (m->used > 0)
        memcpy(bytes, m->bytes.data, (size_t)m->used);
    values_out->layout = DV_LAYOUT_BYTES;
    values_out->as.text = made;
    return DV_OK;
}

static dv_status begin_loadbytes(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dv_type type;
    const dv_status status = type_loadbytes(&type, b, NULL, err);
    return status == DV_OK ? dvi_paths_begin(learner_out, b, err) : status;
}

DVI_IMAGE_CLASS(loadbytes, .memory = sizeof(memory), .release = release,
                DVI_PATHS_CLASS(loadbytes));
DVI_IMAGE_INFO(loadbytes, "", "Read the files of paths: bytes.", DVI_LOAD_OPTIONS,
               DVI_STRICT_OPTION);
