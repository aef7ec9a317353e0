/* SPDX-License-Identifier: MIT */
/* arrow_intake.c: plans what each field of a producer's schema becomes. */
#include "interop/arrow_intake.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/hashtab.h"
#include "codec/option_string.h"
#include "codec/space.h"
#include "interop/arrow_tensor.h"
#include <inttypes.h>
#include <string.h>

#define RULE "docs/arrow.md"
#define DIMS_MAX DVI_ARROW_DIMS

/* What the planning of columns works on. */
typedef struct planner {
    dvi_arrow_intake *intake;
    int32_t cap;     /* columns that there is room for */
    bool is_foreign; /* dataview.* of another mapping is ignored */
    const struct choice *choices;
    int32_t choices_count;
    int32_t path[DVI_ARROW_DEPTH];
} planner;

/* A word of the option `types`. */
typedef struct choice {
    dv_text name;
    dv_type type;
    bool *is_used;
} choice;

/* --- The option `types` ----------------------------------------------------------------------- */

static dv_status parse_type(dv_type *type_out, dv_text text, dvi_arena *arena, dv_error *err)
{
    int32_t dims[DIMS_MAX];
    void *copy;
    DVI_TRY(dv_type_parse(type_out, text, dims, DIMS_MAX, err));
    DVI_TRY(dv_type_check(type_out, err));
    if (type_out->rank < 2)
        return DV_OK;
    const size_t nbytes = (size_t)type_out->rank * sizeof *dims;
    DVI_TRY(dvi_arena_alloc(arena, &copy, nbytes, err));
    memcpy(copy, dims, nbytes);
    type_out->dims = copy;
    return DV_OK;
}

static dv_status parse_choice(choice *c, dv_text word, dvi_arena *arena, dv_error *err)
{
    void *used;
    dv_text name, type;
    DVI_REQUIRE(dvi_text_split_type(word, &name, &type),
                dvi_fail_argument(err, "types: a name and a type, such as x:I8, not \"%s\"",
                                  dvi_show(word).text));
    DVI_TRY(dvi_arena_text(arena, &c->name, name, err));
    DVI_TRY(dvi_arena_alloc(arena, &used, sizeof *c->is_used, err));
    c->is_used = used;
    const dv_status status = parse_type(&c->type, type, arena, err);
    if (status < 0)
        dvi_error_within(err, "types: column \"%s\"", dvi_show(c->name).text);
    return status;
}

static dv_status parse_choices(planner *p, const char *types, dv_error *err)
{
    dvi_arena *arena = &p->intake->arena;
    dvi_option_string words = {.text = dv_text_of(types), .arena = arena};
    const char *start = words.text.data, *const end = start + words.text.nbytes;
    choice *list = NULL;
    int32_t cap = 0;
    for (;;) {
        dv_text word;
        void *grown;
        words.at = dvi_space_skip(start + words.at, end) - start;
        if (words.at == words.text.nbytes)
            return DV_OK;
        DVI_TRY(dvi_option_string_value(&words, &word, err));
        if (p->choices_count == cap) { /* doubled: the arena keeps the old list too */
            cap = 2 * cap + 8;
            DVI_TRY(dvi_arena_alloc(arena, &grown, (size_t)cap * sizeof *list, err));
            if (list)
                memcpy(grown, list, (size_t)p->choices_count * sizeof *list);
            list = grown;
            p->choices = list;
        }
        DVI_TRY(parse_choice(&list[p->choices_count], word, arena, err));
        p->choices_count++;
    }
}

static const choice *find_choice(const planner *p, dv_text name)
{
    for (int32_t i = 0; i < p->choices_count; i++)
        if (dv_text_equal(p->choices[i].name, name))
            return &p->choices[i];
    return NULL;
}

static dv_status check_choices(const planner *p, dv_error *err)
{
    for (int32_t i = 0; i < p->choices_count; i++)
        DVI_REQUIRE(*p->choices[i].is_used, dvi_fail_argument(err, "types: no column \"%s\"",
                                                              dvi_show(p->choices[i].name).text));
    return DV_OK;
}

/* --- Types of columns ------------------------------------------------------------------------- */

/* The type that metadata names. DV_NOT_FOUND: they name none. */
static dv_status parse_said(dv_type *type_out, dv_text said, dvi_arena *arena, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    const dv_status status =
        said.nbytes < 0 ? DV_NOT_FOUND : parse_type(type_out, said, arena, &found);
    if (status != DV_ERR_MEMORY)
        return status == DV_OK ? DV_OK : DV_NOT_FOUND;
    if (err)
        *err = found;
    return status;
}

/* The entries of a dictionary: of the type that dataview.values has, or that the format has. */
static dv_status plan_entries(dvi_arrow_column *c, dvi_arrow_intake *intake, dv_error *err)
{
    void *memory;
    dvi_arrow_scalar *s = &c->scalar;
    const dvi_arrow_shape *values = s->shape->dictionary;
    dv_type type, item;
    DVI_TRY(dvi_arena_alloc(&intake->arena, &memory, sizeof(dvi_arrow_scalar), err));
    dvi_arrow_scalar *entries = memory;
    s->entries = entries;
    s->dictionary = intake->dictionaries++;
    if (s->make == DVI_ARROW_FROM_ENTRIES)
        return dvi_arrow_scalar_fit(entries, values, values, &s->type, false) ? DV_OK
                                                                              : DV_NOT_FOUND;
    const dv_text said = dvi_arrow_shape_find(c->field, "dataview.values");
    const dv_status is_said =
        c->is_ours ? parse_said(&type, said, &intake->arena, err) : DV_NOT_FOUND;
    if (is_said < 0)
        return is_said;
    if (is_said == DV_OK) {
        item = dv_type_item(&type);
        if (dvi_arrow_scalar_fit(entries, values, values, &item, true))
            return DV_OK;
    }
    DVI_TRY(dvi_arrow_scalar_type(&item, values, err));
    return dvi_arrow_scalar_fit(entries, values, values, &item, false) ? DV_OK : DV_NOT_FOUND;
}

/* The shape of the items of a column of lists, below all levels of fixed_size_list. */
static const dvi_arrow_shape *items_of(dvi_arrow_column *c)
{
    const dvi_arrow_shape *shape = c->outer;
    c->lists = 0;
    if (!dvi_arrow_is_list(&shape->format))
        return shape;
    do {
        shape = &shape->children[0];
        c->lists++;
    } while (shape->format.storage == DVI_ARROW_FIXED_LIST &&
             c->outer->format.storage == DVI_ARROW_FIXED_LIST);
    return shape;
}

/* list<struct<index: int32, value>>, if a type says how many slots there are. */
static bool is_pairs(const dvi_arrow_column *c, const dvi_arrow_shape *items)
{
    const dvi_arrow_storage storage = c->outer->format.storage;
    return (storage == DVI_ARROW_LIST_4 || storage == DVI_ARROW_LIST_8) &&
           items->format.storage == DVI_ARROW_STRUCT && items->children_count == 2 &&
           items->children[0].format.storage == DVI_ARROW_I4 &&
           !dvi_arrow_is_time(&items->children[0].format) && !items->children[0].dictionary;
}

/* Slots of a fixed list; 0: they vary; -1: more than there may be. */
static int64_t fixed_slots(const dvi_arrow_column *c)
{
    const dvi_arrow_shape *shape = c->outer;
    int64_t slots = shape->format.storage == DVI_ARROW_FIXED_LIST ? 1 : 0;
    for (int32_t i = 0; i < c->lists && slots > 0; i++, shape = &shape->children[0]) {
        slots *= shape->format.width;
        if (slots > INT32_MAX)
            return -1;
    }
    return slots;
}

/* Whether the column can have that type. DV_OK; DV_NOT_FOUND; an error. */
static dv_status fit_column(dvi_arrow_column *c, const dv_type *type, bool is_ours,
                            dvi_arrow_intake *intake, dv_error *err)
{
    const dvi_arrow_shape *items = items_of(c);
    const dv_type item = dv_type_item(type);
    const int64_t slots = fixed_slots(c);
    c->is_sparse = c->lists > 0 && is_pairs(c, items);
    if ((type->rank > 0) != (c->lists > 0) || (c->is_sparse && type->size == 0))
        return DV_NOT_FOUND;
    const bool is_fixed = c->outer->format.storage == DVI_ARROW_FIXED_LIST; /* of 0 slots, too */
    if (slots < 0 ||
        (!c->is_sparse && type->size != slots && (is_ours || (is_fixed && type->size != 0))))
        return DV_NOT_FOUND;
    if (!dvi_arrow_scalar_fit(&c->scalar, c->is_sparse ? &items->children[1] : items, c->field,
                              &item, is_ours))
        return DV_NOT_FOUND;
    c->type = *type;
    c->slots = slots;
    c->is_ours = is_ours;
    return c->scalar.shape->dictionary ? plan_entries(c, intake, err) : DV_OK;
}

/* The dims that arrow.fixed_shape_tensor says, or those of nested lists. */
static dv_status read_dims(dv_type *type, const dvi_arrow_column *c, dvi_arena *arena,
                           dv_error *err)
{
    void *memory;
    const dvi_arrow_tensor *tensor = &c->tensor;
    DVI_TRY(dvi_arena_alloc(arena, &memory, DIMS_MAX * sizeof(int32_t), err));
    int32_t *dims = memory, rank = 0;
    const dvi_arrow_shape *shape = c->outer;
    for (; rank < tensor->rank; rank++)
        dims[rank] = tensor->dims[tensor->order ? tensor->order[rank] : rank];
    for (; tensor->rank == 0 && rank < c->lists; rank++, shape = &shape->children[0])
        dims[rank] = (int32_t)shape->format.width;
    int64_t slots = 1;
    for (int32_t i = 0; i < rank && slots <= INT32_MAX; i++)
        slots *= dims[i];
    DVI_REQUIRE(slots == fixed_slots(c),
                dvi_fail(err, DV_ERR_CORRUPT, RULE, -1, "dims of the tensor",
                         "%" PRId64 " slots|%" PRId64, fixed_slots(c), slots));
    *type = dv_type_tensor(dv_type_item(type), dims, rank);
    return DV_OK;
}

/* The type that follows from the schema alone. */
static dv_status natural_type(dv_type *type_out, dvi_arrow_column *c, dvi_arrow_intake *intake,
                              dv_error *err)
{
    const dvi_arrow_shape *items = items_of(c);
    const int64_t slots = fixed_slots(c);
    DVI_REQUIRE(slots >= 0, dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "slots of a list",
                                     "at most 2^31-1|more"));
    DVI_TRY(dvi_arrow_scalar_type(type_out, items, err));
    if (c->lists == 0)
        return DV_OK;
    *type_out = dv_type_vector(*type_out, (int32_t)slots);
    return slots > 0 ? read_dims(type_out, c, &intake->arena, err) : DV_OK;
}

static dv_status choose(dvi_arrow_column *c, const choice *chosen, dvi_arrow_intake *intake,
                        dv_error *err)
{
    char name[64];
    dv_type type = chosen->type, own;
    if (type.rank == 0 && dvi_arrow_is_list(&c->outer->format)) { /* it means the items */
        DVI_TRY(natural_type(&own, c, intake, err));
        const dv_type item = type;
        type = own;
        type.kind = item.kind;
        type.is_key = item.is_key;
        type.key_is_contiguous = item.key_is_contiguous;
        type.key_min = item.key_min;
        type.key_count = item.key_count;
    }
    c->is_chosen = true;
    const dv_status status = fit_column(c, &type, false, intake, err);
    dv_type_print(&type, name, sizeof name);
    return status == DV_NOT_FOUND
               ? dvi_fail_argument(err, "types: %s does not become %s", c->outer->format.name, name)
               : status;
}

/* Extension types whose values mean what their storage says, or that are read as they mean. */
static bool is_understood(const dvi_arrow_shape *shape)
{
    static const char *const names[] = {"arrow.json", "arrow.uuid", "arrow.bool8",
                                        "arrow.fixed_shape_tensor", "arrow.timestamp_with_offset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dvi_arrow_is_extension(shape, names[i]))
            return true;
    return false;
}

/* Numbers, times and lists of an extension type that is not known may mean something else than
 * they say. Its texts and bytes are taken as they are. */
static dv_status check_extension(const dvi_arrow_shape *shape, dv_error *err)
{
    const dv_text name = dvi_arrow_shape_find(shape, "ARROW:extension:name");
    DVI_REQUIRE(name.nbytes <= 0 || is_understood(shape) || dvi_arrow_is_text(&shape->format),
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "extension type",
                         "its storage: cast to it, or give the type (types)|%s of %s",
                         dvi_show(name).text, shape->format.name));
    return DV_OK;
}

/* Check the column, the items of its lists, and its dictionary. */
static dv_status check_extensions(dvi_arrow_column *c, dv_error *err)
{
    const dvi_arrow_shape *shape = c->outer;
    const dvi_arrow_shape *const items = items_of(c);
    DVI_TRY(check_extension(shape, err));
    while (shape != items) {
        shape = &shape->children[0];
        DVI_TRY(check_extension(shape, err));
    }
    return items->dictionary ? check_extension(items->dictionary, err) : DV_OK;
}

/* Items in a different order are copied, which is done for values of one width. */
static dv_status check_order(const dvi_arrow_column *c, dv_error *err)
{
    const dv_kind kind = c->scalar.type.kind;
    DVI_REQUIRE(!c->tensor.order || (c->slots > 0 && kind != DV_KIND_TX && kind != DV_KIND_BY &&
                                     kind != DV_KIND_DZ),
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "permutation of a tensor", "numbers|%s",
                         c->scalar.shape->format.name));
    return DV_OK;
}

/* By the option, the metadata, or the schema. */
static dv_status plan_type(const planner *p, dvi_arrow_column *c, dv_error *err)
{
    dv_type type;
    dvi_arrow_intake *intake = p->intake;
    const choice *chosen = find_choice(p, c->name);
    if (chosen) {
        *chosen->is_used = true;
        return choose(c, chosen, intake, err);
    }
    const dv_text said = dvi_arrow_shape_find(c->field, "dataview.type");
    dv_status status = DV_NOT_FOUND;
    if (!p->is_foreign && !c->tensor.order) /* the export writes none */
        status = parse_said(&type, said, &intake->arena, err);
    if (status == DV_OK)
        status = fit_column(c, &type, true, intake, err);
    if (status != DV_NOT_FOUND)
        return status;
    DVI_TRY(check_extensions(c, err));
    DVI_TRY(natural_type(&type, c, intake, err));
    DVI_TRY(dv_type_check(&type, err));
    status = fit_column(c, &type, false, intake, err);
    return status == DV_NOT_FOUND ? dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "type",
                                             "one of those it lists|%s", c->outer->format.name)
                                  : status;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status add_column(planner *p, const dvi_arrow_shape *shape, dv_text name, int32_t depth,
                            dv_error *err)
{
    void *path, *seen;
    dvi_arrow_intake *intake = p->intake;
    DVI_REQUIRE(name.nbytes > 0,
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "field", "a name: rename it|none"));
    const size_t nbytes = (size_t)depth * sizeof *p->path;
    DVI_TRY(dvi_arena_alloc(&intake->arena, &path, nbytes, err));
    memcpy(path, p->path, nbytes);
    dvi_arrow_column *c = &intake->columns[intake->n++];
    *c = (dvi_arrow_column){
        .name = name, .field = shape, .outer = shape, .path = path, .depth = depth};
    DVI_TRY(dvi_arena_alloc(&intake->arena, &seen, sizeof *c->seen, err));
    c->seen = seen;
    *c->seen = (dvi_arrow_seen){.is_once = !intake->hold};
    dv_status status = dvi_arrow_tensor_read(&c->tensor, shape, &intake->arena, err);
    if (status == DV_OK)
        status = plan_type(p, c, err);
    if (status == DV_OK)
        status = check_order(c, err);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
    return status;
}

/* "a.b" */
static dv_status join(dv_text *name_out, dv_text a, dv_text b, dvi_arena *arena, dv_error *err)
{
    void *memory;
    const size_t n = (size_t)a.nbytes, m = (size_t)b.nbytes;
    DVI_TRY(dvi_arena_alloc(arena, &memory, n + m + 1, err));
    char *text = memory;
    memcpy(text, a.data, n);
    text[n] = '.';
    if (m > 0)
        memcpy(text + n + 1, b.data, m);
    *name_out = (dv_text){text, (int64_t)(n + 1 + m)};
    return DV_OK;
}

/* A struct stays whole if it is a time with its offset, or if its type says so. */
static bool is_taken_apart(const planner *p, const dvi_arrow_shape *shape, dv_text name)
{
    dv_type type;
    dvi_arrow_scalar scalar;
    const choice *chosen = find_choice(p, name);
    if (shape->format.storage != DVI_ARROW_STRUCT || !p->intake->flatten || chosen)
        return false;
    const dv_text said = dvi_arrow_shape_find(shape, "dataview.type");
    if (!p->is_foreign && said.nbytes >= 0 && dv_type_parse(&type, said, NULL, 0, NULL) == DV_OK &&
        dvi_arrow_scalar_fit(&scalar, shape, shape, &type, true))
        return false;
    return dvi_arrow_scalar_type(&type, shape, NULL) != DV_OK;
}

static dv_status add_fields(planner *p, const dvi_arrow_shape *parent, dv_text prefix,
                            int32_t depth, dv_error *err)
{
    for (int32_t i = 0; i < parent->children_count; i++) {
        const dvi_arrow_shape *shape = &parent->children[i];
        const dv_text said = dvi_arrow_shape_find(shape, "dataview.name");
        dv_text name = said.nbytes > 0 && !p->is_foreign ? said : shape->name;
        if (prefix.nbytes > 0)
            DVI_TRY(join(&name, prefix, name, &p->intake->arena, err));
        p->path[depth] = i;
        if (is_taken_apart(p, shape, name))
            DVI_TRY(add_fields(p, shape, name, depth + 1, err));
        else
            DVI_TRY(add_column(p, shape, name, depth + 1, err));
    }
    return DV_OK;
}

/* A later column hides one of the same name: only fields that were exported as hidden may be. */
static dv_status check_names(const planner *p, dv_error *err)
{
    dvi_hashtab names;
    int32_t before;
    dv_status status = DV_OK;
    const dvi_arrow_intake *intake = p->intake;
    dvi_hashtab_init(&names, &intake->allocator);
    for (int32_t i = 0; i < intake->n && status == DV_OK; i++) {
        const dv_text name = intake->columns[i].name;
        status = dvi_hashtab_put(&names, name, i, &before, err);
        if (status == DV_OK && before >= 0 &&
            (p->is_foreign ||
             dvi_arrow_shape_find(intake->columns[before].field, "dataview.hidden").nbytes < 0))
            status = dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "names of fields",
                              "a different one for each: rename one|columns %" PRId32
                              " and %" PRId32 " called \"%s\"",
                              before, i, dvi_show(name).text);
    }
    dvi_hashtab_free(&names);
    return status;
}

/* Leaves of structs: at least as many as there are columns. */
static int64_t count_leaves(const dvi_arrow_shape *shape)
{
    int64_t n = 1;
    for (int32_t i = 0; i < shape->children_count; i++)
        n += count_leaves(&shape->children[i]);
    return n;
}

static dv_status plan_columns(planner *p, dv_error *err)
{
    void *memory;
    dvi_arrow_intake *intake = p->intake;
    const dvi_arrow_shape *top = &intake->top;
    const dv_text none = {"", 0}, mapping = dvi_arrow_shape_find(top, "dataview.mapping");
    const size_t most = (size_t)count_leaves(top);
    DVI_TRY(dvi_arena_alloc(&intake->arena, &memory, most * sizeof(dvi_arrow_column), err));
    intake->columns = memory;
    p->is_foreign = mapping.nbytes >= 0 && !dv_text_equal(mapping, dv_text_of("1"));
    if (top->format.storage == DVI_ARROW_STRUCT)
        return add_fields(p, top, none, 0, err);
    return add_column(p, top, top->name.nbytes > 0 ? top->name : dv_text_of("value"), 0, err);
}

dv_status dvi_arrow_intake_make(dvi_arrow_intake *intake, const struct ArrowSchema *schema,
                                const dv_arrow_import_options *options, dv_error *err)
{
    planner p = {.intake = intake};
    *intake = (dvi_arrow_intake){.allocator = dvi_allocator_of(options->allocator),
                                 .allow_loss = options->allow_loss,
                                 .flatten = options->flatten,
                                 .hold = options->hold};
    dvi_arena_init(&intake->arena, &intake->allocator);
    DVI_TRY(dvi_arrow_shape_read(&intake->top, schema, &intake->arena, err));
    if (options->types)
        DVI_TRY(parse_choices(&p, options->types, err));
    DVI_TRY(plan_columns(&p, err));
    DVI_TRY(check_names(&p, err));
    return check_choices(&p, err);
}

void dvi_arrow_intake_free(dvi_arrow_intake *intake)
{
    dvi_arena_free(&intake->arena);
}

/* --- Keys ------------------------------------------------------------------------------------- */

dv_status dvi_arrow_intake_count(dvi_arrow_column *c, int64_t entries, dv_error *err)
{
    dv_type *types[] = {&c->type, &c->scalar.type};
    const uint64_t count = (uint64_t)entries;
    if (c->scalar.make != DVI_ARROW_FROM_CODES)
        return DV_OK;
    const bool is_said = (c->is_ours || c->is_chosen) && c->type.key_count > 0;
    DVI_REQUIRE(!is_said || !c->is_chosen || c->type.key_count == count,
                dvi_fail_argument(err,
                                  "types: column \"%s\": its dictionary has %" PRIu64
                                  " values, the type %" PRIu64,
                                  dvi_show(c->name).text, count, c->type.key_count));
    if (is_said && c->type.key_count == count)
        return DV_OK;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        dv_kind kind = types[i]->kind;
        while (kind < DV_KIND_U4 && count > UINT64_MAX >> (64 - 8 * dv_kind_width(kind)))
            kind = kind == DV_KIND_U1 ? DV_KIND_U2 : DV_KIND_U4;
        types[i]->kind = kind;
        types[i]->key_min = 0;
        types[i]->key_count = count;
        types[i]->key_is_contiguous = true;
    }
    return DV_OK;
}
