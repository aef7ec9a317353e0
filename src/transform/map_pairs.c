/* SPDX-License-Identifier: MIT */
/* map_pairs.c: parses the keys and values of a map. */
#include "transform/map_pairs.h"
#include "base/alloc.h"
#include "base/check.h"
#include "codec/scalar.h"
#include <dataview/table.h>
#include <dataview/transform.h>

static dv_status check_texts(const dv_type *type, const dv_text *texts, int64_t n, const char *what,
                             dv_error *err)
{
    dv_scalar scalar;
    char name[64];
    dv_type_print(type, name, sizeof name);
    if (type->rank > 0 || type->kind == DV_KIND_BY || type->kind == DV_KIND_EXTENSION)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, what, "a scalar type|%s", name);
    for (int64_t i = 0; i < n && type->kind != DV_KIND_TX; i++)
        DVI_REQUIRE(
            texts[i].nbytes >= 0 &&
                dvi_scalar_parse(&scalar, type, texts[i].data, (size_t)texts[i].nbytes, '.'),
            dvi_fail(err, DV_ERR_ARGUMENT, "", -1, what, "%s|%s", name, dvi_show(texts[i]).text));
    return DV_OK;
}

dv_status dvi_map_pairs_table(dv_view **table_out, const dvi_map_pairs *p,
                              const dv_allocator *allocator, dv_error *err)
{
    dv_view *texts;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    const dv_type tx = dv_type_of(DV_KIND_TX);
    const dv_table_column columns[] = {{"Key", tx, NULL, p->keys}, {"Value", tx, NULL, p->values}};
    const dv_conversion_spec specs[] = {{dv_text_of("Key"), dv_text_of(NULL), p->key_type},
                                        {dv_text_of("Value"), dv_text_of(NULL), p->value_type}};
    *table_out = NULL;
    options.allocator = allocator;
    DVI_TRY(check_texts(&p->key_type, p->keys, p->n, "key of the map", err));
    DVI_TRY(check_texts(&p->value_type, p->values, p->n, "value of the map", err));
    DVI_TRY(dv_table_create(&texts, columns, 2, p->n, &options, err));
    dv_view *all = NULL;
    dv_status status = dv_view_convert(&all, texts, specs, 2, allocator, err);
    const dv_column_spec kept[] = {{dv_text_of("Key"), dv_text_of(NULL)},
                                   {dv_text_of("Value"), dv_text_of(NULL)}};
    if (status == DV_OK)
        status = dv_view_select(table_out, all, kept, 2, DV_HIDDEN_DROP, allocator, err);
    dv_view_release(&all);
    dv_view_release(&texts);
    return status;
}
