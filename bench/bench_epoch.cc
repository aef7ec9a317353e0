/* SPDX-License-Identifier: MIT */
/* bench_epoch.cc: measures reading the rows of a file in another order.
 *
 * The table is one vector column of floats in an .idv file in the page cache.  Subject and limit
 * open a cursor and copy each batch into the same matrix, as a training loop does.  The rows of the
 * subject come from an epoch, those of the limit from the file in its order; or the limit is a
 * plain loop that copies each row of an array in memory, in a precomputed order. */
#include "harness.h"
#include "inputs.h"
#include "report.h"
#include "views.h"
#include <dataview/dataview.h>
#include <dataview/dense.h>
#include <dataview/epoch.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace
{

using dvb::fail;

constexpr int64_t BATCH_NBYTES = 64 << 10; /* of a matrix: with its batch it stays in the cache */

/* --- The table, as a view that is saved ------------------------------------------------------ */

struct Table {
    Table(std::size_t n, std::size_t slots) : rows(int64_t(n)), width(slots), counts(BLOCK, -1)
    {
        values = dvb::floats(n * slots, 1);
    }
    dv_type type() const
    {
        return dv_type_vector(dv_type_of(DV_KIND_R4), int32_t(width));
    }
    static constexpr int64_t BLOCK = 4096;
    const int64_t rows;
    const std::size_t width;
    std::vector<float> values;
    std::vector<int32_t> counts;
};

struct TableCursor {
    const Table *table;
    int64_t at, end;
};

dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out, dv_error *)
{
    const Table *table = static_cast<const Table *>(self);
    *cursor_out =
        new TableCursor{table, request->first_row, std::min(request->end_row, table->rows)};
    return DV_OK;
}

dv_status next(void *ctx, dv_batch *batch, dv_error *err)
{
    TableCursor *c = static_cast<TableCursor *>(ctx);
    const Table &t = *c->table;
    const int64_t n = std::min(Table::BLOCK, c->end - c->at);
    if (n <= 0)
        return DV_END;
    const std::size_t count = std::size_t(n) * t.width;
    dv_column_view items = {}, column = {};
    items.type = dv_type_of(DV_KIND_R4);
    items.layout = DV_LAYOUT_FIXED;
    items.rows = int64_t(count);
    items.as.fixed.values = {&t.values[std::size_t(c->at) * t.width], 4 * count, nullptr, true,
                             true};
    column.type = t.type();
    column.layout = DV_LAYOUT_VECTOR;
    column.rows = n;
    column.as.vector = {};
    column.as.vector.length = int32_t(t.width);
    column.as.vector.counts = {t.counts.data(), 4 * std::size_t(n), nullptr, true, true};
    column.as.vector.items = &items;
    dv_batch_start(batch, c->at, n, err);
    c->at += n;
    return dv_batch_fill(batch, 0, &column, err);
}

void save(Table &table, const std::string &path, int64_t rows_per_block, bool deflate)
{
    static const dv_view_class table_class = [] {
        dv_view_class c = {};
        c.size = sizeof c;
        c.kind = "table";
        c.rows = [](void *self) { return static_cast<const Table *>(self)->rows; };
        c.open_cursor = open_cursor;
        c.next = next;
        c.close_cursor = [](void *ctx) { delete static_cast<TableCursor *>(ctx); };
        return c;
    }();
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema = nullptr;
    dv_view *view = nullptr;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.rows_per_block = rows_per_block;
    options.compression = deflate ? DV_COMPRESSION_DEFLATE : DV_COMPRESSION_NONE;
    options.sync = false;
    const dv_type type = table.type();
    dv_schema_create(&schema, nullptr, nullptr);
    dv_schema_add(schema, dv_text_of("Features"), &type, nullptr, nullptr);
    if (dv_view_create(&view, &table_class, &table, &schema, nullptr, &err) != DV_OK ||
        dv_save(view, path.c_str(), &options, &err) != DV_OK)
        fail(err);
    dv_view_release(&view);
}

/* --- An epoch --------------------------------------------------------------------------------- */

/* Counts allocated memory, and its maximum. */
struct Counted {
    dv_allocator allocator = {allocate, release, this};
    std::atomic<int64_t> nbytes{0}, highest{0};

    static void *allocate(void *ctx, std::size_t n, std::size_t alignment)
    {
        Counted *c = static_cast<Counted *>(ctx);
        const int64_t now = c->nbytes += int64_t(n);
        c->highest = std::max(c->highest.load(), now);
        return std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment);
    }
    static void release(void *ctx, void *memory, std::size_t n)
    {
        static_cast<Counted *>(ctx)->nbytes -= int64_t(n);
        std::free(memory);
    }
};

struct Job {
    Job(std::size_t nbytes, std::size_t width, int64_t block_rows, bool deflate)
        : table(nbytes / (4 * width), width), file("epoch.idv"),
          batch_rows(std::max(BATCH_NBYTES / int64_t(4 * width), int64_t(1))),
          matrix(std::size_t(batch_rows) * width)
    {
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.allocator = &memory.allocator;
        save(table, file.path, block_rows, deflate);
        if (dv_open(&view, file.path.c_str(), &how, &err) != DV_OK)
            fail(err);
    }
    ~Job()
    {
        dv_view_release(&view);
    }
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    double nbytes() const
    {
        return double(table.rows) * double(4 * table.width);
    }

    /* All rows as matrices, and their sums. */
    double read(dv_view *of, bool sums)
    {
        dv_error err = DV_ERROR_INIT;
        dv_cursor *cursor = nullptr;
        const dv_batch *batch;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_status status;
        double sum = 0;
        options.threads = 1;
        options.batch_rows = batch_rows;
        if (dv_cursor_open(&cursor, of, &options, &err) != DV_OK)
            fail(err);
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
            if (dv_batch_dense(batch, DV_KIND_R4, matrix.data(), table.width, nullptr, &err) !=
                DV_OK)
                fail(err);
            for (std::size_t i = 0; sums && i < std::size_t(batch->rows) * table.width; i++)
                sum += double(matrix[i]);
        }
        if (status != DV_END)
            fail(err);
        dv_cursor_close(&cursor);
        return sum;
    }
    double read_epoch(dv_shuffle shuffle, bool sums)
    {
        dv_error err = DV_ERROR_INIT;
        dv_view *epoch = nullptr;
        dv_epoch_options options = DV_EPOCH_OPTIONS_INIT;
        options.shuffle = shuffle;
        options.seed = 1;
        if (dv_view_epoch(&epoch, view, &options, &memory.allocator, &err) != DV_OK)
            fail(err);
        const double sum = read(epoch, sums);
        dv_view_release(&epoch);
        return sum;
    }
    bool is_right(dv_shuffle shuffle)
    {
        double sum = 0;
        for (const float value : table.values)
            sum += double(value);
        return read_epoch(shuffle, true) == sum && read(view, true) == sum;
    }

    Table table;
    dvb::TemporaryFile file;
    const int64_t batch_rows;
    std::vector<float> matrix;
    Counted memory;
    dv_view *view = nullptr;
};

dvb::Trial beside_sequential(dv_shuffle shuffle, std::size_t nbytes, std::size_t width,
                             int64_t block_rows, bool deflate)
{
    auto job = std::make_shared<Job>(nbytes, width, block_rows, deflate);
    return {{"", job->nbytes(), [=] { job->read_epoch(shuffle, false); }},
            {{"sequential", job->nbytes(), [=] { job->read(job->view, false); }}},
            [=] { return job->is_right(shuffle); }};
}

/* Each row of the array to the matrix, batch after batch, in an order made before. */
dvb::Trial beside_gather(std::size_t nbytes, std::size_t width, int64_t block_rows)
{
    auto job = std::make_shared<Job>(nbytes, width, block_rows, false);
    auto order = std::make_shared<std::vector<uint32_t>>(std::size_t(job->table.rows));
    dvb::Draws draws(3);
    for (std::size_t i = 0; i < order->size(); i++)
        (*order)[i] = uint32_t(i);
    for (std::size_t i = order->size(); i > 1; i--)
        std::swap((*order)[i - 1], (*order)[draws.below(i)]);
    const auto gather = [=] {
        const std::size_t each = std::size_t(job->batch_rows), row = 4 * width;
        const float *from = job->table.values.data();
        for (std::size_t i = 0; i < order->size(); i++)
            std::memcpy(&job->matrix[i % each * width], from + (*order)[i] * width, row);
        dvb::keep(double(job->matrix[0]));
    };
    return {{"", job->nbytes(), [=] { job->read_epoch(DV_SHUFFLE_UNIFORM, false); }},
            {{"gather loop", job->nbytes(), gather}},
            [=] { return job->is_right(DV_SHUFFLE_UNIFORM); }};
}

/* The most memory that an epoch has, beside the rows of its pool. */
dvb::Count high_water(std::size_t nbytes, std::size_t width, int64_t block_rows)
{
    Job job(nbytes, width, block_rows, true);
    job.read_epoch(DV_SHUFFLE_POOL, false);
    const double pool = DV_EPOCH_POOL_BLOCKS * double(block_rows) * double(4 * width);
    return {double(job.memory.highest), pool, "B", "rows of the pool"};
}

void add_suite()
{
    static const struct {
        std::size_t width;
        int64_t block_rows;
    } rows[] = {{16, 1024}, {1024, 64}};
    for (const auto &r : rows) {
        const std::size_t nbytes = dvb::beyond_cache(), width = r.width;
        const int64_t block_rows = r.block_rows;
        const std::string size = dvb::size_name(double(4 * width));
        const auto add = [=](const std::string &name, double goal, dv_shuffle shuffle,
                             std::size_t of, bool deflate) {
            dvb::add(name + "/" + size, goal,
                     [=] { return beside_sequential(shuffle, of, width, block_rows, deflate); });
        };
        add("epoch_pool/raw", 0.8, DV_SHUFFLE_POOL, nbytes, false);
        add("epoch_blocks/raw", 0.8, DV_SHUFFLE_BLOCKS, nbytes, false);
        add("epoch_uniform/raw", width == 1024 ? 0.5 : 0, DV_SHUFFLE_UNIFORM, nbytes, false);
        dvb::add("epoch_uniform/gather/" + size, 0.8,
                 [=] { return beside_gather(nbytes, width, block_rows); });
        add("epoch_pool/deflate", 0, DV_SHUFFLE_POOL, nbytes / 4, true);
        add("epoch_blocks/deflate", 0, DV_SHUFFLE_BLOCKS, nbytes / 4, true);
        add("epoch_uniform/deflate", 0, DV_SHUFFLE_UNIFORM, nbytes / 16, true);
        dvb::add_count("epoch_pool/high_water/" + size, 0,
                       [=] { return high_water(nbytes / 4, width, block_rows); });
    }
}

const dvb::Suite suite("epoch", add_suite);

} // namespace
