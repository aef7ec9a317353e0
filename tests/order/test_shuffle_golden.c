/* SPDX-License-Identifier: MIT */
/* test_shuffle_golden.c: the orders are ML.NET's, and the generator is then in the same state
 * (golden/random/shuffle.jsonl; semantics:7.14, semantics:7.17, semantics:8). */
#include "base/check.h"
#include "order/epoch_order.h"
#include "support/golden_lines.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000

/* Rows in an order, and the generator after its draws. */
typedef struct rows {
    int64_t row[MOST];
    int64_t n;
} rows;

/* --- Steps ------------------------------------------------------------------------------------ */

static void put_in_order(rows *r, int64_t n)
{
    for (r->n = 0; r->n < n; r->n++)
        r->row[r->n] = r->n;
}

/* Reorder these rows in an order that the generator draws. */
static void reorder(rows *r, dvi_pool_input input, int64_t block_rows, int64_t pool_rows,
                    dvi_random *random)
{
    int64_t order[MOST], was[MOST];
    dvi_epoch_plan plan;
    dvi_epoch_order *o;
    cr_assert_eq(dvi_epoch_plan_pool(&plan, r->n, block_rows, input, pool_rows, *random, NULL),
                 DV_OK);
    cr_assert_eq(dvi_epoch_order_create(&o, &plan, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_epoch_order_next(o, order, MOST), r->n);
    *random = dvi_epoch_order_random(o);
    dvi_epoch_order_free(&o);
    memcpy(was, r->row, sizeof was);
    for (int64_t i = 0; i < r->n; i++)
        r->row[i] = was[order[i]];
}

/* The rows of a Bootstrap (semantics:7.17). */
static void draw_copies(rows *r, dvi_random *random, bool complement)
{
    rows out = {.n = 0};
    for (int64_t i = 0; i < r->n; i++) {
        const int32_t drawn = dvi_random_poisson(random, 1);
        for (int32_t copies = complement ? drawn == 0 : drawn; copies > 0; copies--) {
            cr_assert_lt(out.n, MOST);
            out.row[out.n++] = r->row[i];
        }
    }
    *r = out;
}

/* --- Lines ------------------------------------------------------------------------------------ */

static int64_t number(const dvt_json *line, const char *name, int64_t missing)
{
    const dvt_json *member = dvt_json_member(line, name);
    return member ? dvt_json_int(member) : missing;
}

static bool is_true(const dvt_json *line, const char *name)
{
    const dvt_json *member = dvt_json_member(line, name);
    return member && member->kind == DVT_JSON_TRUE;
}

static bool is_from(const dvt_json *line, const char *begin)
{
    const dv_text text = dvt_json_member(line, "source")->text;
    return text.nbytes >= (int64_t)strlen(begin) && memcmp(text.data, begin, strlen(begin)) == 0;
}

static bool mentions(const dvt_json *line, const char *words)
{
    const dv_text text = dvt_json_member(line, "source")->text;
    return memmem(text.data, (size_t)text.nbytes, words, strlen(words)) != NULL;
}

/* Files are called rowsN_rpbK.idv; one without rows has no blocks. */
static void read_file(const dvt_json *line, int64_t *rows_out, int64_t *block_rows_out)
{
    const dv_text file = dvt_json_member(line, "file")->text;
    char name[64], *end;
    cr_assert_lt(file.nbytes, (int64_t)sizeof name);
    memcpy(name, file.data, (size_t)file.nbytes);
    name[file.nbytes] = 0;
    *rows_out = strtoll(name + 4, &end, 10);
    *block_rows_out = memcmp(end, "_rpb", 4) == 0 ? strtoll(end + 4, NULL, 10) : 1;
}

static void load(rows *r, const dvt_json *line, dvi_random *random)
{
    int64_t n, block_rows;
    read_file(line, &n, &block_rows);
    put_in_order(r, n);
    if (!random)
        return;
    const double pool =
        ceil(strtod(dvt_json_member(line, "poolBlocks")->source.data, NULL) * (double)block_rows);
    reorder(r, DVI_POOL_OF_BLOCKS, block_rows,
            pool < 1           ? 1
            : pool > INT32_MAX ? INT32_MAX
                               : (int64_t)pool,
            random);
}

/* The Shuffle transform: if the source is to be shuffled, the generator of the source is drawn
 * before the pool, even if the source cannot be shuffled. */
static void shuffle(rows *r, const dvt_json *line, dvi_random *random)
{
    const dvt_json *source = dvt_json_member(line, "forceShuffleSource");
    const bool of_source = source ? source->kind == DVT_JSON_TRUE : !is_true(line, "poolOnly");
    const bool has_pool = is_true(line, "forceShuffle") || dvt_json_member(line, "rngSeed");
    dvi_random child = *random;
    if (of_source)
        child = dvi_random_child(random);
    if (is_from(line, "Shuffle over BinaryLoader"))
        load(r, line, &child);
    else
        put_in_order(r, number(line, "rows", -1));
    if (of_source && mentions(line, "over cache"))
        reorder(r, DVI_POOL_OF_A_CACHE, 1, 1, &child);
    if (has_pool)
        reorder(r, DVI_POOL_IN_ORDER, 1, number(line, "poolRows", -1), random);
}

static void bootstrap(rows *r, const dvt_json *line, dvi_random *random)
{
    const int64_t pool_rows = number(line, "poolSize", -1);
    if (is_true(line, "shuffleInput")) {
        dvi_random child = dvi_random_child(random);
        load(r, line, &child);
    } else {
        load(r, line, NULL);
    }
    dvi_random of_pool = *random;
    if (pool_rows > 1)
        of_pool = dvi_random_child(random);
    draw_copies(r, random, is_true(line, "complement"));
    reorder(r, DVI_POOL_IN_ORDER, 1, pool_rows, &of_pool);
}

/* Make the rows of a line; false: the rule is unknown. */
static bool make(rows *r, const dvt_json *line, dvi_random *random)
{
    if (is_from(line, "AppendRows of two BinaryLoaders, caller rng"))
        return false;
    if (is_from(line, "BootstrapSample over BinaryLoader")) {
        bootstrap(r, line, random);
    } else if (is_from(line, "Shuffle")) {
        shuffle(r, line, random);
    } else if (is_from(line, "BinaryLoader, no rng")) {
        load(r, line, NULL);
    } else if (is_from(line, "BinaryLoader, caller rng")) {
        load(r, line, random);
    } else if (is_from(line, "Cache over BinaryLoader, caller rng")) {
        load(r, line, NULL);
        reorder(r, DVI_POOL_OF_A_CACHE, 1, 1, random);
    } else if (is_from(line, "Cache, caller rng")) {
        put_in_order(r, number(line, "rows", -1));
        reorder(r, DVI_POOL_OF_A_CACHE, 1, 1, random);
    } else {
        cr_assert(is_from(line, "SkipTake(5,20) over BinaryLoader, caller rng"));
        put_in_order(r, 25); /* which nothing shuffles */
        r->n = 20;
        memmove(r->row, r->row + 5, 20 * sizeof *r->row);
    }
    return true;
}

static int skipped;

static void check_line(const dvt_json *line)
{
    static rows r;
    const int64_t seed =
        number(line, "rngSeed", number(line, "forceShuffleSeed", number(line, "seed", 0)));
    dvi_random random = dvi_random_of((uint32_t)seed);
    if (!make(&r, line, &random)) {
        skipped++;
        return;
    }
    const dvt_json *order = dvt_json_member(line, "order");
    const dvt_json *state = dvt_json_member(line, "rngStateAfter");
    cr_assert_eq(r.n, order->count, "%.*s", 300, line->source.data);
    const dvt_json *item = order->first;
    for (int64_t i = 0; i < r.n; i++, item = item->next)
        cr_assert_eq(r.row[i], dvt_json_int(item), "%.*s: %lld", 300, line->source.data,
                     (long long)i);
    const uint32_t z[] = {random.z1, random.z2, random.z3, random.z4};
    for (int i = 0; state && i < 4; i++)
        cr_assert_eq(z[i], strtoul(dvt_json_item(state, i)->text.data, NULL, 16), "%.*s", 300,
                     line->source.data);
}

Test(shuffle_golden, orders_of_the_reference)
{
    const int lines = dvt_golden_json("random/shuffle.jsonl", check_line);
    cr_expect_geq(lines, 79);
    cr_expect_leq(skipped, 1);
}

/* --- What dv_epoch_options say of them -------------------------------------------------------- */

/* The loader's lines again, from the seed, the blocks and the pool in blocks. */
static void check_options(const dvt_json *line)
{
    int64_t n, block_rows, order[MOST];
    if (!is_from(line, "BinaryLoader, caller rng"))
        return;
    read_file(line, &n, &block_rows);
    dvi_epoch_plan plan;
    dvi_epoch_order *o;
    dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
    options.shuffle = DV_SHUFFLE_POOL;
    options.seed = (uint32_t)number(line, "rngSeed", 0);
    options.pool_blocks = strtod(dvt_json_member(line, "poolBlocks")->source.data, NULL);
    options.block_rows = block_rows;
    cr_assert_eq(dvi_epoch_plan_make(&plan, n, block_rows, &options, NULL), DV_OK);
    cr_assert_eq(dvi_epoch_order_create(&o, &plan, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_epoch_order_next(o, order, MOST), n);
    dvi_epoch_order_free(&o);
    const dvt_json *item = dvt_json_member(line, "order")->first;
    for (int64_t i = 0; i < n; i++, item = item->next)
        cr_assert_eq(order[i], dvt_json_int(item), "%.*s", 300, line->source.data);
}

Test(shuffle_golden, options_of_the_loader)
{
    cr_expect_geq(dvt_golden_json("random/shuffle.jsonl", check_options), 79);
}
