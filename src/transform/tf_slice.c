/* SPDX-License-Identifier: MIT */
/* tf_slice.c: a run of the rows of a view (semantics:7.14, SkipTake). */
#include "base/check.h"
#include "transform/mapper.h"
#include <dataview/transform.h>

static const dv_view_class slice_class = DVI_MAPPER_CLASS("slice", dvi_never_shuffles, NULL);

dv_status dv_view_slice(dv_view **view_out, dv_view *source, int64_t skip, int64_t take,
                        const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (skip < 0 || take < -1)
        return dvi_fail_argument(err, "skip is %lld and take %lld; skip must be >= 0, take >= -1",
                                 (long long)skip, (long long)take);
    DVI_TRY(dvi_mapper_create(&mapper, source, 0, allocator, err));
    mapper->base.first_row = skip;
    mapper->base.rows_most = take < 0 ? INT64_MAX : take;
    const dv_status status = dvi_mapper_arrange(mapper, &schema, NULL, 0, err);
    return dvi_mapper_view(view_out, &slice_class, mapper, schema, status, err);
}
