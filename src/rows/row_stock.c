/* SPDX-License-Identifier: MIT */
/* row_stock.c: blocks of a source that were read, kept while rows of them may be asked for.
 *
 * Blocks are found through a table of tables, since there may be many and few of them read.  Those
 * that are there are in one list, the oldest first.  Without a pool those go that were not used
 * since they were last looked at, as the hand of a clock would come by.  With a pool those go whose
 * rows were all delivered; and when too many have only a few left, these rows are copied together.
 */
#include "rows/row_stock.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "rows/row_part.h"

#define TABLE_BITS 10
#define TABLE_BLOCKS (INT64_C(1) << TABLE_BITS)
#define WORD_BITS 64
#define POOLS_HELD 2 /* rows of so many pools, and of two blocks, are held in decoded blocks */
#define PLACES_AT_ONCE 256

typedef struct block {
    struct block *older, *newer;
    int64_t number;
    int64_t rows;        /* that are there, from its first on */
    int64_t left;        /* that are not delivered */
    int64_t held_nbytes; /* of its parts */
    dvi_row_part *parts; /* its rows, part after part; NULL: they were copied */
    dvi_row_part *moved; /* where they are now, from row moved_at on */
    int64_t moved_at;
    uint64_t *done;  /* a bit for each row that was delivered, until they were copied; NULL:
                        there is no pool */
    uint32_t *ranks; /* rows that were copied before those of each word of `done` */
} block;

/* What the table has of a block, so that most rows are found at the first look. */
typedef struct entry {
    const dvi_row_lane *lanes; /* of its only part, if that has all of its rows; else NULL */
    block *block;
    bool is_used; /* since the hand of the clock came by */
} entry;

struct dvi_row_stock {
    dvi_stock_plan plan;
    int shift;       /* block_rows is 1 << shift; -1: it is no power of two */
    int32_t columns; /* the ids' included, behind the others */
    const dv_cursor_request *request;
    dv_view *source;   /* the view's */
    dv_cursor *cursor; /* NULL: to be opened */
    int64_t at;        /* the row where it stands, if it walks */
    size_t words;      /* of a block's bits, each with its rank; 0: no pool */
    int64_t frontier;  /* behind the last block that was ever read */
    entry **tables;
    int64_t tables_count;
    block *oldest, *newest;
    int64_t held_nbytes;          /* of all blocks, and of rows copied together */
    int64_t costly_rows;          /* of blocks in the list that take memory */
    dvi_row_part *moved;          /* all of them */
    const dv_column_view **views; /* of one batch */
    dv_column_view ids;
};

/* --- Finding ---------------------------------------------------------------------------------- */

static int64_t number_of(const dvi_row_stock *s, int64_t row)
{
    return s->shift >= 0 ? row >> s->shift : row / s->plan.block_rows;
}

static entry *entry_of(const dvi_row_stock *s, int64_t number)
{
    entry *table = s->tables[number >> TABLE_BITS];
    return table ? &table[number & (TABLE_BLOCKS - 1)] : NULL;
}

static block *block_at(const dvi_row_stock *s, int64_t number)
{
    const entry *e = entry_of(s, number);
    return e ? e->block : NULL;
}

/* Where a row is among those that were copied; false: it had been delivered. */
static bool find_moved(const block *b, int64_t row, dvi_place *place)
{
    const uint64_t word = b->done[row / WORD_BITS], bit = UINT64_C(1) << row % WORD_BITS;
    if (word & bit)
        return false;
    const int before = __builtin_popcountll(~word & (bit - 1));
    *place = (dvi_place){b->moved->lanes, b->moved_at + b->ranks[row / WORD_BITS] + before};
    return true;
}

/* A row of a block that is not one part, or not whole. */
static bool find_in(const block *b, int64_t row, dvi_place *place)
{
    if (!b || row >= b->rows)
        return false;
    if (b->moved)
        return find_moved(b, row, place);
    const dvi_row_part *part = b->parts;
    for (; row >= part->rows; part = part->next)
        row -= part->rows;
    *place = (dvi_place){part->lanes, row};
    return true;
}

int64_t dvi_row_stock_find(dvi_row_stock *s, const int64_t *rows, int64_t n, dvi_place *places)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = number_of(s, rows[i]);
        const int64_t row = rows[i] - number * s->plan.block_rows;
        entry *e = entry_of(s, number);
        if (!e)
            return i;
        e->is_used = true;
        places[i] = (dvi_place){e->lanes, row};
        if (!e->lanes && !find_in(e->block, row, &places[i]))
            return i;
    }
    return n;
}

int64_t dvi_row_stock_nbytes(const dvi_row_stock *s)
{
    return s->held_nbytes;
}

/* --- Coming and going ------------------------------------------------------------------------- */

static const dv_allocator *allocator_of(const dvi_row_stock *s)
{
    return s->request->allocator;
}

static size_t block_nbytes(const dvi_row_stock *s)
{
    return sizeof(block) + s->words * (sizeof(uint64_t) + sizeof(uint32_t));
}

static bool is_costly(const block *b)
{
    return b->held_nbytes > 0;
}

static void link_newest(dvi_row_stock *s, block *b)
{
    b->newer = NULL;
    b->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = b;
    s->newest = b;
    s->costly_rows += is_costly(b) ? b->rows : 0;
}

static void unlink_block(dvi_row_stock *s, block *b)
{
    *(b->newer ? &b->newer->older : &s->newest) = b->older;
    *(b->older ? &b->older->newer : &s->oldest) = b->newer;
    s->costly_rows -= is_costly(b) ? b->rows : 0;
}

static void free_parts(dvi_row_stock *s, block *b)
{
    for (dvi_row_part *part = b->parts, *next; part; part = next) {
        next = part->next;
        s->held_nbytes -= part->held_nbytes + (int64_t)part->nbytes;
        dvi_row_part_free(part, allocator_of(s));
    }
    b->parts = NULL;
}

static void free_block(dvi_row_stock *s, block *b)
{
    free_parts(s, b);
    s->held_nbytes -= (int64_t)block_nbytes(s);
    dvi_free(allocator_of(s), b, block_nbytes(s));
}

/* Forget a block that is in the list, or was copied. */
static void drop_block(dvi_row_stock *s, block *b)
{
    if (!b->moved)
        unlink_block(s, b);
    *entry_of(s, b->number) = (entry){NULL, NULL, false};
    free_block(s, b);
}

static dv_status make_block(dvi_row_stock *s, int64_t number, block **block_out, dv_error *err)
{
    void *made;
    entry **table = &s->tables[number >> TABLE_BITS];
    if (!*table) {
        DVI_TRY(dvi_alloc_zeroed(allocator_of(s), &made, TABLE_BLOCKS * sizeof **table, err));
        *table = made;
    }
    DVI_TRY(dvi_alloc_zeroed(allocator_of(s), &made, block_nbytes(s), err));
    block *b = made;
    b->number = number;
    if (s->words > 0) {
        b->done = (uint64_t *)(void *)(b + 1);
        b->ranks = (uint32_t *)(void *)(b->done + s->words);
    }
    s->held_nbytes += (int64_t)block_nbytes(s);
    *block_out = b;
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A source that is walked over gives whole blocks as batches. */
static dv_status open_cursor(dvi_row_stock *s, int64_t first_row, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = s->request->columns;
    options.columns_count = s->request->columns_count;
    options.ids = s->request->ids;
    options.threads = s->plan.walks ? s->request->threads : 1;
    options.first_row = first_row;
    options.batch_rows = s->plan.walks ? s->plan.block_rows : 0;
    dv_cursor_close(&s->cursor);
    s->at = first_row;
    return dv_cursor_open(&s->cursor, s->source, &options, err);
}

/* Stand before a block. */
static dv_status go_to(dvi_row_stock *s, int64_t first, int64_t end, dv_error *err)
{
    const dv_batch *batch;
    if (!s->plan.walks)
        return s->cursor ? dvi_cursor_seek(s->cursor, first, end, err) : open_cursor(s, first, err);
    if (!s->cursor || first < s->at)
        DVI_TRY(open_cursor(s, first, err));
    while (s->at < first) {
        const dv_status status = dv_cursor_next(s->cursor, &batch, err);
        if (status != DV_OK)
            return status;
        s->at += batch->rows;
    }
    return DV_OK;
}

static dv_status add_part(dvi_row_stock *s, block *b, dvi_row_part **last, const dv_batch *batch,
                          dv_error *err)
{
    dvi_row_part *part;
    const int32_t columns = s->request->columns_count;
    for (int32_t k = 0; k < columns; k++)
        s->views[k] = dv_batch_column(batch, k);
    if (s->request->ids)
        s->ids = dvi_batch_ids_column(batch, batch->rows);
    DVI_TRY(dvi_row_part_make(&part, s->views, s->columns, batch->rows, allocator_of(s), err));
    *(*last ? &(*last)->next : &b->parts) = part;
    *last = part;
    b->rows += batch->rows;
    b->held_nbytes += part->held_nbytes;
    s->held_nbytes += part->held_nbytes + (int64_t)part->nbytes;
    return DV_OK;
}

/* Rows of a block that may be asked for. */
static int64_t wanted_rows(const dvi_row_stock *s, int64_t number)
{
    return dvi_min_i64(s->plan.block_rows, s->plan.end_row - number * s->plan.block_rows);
}

/* As many of a block's rows as can be read. */
static dv_status read_block(dvi_row_stock *s, block *b, dv_error *err)
{
    const int64_t first = b->number * s->plan.block_rows, wanted = wanted_rows(s, b->number);
    dvi_row_part *last = NULL;
    dv_status status = go_to(s, first, first + wanted, err);
    while (status == DV_OK && b->rows < wanted) {
        const dv_batch *batch;
        status = dv_cursor_next(s->cursor, &batch, err);
        if (status == DV_OK && s->plan.walks)
            s->at += batch->rows;
        if (status == DV_OK)
            status = add_part(s, b, &last, batch, err);
    }
    if (status != DV_OK && s->plan.walks)
        dv_cursor_close(&s->cursor); /* it stands nowhere */
    return status;
}

/* --- Keeping within bounds -------------------------------------------------------------------- */

static bool is_too_much(const dvi_row_stock *s)
{
    const int64_t least = s->plan.least_rows;
    return s->held_nbytes > s->plan.most_nbytes && (least == 0 || s->costly_rows > least) &&
           s->oldest != s->newest;
}

/* Let blocks go until memory is as it should be, but not `kept`. */
static void evict(dvi_row_stock *s, const block *kept)
{
    while (is_too_much(s)) {
        block *b = s->oldest;
        entry *e = entry_of(s, b->number);
        const bool stays = b == kept || e->is_used;
        e->is_used = false;
        if (stays) {
            unlink_block(s, b);
            link_newest(s, b);
        } else {
            drop_block(s, b);
        }
    }
}

static const dv_type *type_of(const dvi_row_stock *s, int32_t k, dv_type *id)
{
    *id = dv_type_of(DV_KIND_UG);
    return k < s->request->columns_count
               ? &dv_schema_column(s->request->schema, s->request->columns[k])->type
               : id;
}

static dv_status copy_places(const dvi_row_stock *s, dvi_gather *gathers, const dvi_place *places,
                             int64_t n, dv_error *err)
{
    dv_type id;
    for (int32_t k = 0; k < s->columns; k++)
        DVI_TRY(
            dvi_lanes_reserve(&gathers[k], type_of(s, k, &id), k, places, n, allocator_of(s), err));
    for (int32_t k = 0; k < s->columns; k++)
        dvi_lanes_append(&gathers[k], type_of(s, k, &id), k, places, n);
    return DV_OK;
}

/* Copy the rows of a block that are not delivered. */
static dv_status copy_block(const dvi_row_stock *s, const block *b, dvi_gather *gathers,
                            dv_error *err)
{
    dvi_place places[PLACES_AT_ONCE];
    int64_t n = 0, first = 0;
    for (const dvi_row_part *part = b->parts; part; part = part->next) {
        for (int64_t i = 0; i < part->rows; i++) {
            const int64_t row = first + i;
            if (b->done[row / WORD_BITS] >> row % WORD_BITS & 1)
                continue;
            places[n++] = (dvi_place){part->lanes, i};
            if (n < PLACES_AT_ONCE)
                continue;
            DVI_TRY(copy_places(s, gathers, places, n, err));
            n = 0;
        }
        first += part->rows;
    }
    return copy_places(s, gathers, places, n, err);
}

/* What was gathered, as a part. */
static dv_status make_moved(dvi_row_stock *s, dvi_gather *gathers, dvi_column *columns,
                            int64_t rows, dv_error *err)
{
    dvi_row_part *part;
    for (int32_t k = 0; k < s->columns; k++) {
        dv_type id;
        dvi_gather_view(&gathers[k], type_of(s, k, &id), &columns[k]);
        s->views[k] = &columns[k].view;
    }
    const dv_status status =
        dvi_row_part_make(&part, s->views, s->columns, rows, allocator_of(s), err);
    if (s->request->ids)
        s->views[s->request->columns_count] = &s->ids;
    DVI_TRY(status);
    part->next = s->moved;
    s->moved = part;
    s->held_nbytes += part->held_nbytes + (int64_t)part->nbytes;
    return DV_OK;
}

/* From now on the rows of a block that are not delivered are among those copied, from `at` on. */
static void move_block(dvi_row_stock *s, block *b, int64_t at)
{
    uint32_t rank = 0;
    unlink_block(s, b);
    entry_of(s, b->number)->lanes = NULL;
    for (size_t i = 0; i < s->words; i++) {
        b->ranks[i] = rank;
        rank += WORD_BITS - (uint32_t)__builtin_popcountll(b->done[i]);
    }
    free_parts(s, b);
    b->moved = s->moved;
    b->moved_at = at;
    s->moved->left += b->left;
}

/* Copy rows of the oldest blocks together, of half of those that take memory. */
static dv_status move_old(dvi_row_stock *s, dvi_gather *gathers, dvi_column *columns, dv_error *err)
{
    int64_t passed = 0, rows = 0;
    block *end = s->oldest, *next;
    dv_error own = DV_ERROR_INIT;
    for (; end != s->newest && passed < s->costly_rows / 2; end = end->newer) {
        if (!is_costly(end))
            continue;
        const dv_status status = copy_block(s, end, gathers, &own);
        if (status == DV_ERR_LIMIT)
            break; /* more text than one column holds: these blocks stay as they are */
        if (status < 0 && err)
            *err = own;
        DVI_TRY(status);
        passed += end->rows;
        rows += end->left;
    }
    if (rows == 0)
        return DV_OK;
    DVI_TRY(make_moved(s, gathers, columns, rows, err));
    rows = 0;
    for (block *b = s->oldest; b != end; b = next) {
        next = b->newer;
        if (!is_costly(b))
            continue;
        const int64_t left = b->left;
        move_block(s, b, rows);
        rows += left;
    }
    return DV_OK;
}

static dv_status compact(dvi_row_stock *s, dv_error *err)
{
    void *gathers, *columns;
    const size_t n = (size_t)s->columns;
    DVI_TRY(dvi_alloc_zeroed(allocator_of(s), &gathers, n * sizeof(dvi_gather), err));
    dv_status status = dvi_alloc_zeroed(allocator_of(s), &columns, n * sizeof(dvi_column), err);
    if (status == DV_OK) {
        status = move_old(s, gathers, columns, err);
        dvi_free(allocator_of(s), columns, n * sizeof(dvi_column));
    }
    for (size_t k = 0; k < n; k++)
        dvi_gather_free((dvi_gather *)gathers + k);
    dvi_free(allocator_of(s), gathers, n * sizeof(dvi_gather));
    return status;
}

static dv_status keep_bounds(dvi_row_stock *s, const block *newest, dv_error *err)
{
    if (s->plan.pool_rows == 0) {
        evict(s, newest);
        return DV_OK;
    }
    const int64_t most = POOLS_HELD * s->plan.pool_rows + 2 * s->plan.block_rows;
    return s->costly_rows > most ? compact(s, err) : DV_OK;
}

/* DV_END: no row of it can be read. */
static dv_status load_block(dvi_row_stock *s, int64_t number, dv_error *err)
{
    block *b;
    dv_error own = DV_ERROR_INIT;
    DVI_TRY(make_block(s, number, &b, err));
    const dv_status status = read_block(s, b, &own);
    if (status == DV_ERR_MEMORY || b->rows == 0) {
        free_block(s, b);
        if (status == DV_ERR_MEMORY && err)
            *err = own;
        return status == DV_ERR_MEMORY ? status : DV_END;
    }
    b->left = b->rows;
    const bool is_one = !b->parts->next && b->rows >= wanted_rows(s, number);
    *entry_of(s, number) = (entry){is_one ? b->parts->lanes : NULL, b, true};
    link_newest(s, b);
    s->frontier = dvi_max_i64(s->frontier, number + 1);
    return keep_bounds(s, b, err);
}

/* Blocks on the way to this one, the first time. */
static dv_status load_passed(dvi_row_stock *s, int64_t number, dv_error *err)
{
    dv_status status = DV_OK;
    while (s->plan.walks && s->plan.every_block && s->frontier < number && status == DV_OK)
        status = load_block(s, s->frontier, err);
    return status < 0 ? status : DV_OK;
}

dv_status dvi_row_stock_load(dvi_row_stock *s, int64_t row, dv_error *err)
{
    const int64_t number = number_of(s, row);
    dvi_place place;
    if (block_at(s, number))
        return dvi_row_stock_find(s, &row, 1, &place) == 1 ? DV_OK : DV_END;
    DVI_TRY(load_passed(s, number, err));
    const dv_status status = load_block(s, number, err);
    if (status != DV_OK)
        return status;
    return row < number * s->plan.block_rows + block_at(s, number)->rows ? DV_OK : DV_END;
}

/* --- Delivered rows --------------------------------------------------------------------------- */

static void free_moved(dvi_row_stock *s, dvi_row_part *part)
{
    dvi_row_part **at = &s->moved;
    while (*at != part)
        at = &(*at)->next;
    *at = part->next;
    s->held_nbytes -= part->held_nbytes + (int64_t)part->nbytes;
    dvi_row_part_free(part, allocator_of(s));
}

static void row_is_done(dvi_row_stock *s, int64_t row)
{
    const int64_t number = number_of(s, row);
    block *b = block_at(s, number);
    row -= number * s->plan.block_rows;
    if (!b || row >= b->rows)
        return;
    uint64_t *word = &b->done[row / WORD_BITS];
    const uint64_t bit = UINT64_C(1) << row % WORD_BITS;
    if (*word & bit)
        return;
    dvi_row_part *moved = b->moved;
    if (moved)
        moved->left--;
    else
        *word |= bit;
    if (--b->left == 0)
        drop_block(s, b);
    if (moved && moved->left == 0)
        free_moved(s, moved);
}

void dvi_row_stock_done(dvi_row_stock *s, const int64_t *rows, int64_t n)
{
    for (int64_t i = 0; i < n && s->plan.pool_rows > 0; i++)
        row_is_done(s, rows[i]);
}

/* --- Life ------------------------------------------------------------------------------------- */

/* A file may say that its blocks have more rows than there are.  Where rows are not known, a batch
 * may hold more than plan.end_row. */
static size_t count_words(const dvi_row_stock *s)
{
    const int64_t known = dv_view_rows(s->source), block_rows = s->plan.block_rows;
    const int64_t rows = known < 0 ? block_rows : dvi_min_i64(block_rows, known);
    return s->plan.pool_rows > 0 ? (size_t)((rows + WORD_BITS - 1) / WORD_BITS) : 0;
}

static dv_status make_tables(dvi_row_stock *s, dv_error *err)
{
    void *made;
    const int64_t blocks = s->plan.end_row > 0 ? number_of(s, s->plan.end_row - 1) + 1 : 0;
    s->tables_count = (blocks + TABLE_BLOCKS - 1) / TABLE_BLOCKS;
    DVI_TRY(
        dvi_alloc_zeroed(allocator_of(s), &made, (size_t)s->tables_count * sizeof *s->tables, err));
    s->tables = made;
    DVI_TRY(dvi_alloc_zeroed(allocator_of(s), &made, (size_t)s->columns * sizeof *s->views, err));
    s->views = made;
    if (s->request->ids)
        s->views[s->request->columns_count] = &s->ids;
    return DV_OK;
}

dv_status dvi_row_stock_create(dvi_row_stock **stock_out, dv_view *source,
                               const dv_cursor_request *request, const dvi_stock_plan *plan,
                               dv_error *err)
{
    void *made;
    *stock_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(dvi_row_stock), err));
    dvi_row_stock *s = made;
    const bool is_power = (plan->block_rows & (plan->block_rows - 1)) == 0;
    *s = (dvi_row_stock){.plan = *plan, .source = source, .request = request};
    s->shift = is_power ? __builtin_ctzll((unsigned long long)plan->block_rows) : -1;
    s->columns = request->columns_count + request->ids;
    s->words = count_words(s);
    dv_status status = make_tables(s, err);
    if (status == DV_OK)
        status = open_cursor(s, 0, err);
    if (status < 0)
        dvi_row_stock_free(&s);
    *stock_out = s;
    return status;
}

void dvi_row_stock_free(dvi_row_stock **stock)
{
    dvi_row_stock *s = *stock;
    *stock = NULL;
    if (!s)
        return;
    const dv_allocator *allocator = allocator_of(s);
    dv_cursor_close(&s->cursor);
    for (int64_t i = 0; s->tables && i < s->tables_count; i++) {
        for (int64_t j = 0; s->tables[i] && j < TABLE_BLOCKS; j++)
            if (s->tables[i][j].block)
                free_block(s, s->tables[i][j].block);
        dvi_free(allocator, s->tables[i], TABLE_BLOCKS * sizeof **s->tables);
    }
    while (s->moved)
        free_moved(s, s->moved);
    dvi_free(allocator, s->tables, (size_t)s->tables_count * sizeof *s->tables);
    dvi_free(allocator, s->views, (size_t)s->columns * sizeof *s->views);
    dvi_free(allocator, s, sizeof *s);
}
