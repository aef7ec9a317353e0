/* SPDX-License-Identifier: MIT */
/* image_paths.c: looks whether the first paths of a table lead to files. */
#include "image/image_paths.h"
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>

#define ROWS 100 /* that are looked at: all of them lie in the first chunk, unless it has fewer */

typedef struct learner {
    const dv_step_binding *binding;
    dvi_loader loader;
    int64_t rows, paths;   /* looked at: that have no path, too */
    bool is_over;          /* nothing is left to look at */
    bool has_more;         /* there are rows after the first chunk */
    bool begins_with_root; /* the first path does */
    dv_error first;        /* why the first path leads nowhere */
} learner;

/* `strict+` fails at the first path that leads nowhere, wherever it is. */
bool dvi_paths_learns(const dv_step *step)
{
    return !dv_step_is_given(step, "strict");
}

bool dvi_paths_acts(const dv_step_binding *b)
{
    const dv_type text = dv_type_of(DV_KIND_TX);
    return dv_type_equal(&dv_schema_column(b->schema, b->sources[0])->type, &text);
}

dv_status dvi_paths_begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    learner *l = dvi_block_create(sizeof *l, b->allocator);
    if (!l)
        return dv_error_set(err, DV_ERR_MEMORY, "no memory to look at paths");
    *l = (learner){.binding = b, .is_over = !dvi_paths_acts(b), .first = DV_ERROR_INIT};
    *learner_out = l;
    return DV_OK;
}

void dvi_paths_free(void *of)
{
    learner *l = of;
    dvi_loader_close(&l->loader);
    dvi_block_free(l);
}

/* Only the learner that gets the first chunk looks: the same rows with any number of threads. */
dv_status dvi_paths_begin_chunk(void *of, int64_t chunk, dv_error *err)
{
    learner *l = of;
    (void)err;
    l->has_more |= chunk > 0;
    l->is_over |= l->has_more;
    return DV_OK;
}

static void look(learner *l, dv_text path)
{
    dv_error why = DV_ERROR_INIT;
    const dv_status status = dvi_loader_find(&l->loader, path, &why);
    if (status != DV_NOT_FOUND) {
        l->is_over = true; /* a file, if one of which reading will tell more */
        l->paths = 0;
    } else if (l->paths++ == 0) {
        l->first = why;
        l->begins_with_root = path.data[0] == '/';
    }
}

dv_status dvi_paths_see(void *of, const dv_column_view *const *sources, int64_t place,
                        dv_error *err)
{
    learner *l = of;
    (void)place;
    if (l->is_over)
        return DV_OK;
    const dv_status status = dvi_loader_open(&l->loader, l->binding->step, err);
    dv_value value = dv_value_first(sources[0]);
    for (int64_t i = 0; status == DV_OK && !l->is_over && i < sources[0]->rows; i++) {
        const dv_text path = dv_value_tx(&value);
        if (path.nbytes > 0)
            look(l, path);
        l->is_over |= ++l->rows >= ROWS;
        dv_value_next(&value);
    }
    return status;
}

bool dvi_paths_is_full(const void *of)
{
    return ((const learner *)of)->is_over;
}

dv_status dvi_paths_merge(void **learners, int32_t n, dv_error *err)
{
    bool has_more = false;
    (void)err;
    for (int32_t i = 0; i < n; i++) {
        learner *const other = learners[i];
        has_more |= other->has_more;
        if (other->paths == 0)
            continue;
        learners[i] = learners[0];
        learners[0] = other;
    }
    ((learner *)learners[0])->has_more = has_more;
    return DV_OK;
}

dv_status dvi_paths_finish(void **learned_out, void **at, const dv_step_binding *b, dv_error *err)
{
    const learner *l = *at;
    char text[sizeof l->first.message], which[64] = "the only path";
    *learned_out = NULL;
    if (l->paths == 0 || (l->rows < ROWS && l->has_more)) /* a filter left too few to judge by */
        return DV_OK;
    const dv_text folder = dv_step_text(b->step, "folder", 0);
    if (l->paths > 1)
        snprintf(which, sizeof which, "each of the first %" PRId64 " paths", l->paths);
    snprintf(text, sizeof text,
             "%s leads to no file: %.120s; paths begin at folder=\"%.*s\"%s; strict- lets all be "
             "missing",
             which, l->first.message, folder.nbytes < 60 ? (int)folder.nbytes : 60, folder.data,
             l->begins_with_root ? ", and at / with folder=/" : "");
    dv_error_set(err, DV_ERR_IO, text);
    if (err)
        err->os_code = l->first.os_code;
    return DV_ERR_IO;
}
