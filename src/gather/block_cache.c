/* SPDX-License-Identifier: MIT */
/* block_cache.c: blocks of a source that were read, kept while their rows may be asked for.
 *
 * Blocks are found through a table of tables, since there may be many of which few are read.  Kept
 * blocks form a list, the oldest first.  Without a pool the clock algorithm evicts blocks: those
 * that were not used since they were last looked at.  With a pool a decoded block is dropped after
 * its last row was delivered; if too many blocks have only a few rows left, these are copied
 * together. Blocks in place can be read again at any time, so nothing is noted of their rows. */
#include "gather/block_cache.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "gather/gathered_rows.h"
#include "gather/kept_blocks.h"

#define TABLE_BITS 10
#define TABLE_BLOCKS (INT64_C(1) << TABLE_BITS)
#define FREE_NBYTES ((int64_t)64 << 20) /* addresses of blocks in place */
#define HELD 2 /* decoded blocks hold the rows of two pools, and of two blocks */
#define REFS_AT_ONCE 256

typedef struct block {
    struct block *older, *newer;
    int64_t number;
    int64_t rows;          /* that were read, from its first on */
    int64_t left;          /* to be delivered, if that is noted */
    dvi_kept_block *kept;  /* its rows; NULL: they were copied */
    dvi_kept_batch *moved; /* the copies, from row moved_at on; NULL: not copied */
    int64_t moved_at;
    dvi_row_marks done; /* with a pool: rows that were delivered before the rows were copied */
} block;

/* A block's place in the table: one look finds most rows. */
typedef struct entry {
    const dvi_kept_column *columns; /* its batch's, if one has all of its rows; else NULL */
    block *block;
    bool is_used; /* since the clock's hand passed */
} entry;

struct dvi_block_cache {
    dvi_block_plan plan;
    int shift;       /* block_rows is 1 << shift; -1: not a power of two */
    int32_t columns; /* ids included, after the others */
    const dv_cursor_request *request;
    dv_view *source;       /* the view's */
    dv_cursor *cursor;     /* NULL: to be opened */
    int64_t at;            /* its next row, if rows are read in sequence */
    int64_t marked_rows;   /* rows that a block may have; 0: there is no pool */
    int64_t frontier;      /* the number after the last block that was ever read */
    int64_t epoch;         /* in which blocks were read */
    dvi_kept_blocks *kept; /* by the source, for its next readers; NULL: it keeps none */
    dvi_block_key *key;
    entry **tables;
    int64_t tables_count;
    block *oldest, *newest;
    int64_t held_nbytes;          /* all blocks have, and rows that were copied together */
    int64_t costly_rows;          /* blocks in the list that take memory have */
    int64_t free_nbytes;          /* the other blocks in the list have */
    dvi_kept_batch *moved;        /* all rows that were copied together */
    const dv_column_view **views; /* of one batch */
    dv_column_view ids;
};

/* --- Finding ---------------------------------------------------------------------------------- */

static int64_t number_of(const dvi_block_cache *c, int64_t row)
{
    return c->shift >= 0 ? row >> c->shift : row / c->plan.block_rows;
}

static entry *entry_of(const dvi_block_cache *c, int64_t number)
{
    entry *table = c->tables[number >> TABLE_BITS];
    return table ? &table[number & (TABLE_BLOCKS - 1)] : NULL;
}

static block *block_at(const dvi_block_cache *c, int64_t number)
{
    const entry *e = entry_of(c, number);
    return e ? e->block : NULL;
}

/* A row of a block that has several batches, or not all of its rows. False: it is not there. */
static bool find_in(const block *b, int64_t row, dvi_row_ref *ref)
{
    if (!b || row >= b->rows || (b->moved && dvi_row_marks_have(&b->done, row)))
        return false;
    if (b->moved)
        *ref =
            (dvi_row_ref){b->moved->column, b->moved_at + dvi_row_marks_number_of(&b->done, row)};
    else
        *ref = dvi_kept_block_find(b->kept, row);
    return true;
}

int64_t dvi_block_cache_find(dvi_block_cache *c, const int64_t *rows, int64_t n, dvi_row_ref *refs)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = number_of(c, rows[i]);
        const int64_t row = rows[i] - number * c->plan.block_rows;
        entry *e = entry_of(c, number);
        if (!e)
            return i;
        e->is_used = true;
        refs[i] = (dvi_row_ref){e->columns, row};
        if (!e->columns && !find_in(e->block, row, &refs[i]))
            return i;
    }
    return n;
}

int64_t dvi_block_cache_nbytes(const dvi_block_cache *c)
{
    return c->held_nbytes;
}

int64_t dvi_block_cache_costly_nbytes(const dvi_block_cache *c)
{
    return c->held_nbytes - c->free_nbytes;
}

/* --- Adding and dropping ---------------------------------------------------------------------- */

static const dv_allocator *allocator_of(const dvi_block_cache *c)
{
    return c->request->allocator;
}

static size_t block_nbytes(const dvi_block_cache *c)
{
    return sizeof(block) + dvi_row_marks_nbytes(c->marked_rows);
}

/* Its rows were decoded or computed, and not moved. */
static bool is_made(const block *b)
{
    return b->kept && b->kept->is_made;
}

/* Is its memory bounded by the number of rows?  Ids and offsets of rows in place take some, too. */
static bool is_costly(const dvi_block_cache *c, const block *b)
{
    return c->plan.pool_rows > 0 ? is_made(b) : b->kept->held_nbytes > 0;
}

/* Add what a block in the list takes, or subtract it. */
static void count_block(dvi_block_cache *c, const block *b, int sign)
{
    if (is_costly(c, b))
        c->costly_rows += sign * b->rows;
    else
        c->free_nbytes += sign * ((int64_t)block_nbytes(c) + b->kept->nbytes);
}

static void link_newest(dvi_block_cache *c, block *b)
{
    b->newer = NULL;
    b->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = b;
    c->newest = b;
    count_block(c, b, 1);
}

static void unlink_block(dvi_block_cache *c, block *b)
{
    *(b->newer ? &b->newer->older : &c->newest) = b->older;
    *(b->older ? &b->older->newer : &c->oldest) = b->newer;
    count_block(c, b, -1);
}

static void release_rows(dvi_block_cache *c, block *b)
{
    c->held_nbytes -= b->kept ? b->kept->nbytes : 0;
    dvi_kept_block_release(&b->kept);
}

static void free_block(dvi_block_cache *c, block *b)
{
    release_rows(c, b);
    c->held_nbytes -= (int64_t)block_nbytes(c);
    dvi_free(allocator_of(c), b, block_nbytes(c));
}

/* Drop a block that is in the list, or whose rows were copied. */
static void drop_block(dvi_block_cache *c, block *b)
{
    if (!b->moved)
        unlink_block(c, b);
    *entry_of(c, b->number) = (entry){NULL, NULL, false};
    free_block(c, b);
}

static dv_status make_block(dvi_block_cache *c, int64_t number, block **block_out, dv_error *err)
{
    void *made;
    entry **table = &c->tables[number >> TABLE_BITS];
    if (!*table)
        DVI_TRY(DVI_NEW(allocator_of(c), table, (size_t)TABLE_BLOCKS, err));
    DVI_TRY(dvi_alloc_zeroed(allocator_of(c), &made, block_nbytes(c), err));
    block *b = made;
    b->number = number;
    dvi_row_marks_init(&b->done, b + 1, c->marked_rows);
    c->held_nbytes += (int64_t)block_nbytes(c);
    *block_out = b;
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A source that is read in sequence delivers whole blocks as batches. */
static dv_status open_cursor(dvi_block_cache *c, int64_t first_row, dv_error *err)
{
    dv_cursor_options options = dvi_cursor_options_of(c->request);
    options.threads = c->plan.sequential ? c->request->threads : 1;
    c->epoch = c->request->epoch;
    options.first_row = c->at = first_row;
    options.batch_rows = c->plan.sequential ? c->plan.block_rows : 0;
    dv_cursor_close(&c->cursor);
    return dvi_cursor_open(&c->cursor, c->source, &options, NULL, DVI_CURSOR_IN_PLACE, err);
}

/* Move the cursor before a block. */
static dv_status go_to(dvi_block_cache *c, int64_t first, int64_t end, dv_error *err)
{
    const dv_batch *batch;
    if (!c->cursor || (c->plan.sequential && first < c->at))
        DVI_TRY(open_cursor(c, first, err));
    if (!c->plan.sequential)
        return dvi_cursor_seek(c->cursor, first, end, err);
    while (c->at < first) {
        const dv_status status = dv_cursor_next(c->cursor, &batch, err);
        if (status != DV_OK)
            return status;
        c->at += batch->rows;
    }
    return DV_OK;
}

static dv_status keep_batch(dvi_block_cache *c, dvi_kept_block *kept, const dv_batch *batch,
                            dv_error *err)
{
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        c->views[k] = dv_batch_column(batch, k);
        kept->is_made |= !dvi_kept_batch_is_free(c->views[k]);
    }
    if (c->request->ids) {
        c->ids = dvi_batch_ids_column(batch, batch->rows);
        c->views[c->columns - 1] = &c->ids;
    }
    return dvi_kept_block_append(kept, c->views, c->columns, batch->rows, err);
}

/* Rows of a block that may be asked for. */
static int64_t wanted_rows(const dvi_block_cache *c, int64_t number)
{
    const int64_t end_row = c->kept ? dv_view_rows(c->source) : c->plan.end_row;
    return dvi_min_i64(c->plan.block_rows, end_row - number * c->plan.block_rows);
}

/* Read as many rows of a block as can be read. */
static dv_status read_block(dvi_block_cache *c, int64_t number, dvi_kept_block *kept, dv_error *err)
{
    const int64_t first = number * c->plan.block_rows, wanted = wanted_rows(c, number);
    dv_status status = go_to(c, first, first + wanted, err);
    while (status == DV_OK && kept->rows < wanted) {
        const dv_batch *batch;
        status = dv_cursor_next(c->cursor, &batch, err);
        if (status != DV_OK)
            break;
        c->at += batch->rows;
        status = keep_batch(c, kept, batch, err);
    }
    if (status != DV_OK && c->plan.sequential)
        dv_cursor_close(&c->cursor); /* its position is unknown */
    return status;
}

/* --- Bounds on memory ------------------------------------------------------------------------- */

/* Without a pool: of blocks besides `kept`. */
static bool is_too_much(const dvi_block_cache *c, const block *kept)
{
    const int64_t least = dvi_max_i64(c->plan.least_rows, is_costly(c, kept) ? kept->rows : 0);
    return c->held_nbytes - c->free_nbytes > c->plan.most_nbytes && c->costly_rows > least;
}

/* Drop blocks that take memory, but not `kept`, until it is within its bound. */
static void evict(dvi_block_cache *c, const block *kept)
{
    while (is_too_much(c, kept)) {
        block *b = c->oldest;
        entry *e = entry_of(c, b->number);
        if (b != kept && !e->is_used && is_costly(c, b)) {
            drop_block(c, b);
            continue;
        }
        e->is_used = false;
        unlink_block(c, b);
        link_newest(c, b);
    }
}

/* Copy the rows of a block that are not delivered. */
static dv_status copy_block(const block *b, dvi_gathered_rows *copies, dv_error *err)
{
    dvi_row_ref refs[REFS_AT_ONCE];
    int64_t n = 0;
    for (int64_t row = 0; row < b->rows; row++) {
        if (!dvi_row_marks_have(&b->done, row))
            refs[n++] = dvi_kept_block_find(b->kept, row);
        if (n < REFS_AT_ONCE && row + 1 < b->rows)
            continue;
        DVI_TRY(dvi_gathered_add(copies, 0, copies->columns, refs, n, err));
        n = 0;
    }
    return DV_OK;
}

/* The rows of a block that are not delivered were copied: they begin at row `at` of the copies. */
static void move_block(dvi_block_cache *c, block *b, int64_t at)
{
    unlink_block(c, b);
    entry_of(c, b->number)->columns = NULL;
    dvi_row_marks_number(&b->done, c->marked_rows);
    release_rows(c, b);
    b->moved = c->moved;
    b->moved_at = at;
    c->moved->left += b->left;
}

/* Copy rows of the oldest blocks together: of half of those that take memory. */
static dv_status move_old(dvi_block_cache *c, dvi_gathered_rows *copies, dv_error *err)
{
    int64_t passed = 0, rows = 0;
    block *end = c->oldest, *next;
    dvi_kept_batch *kept;
    dv_error own = DV_ERROR_INIT;
    for (; end != c->newest && passed < c->costly_rows / 2; end = end->newer) {
        if (!is_made(end))
            continue;
        const dv_status status = copy_block(end, copies, &own);
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
    DVI_TRY(dvi_gathered_keep(copies, &kept, err));
    kept->next = c->moved;
    c->moved = kept;
    c->held_nbytes += kept->held_nbytes + (int64_t)kept->nbytes;
    rows = 0;
    for (block *b = c->oldest; b != end; b = next) {
        next = b->newer;
        if (is_made(b)) {
            move_block(c, b, rows);
            rows += b->left;
        }
    }
    return DV_OK;
}

static dv_status compact(dvi_block_cache *c, dv_error *err)
{
    dvi_gathered_rows copies = {0};
    DVI_TRY(dvi_gathered_make(&copies, c->request, err));
    const dv_status status = move_old(c, &copies, err);
    dvi_gathered_free(&copies);
    return status;
}

/* Can its rows be read again at any time, the same in every epoch? */
static bool is_in_place(const dvi_block_cache *c, const block *b)
{
    return c->plan.is_stored && !b->moved && !b->kept->is_made;
}

/* Is noted which of its rows were delivered?  What is read in sequence is not read again. */
static bool is_noted(const dvi_block_cache *c, const block *b)
{
    return c->plan.pool_rows > 0 && (c->plan.sequential || !is_in_place(c, b));
}

/* Drop the blocks that take only their addresses, but not `kept`. */
static void drop_free(dvi_block_cache *c, const block *kept)
{
    for (block *b = c->oldest, *newer; b; b = newer) {
        newer = b->newer;
        if (b != kept && !is_costly(c, b) && !is_noted(c, b))
            drop_block(c, b);
    }
}

static dv_status keep_bounds(dvi_block_cache *c, const block *newest, dv_error *err)
{
    if (c->free_nbytes > FREE_NBYTES)
        drop_free(c, newest);
    if (c->plan.pool_rows == 0)
        evict(c, newest);
    /* costly_rows > 2 * pool_rows + 2 * block_rows, which might overflow */
    else if ((c->costly_rows - 1) / HELD - c->plan.pool_rows >= c->plan.block_rows)
        return compact(c, err);
    return DV_OK;
}

/* DV_END: no row of the block can be read. */
static dv_status get_rows(dvi_block_cache *c, int64_t number, dvi_kept_block **kept_out,
                          dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    if (c->kept && !c->key)
        DVI_TRY(dvi_block_key_create(&c->key, c->source, c->request, err));
    dvi_kept_block *kept = c->kept ? dvi_kept_blocks_find(c->kept, c->key, number) : NULL;
    *kept_out = kept;
    if (kept)
        return DV_OK;
    DVI_TRY(dvi_kept_block_create(&kept, dvi_view_allocator(c->source), err));
    dv_status status = read_block(c, number, kept, &own);
    if (status == DV_OK && c->kept)
        status = dvi_kept_blocks_add(c->kept, c->key, number, kept, &own);
    if (status == DV_ERR_MEMORY || kept->rows == 0) {
        dvi_kept_block_release(&kept);
        if (status == DV_ERR_MEMORY && err)
            *err = own;
        return status == DV_ERR_MEMORY ? status : DV_END;
    }
    *kept_out = kept;
    return DV_OK;
}

static dv_status load_block(dvi_block_cache *c, int64_t number, dv_error *err)
{
    const int64_t wanted = wanted_rows(c, number);
    block *b;
    DVI_TRY(make_block(c, number, &b, err));
    const dv_status status = get_rows(c, number, &b->kept, err);
    if (status != DV_OK) {
        free_block(c, b);
        return status;
    }
    b->left = b->rows = dvi_min_i64(b->kept->rows, wanted); /* no more, whatever a batch had */
    c->held_nbytes += b->kept->nbytes;
    const dvi_kept_batch *first = b->kept->batches;
    *entry_of(c, number) = (entry){first->next || b->rows < wanted ? NULL : first->column, b, true};
    link_newest(c, b);
    c->frontier = dvi_max_i64(c->frontier, number + 1);
    return keep_bounds(c, b, err);
}

/* Keep the blocks before this one that were never read. */
static dv_status load_passed(dvi_block_cache *c, int64_t number, dv_error *err)
{
    dv_status status = DV_OK;
    while (c->plan.sequential && c->plan.every_block && c->frontier < number && status == DV_OK)
        status = load_block(c, c->frontier, err);
    return status < 0 ? status : DV_OK;
}

dv_status dvi_block_cache_load(dvi_block_cache *c, int64_t row, dv_error *err)
{
    const int64_t number = number_of(c, row);
    dvi_row_ref ref;
    if (!block_at(c, number)) {
        DVI_TRY(load_passed(c, number, err));
        const dv_status status = load_block(c, number, err);
        if (status != DV_OK)
            return status;
    }
    return dvi_block_cache_find(c, &row, 1, &ref) == 1 ? DV_OK : DV_END;
}

/* --- Delivered rows --------------------------------------------------------------------------- */

static void free_moved(dvi_block_cache *c, dvi_kept_batch *kept)
{
    dvi_kept_batch **at = &c->moved;
    while (*at && *at != kept)
        at = &(*at)->next;
    *at = kept->next;
    c->held_nbytes -= kept->held_nbytes + (int64_t)kept->nbytes;
    dvi_kept_batch_free(kept, allocator_of(c));
}

static void row_is_done(dvi_block_cache *c, int64_t row)
{
    const int64_t number = number_of(c, row);
    block *b = block_at(c, number);
    row -= number * c->plan.block_rows;
    if (!b || row >= b->rows || !is_noted(c, b) || dvi_row_marks_have(&b->done, row))
        return;
    dvi_kept_batch *moved = b->moved;
    if (moved)
        moved->left--;
    else
        dvi_row_marks_add(&b->done, row);
    if (--b->left == 0)
        drop_block(c, b);
    if (moved && moved->left == 0)
        free_moved(c, moved);
}

void dvi_block_cache_done(dvi_block_cache *c, const int64_t *rows, int64_t n)
{
    const bool are_noted =
        c->costly_rows > 0 || c->moved || c->plan.sequential || !c->plan.is_stored;
    for (int64_t i = 0; i < n && are_noted && c->plan.pool_rows > 0; i++)
        row_is_done(c, rows[i]);
}

void dvi_block_cache_restart(dvi_block_cache *c)
{
    const bool is_other = c->epoch != c->request->epoch;
    for (int64_t i = 0; i < c->tables_count; i++)
        for (int64_t j = 0; c->tables[i] && j < TABLE_BLOCKS; j++) {
            block *b = c->tables[i][j].block;
            if (b && (is_noted(c, b) || (is_other && !is_in_place(c, b))))
                drop_block(c, b);
        }
    while (c->moved)
        free_moved(c, c->moved);
    c->plan.every_block = false;
    c->epoch = c->request->epoch;
    if (is_other) {
        dv_cursor_close(&c->cursor);
        dvi_block_key_release(&c->key);
    }
}

/* --- Life ------------------------------------------------------------------------------------- */

/* A file may claim blocks of more rows than it has.  If its rows are not known, a batch may hold
 * more than plan.end_row. */
static int64_t marked_rows(const dvi_block_cache *c)
{
    const int64_t known = dv_view_rows(c->source), block_rows = c->plan.block_rows;
    const int64_t rows = known < 0 ? block_rows : dvi_min_i64(block_rows, known);
    return c->plan.pool_rows > 0 ? rows : 0;
}

static dv_status make_tables(dvi_block_cache *c, dv_error *err)
{
    const int64_t blocks = c->plan.end_row > 0 ? number_of(c, c->plan.end_row - 1) + 1 : 0;
    c->tables_count = blocks / TABLE_BLOCKS + (blocks % TABLE_BLOCKS != 0);
    DVI_TRY(DVI_NEW(allocator_of(c), &c->tables, (size_t)c->tables_count, err));
    return DVI_NEW(allocator_of(c), &c->views, (size_t)c->columns, err);
}

dv_status dvi_block_cache_create(dvi_block_cache **cache_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_block_plan *plan,
                                 dv_error *err)
{
    dvi_block_cache *c;
    *cache_out = NULL;
    DVI_TRY(DVI_NEW(request->allocator, &c, 1, err));
    const bool is_power = (plan->block_rows & (plan->block_rows - 1)) == 0;
    *c = (dvi_block_cache){.plan = *plan,
                           .shift = is_power ? __builtin_ctzll((uint64_t)plan->block_rows) : -1,
                           .columns = request->columns_count + request->ids,
                           .request = request,
                           .source = source};
    c->marked_rows = marked_rows(c);
    dv_status status = make_tables(c, err);
    if (status == DV_OK && plan->keeps)
        status = dvi_kept_blocks_of(&c->kept, source, err);
    if (status == DV_OK)
        status = open_cursor(c, 0, err);
    if (status < 0)
        dvi_block_cache_free(&c);
    *cache_out = c;
    return status;
}

void dvi_block_cache_free(dvi_block_cache **cache)
{
    dvi_block_cache *c = *cache;
    *cache = NULL;
    if (!c)
        return;
    const dv_allocator *allocator = allocator_of(c);
    dv_cursor_close(&c->cursor);
    for (int64_t i = 0; c->tables && i < c->tables_count; i++) {
        for (int64_t j = 0; c->tables[i] && j < TABLE_BLOCKS; j++)
            if (c->tables[i][j].block)
                free_block(c, c->tables[i][j].block);
        dvi_free(allocator, c->tables[i], TABLE_BLOCKS * sizeof **c->tables);
    }
    while (c->moved)
        free_moved(c, c->moved);
    dvi_block_key_release(&c->key);
    dvi_free(allocator, c->tables, (size_t)c->tables_count * sizeof *c->tables);
    dvi_free(allocator, c->views, (size_t)c->columns * sizeof *c->views);
    dvi_free(allocator, c, sizeof *c);
}
