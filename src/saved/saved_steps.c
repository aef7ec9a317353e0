/* SPDX-License-Identifier: MIT */
/* saved_steps.c: the steps that a manifest lists, as a pipeline. */
#include "base/check.h"
#include "base/owner.h"
#include "pipeline/pipe_columns.h"
#include "saved/saved_priv.h"
#include "steps/step_registry.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- What this version does not have ---------------------------------------------------------- */

static dv_status check_names(const dvi_saved_manifest *m, int64_t offset, dv_error *err)
{
    char unknown[160] = "";
    const char *advice = NULL;
    size_t n = 0;
    for (const dvi_saved_step *s = m->steps; s; s = s->next)
        if (!dvi_transform_find(s->name) && n < sizeof unknown - 1) {
            n += (size_t)snprintf(unknown + n, sizeof unknown - n, "%s%s", n > 0 ? ", " : "",
                                  s->name.nbytes > 0 ? dvi_show(s->name).text : "\"\"");
            advice = advice ? advice : dvi_step_advice(s->name);
        }
    if (n == 0)
        return DV_OK;
    const dv_status status = dvi_fail(err, DV_ERR_UNSUPPORTED, "dvp:PM4", offset, "steps",
                                      "those that this version has|%s", unknown);
    dvi_error_advise(err, advice ? advice : "");
    return status;
}

static dv_status check_versions(const dvi_saved_manifest *m, int64_t offset, dv_error *err)
{
    for (const dvi_saved_step *s = m->steps; s; s = s->next) {
        const int version = dvi_class_of(dvi_transform_find(s->name))->open.version;
        DVI_REQUIRE(s->version <= version,
                    dvi_fail(err, DV_ERR_UNSUPPORTED, "dvp:PM5", offset, "version of a step",
                             "at most %d|%" PRId64 " of %s", version, s->version,
                             dvi_show(s->name).text));
    }
    return DV_OK;
}

/* --- The text --------------------------------------------------------------------------------- */

static dv_status join(const dvi_saved_manifest *m, dvi_memory **text, size_t *nbytes_out,
                      const dv_allocator *allocator, dv_error *err)
{
    size_t used = 0;
    DVI_TRY(dvi_memory_reserve(text, allocator, 1, err));
    for (const dvi_saved_step *s = m->steps; s; s = s->next) {
        const size_t n = (size_t)s->text.nbytes;
        DVI_TRY(dvi_memory_extend(text, used, used + n + 1, allocator, err));
        memcpy((*text)->data + used, s->text.data, n);
        (*text)->data[used + n] = '\n';
        used += n + 1;
    }
    *nbytes_out = used;
    return DV_OK;
}

/* The rows of a table that was given to a step are among its sections: the file that it came from
 * is not looked for. */
static dv_status leave_table(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    (void)ctx;
    (void)name;
    (void)err;
    *table_out = NULL;
    return DV_OK;
}

static dv_status parse(dv_pipeline **pipeline_out, dv_text text, int64_t offset,
                       const dv_allocator *allocator, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    dv_pipeline_options options = DV_PIPELINE_OPTIONS_INIT;
    options.open_table = leave_table;
    options.untrusted = true;
    const dv_status status = dv_pipeline_parse_files(pipeline_out, text, &options, allocator, &own);
    if (status == DV_ERR_ARGUMENT)
        return dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM6", offset, "text of the steps", "steps|%s",
                        own.message);
    if (status < 0 && err)
        *err = own;
    return status;
}

/* What a text has left to be compared with. */
typedef struct rest {
    dv_text text;
} rest;

/* Files of earlier versions have controls in quotes as they are; today they are escapes, which
 * parsing has made the same. */
static bool take_control(rest *r, const char *data, size_t nbytes)
{
    if (nbytes < 2 || data[0] != '\\' || r->text.nbytes < 1 ||
        ((unsigned char)r->text.data[0] >= 0x20 && r->text.data[0] != 0x7F))
        return false;
    r->text.data++;
    r->text.nbytes--;
    return true;
}

static bool take_same(void *ctx, const char *data, size_t nbytes)
{
    rest *r = ctx;
    if (take_control(r, data, nbytes))
        return true;
    if ((uint64_t)r->text.nbytes < nbytes || memcmp(r->text.data, data, nbytes) != 0)
        return false;
    r->text.data += nbytes;
    r->text.nbytes -= (int64_t)nbytes;
    return true;
}

/* Each text is that of one step, as the writer writes it, and has the tables that the step needs.
 */
static bool is_same_step(const dvi_step *step, const dvi_saved_step *saved)
{
    rest r = {saved->text};
    const dv_sink sink = {take_same, &r};
    return dv_text_equal(saved->name, dv_text_of(step->info->name)) &&
           !dvi_step_has_patterns(step) && dvi_notation_write(step, &sink, NULL) == DV_OK &&
           r.text.nbytes == 0;
}

static dv_status check_steps(const dvi_steps *steps, const dvi_saved_manifest *m, int64_t offset,
                             dv_error *err)
{
    const dvi_saved_step *saved = m->steps;
    DVI_REQUIRE(steps->count == m->steps_count,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM6", offset, "steps in the texts", "%d|%d",
                         (int)m->steps_count, (int)steps->count));
    for (int32_t i = 0; i < steps->count; i++, saved = saved->next) {
        const dvi_step *step = &steps->step[i];
        const int64_t tables = (int64_t)step->columns_count * dvi_step_tables(step);
        DVI_REQUIRE(is_same_step(step, saved),
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM6", offset, "text of a step",
                             "as it is written|step %d, \"%s\"", (int)i + 1,
                             dvi_show(saved->text).text));
        DVI_REQUIRE(saved->tables == tables,
                    dvi_fail(err, DV_ERR_CORRUPT, "dvp:PM7", offset, "tables of a step",
                             "%d|%d in step %d", (int)tables, (int)saved->tables, (int)i + 1));
    }
    return DV_OK;
}

dv_status dvi_saved_parse_steps(dv_pipeline **pipeline_out, const dvi_saved_manifest *m,
                                int64_t offset, const dv_allocator *allocator, dv_error *err)
{
    dvi_memory *text = NULL;
    size_t n = 0;
    *pipeline_out = NULL;
    DVI_TRY(check_names(m, offset, err));
    DVI_TRY(check_versions(m, offset, err));
    dv_status status = join(m, &text, &n, allocator, err);
    if (status == DV_OK)
        status = parse(pipeline_out, (dv_text){(const char *)text->data, (int64_t)n}, offset,
                       allocator, err);
    dvi_memory_release(&text);
    if (status == DV_OK)
        status = check_steps(&(*pipeline_out)->steps, m, offset, err);
    if (status < 0)
        dv_pipeline_release(pipeline_out);
    return status;
}
