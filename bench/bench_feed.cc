/* SPDX-License-Identifier: MIT */
/* bench_feed.cc: measures making batches from rows of a mapped file.
 *
 * The limit is a loop that copies the rows of a batch and their labels into the same memory for
 * each batch, with or without prefetching the rows ahead, whichever is faster.  It knows the
 * addresses of rows, their order, and that they are floats.  An epoch has
 * 256 MiB of features, so that rows come from memory.  Shuffled epochs are also compared with one
 * in the order of the file, and the loop in their order with the loop in that of the array. */
#include "harness.h"
#include "inputs.h"
#include "limit.h"
#include "report.h"
#include "views.h"
#include <dataview/dataview.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace
{

using dvb::fail;

constexpr std::size_t batch_rows = 256;

void must(dv_status status, const dv_error &err)
{
    if (status < 0)
        fail(err);
}

/* --- A file ----------------------------------------------------------------------------------- */

/* Features and labels in memory, and the same in an .idv file that is mapped. */
class Table
{
  public:
    Table(std::size_t n, std::size_t of)
        : rows(n), width(of), features(n * of * 4), labels(n * 4), file("feed.idv")
    {
        dvb::Draws draws(7);
        for (std::size_t i = 0; i < rows * width; i++)
            x()[i] = float(draws.below(1000));
        for (std::size_t i = 0; i < rows; i++)
            y()[i] = float(i);
        save();
        dv_error err = DV_ERROR_INIT;
        must(dv_open(&view, file.path.c_str(), nullptr, &err), err);
    }
    ~Table()
    {
        dv_view_release(&view);
    }
    Table(const Table &) = delete;
    Table &operator=(const Table &) = delete;

    float *x() const
    {
        return reinterpret_cast<float *>(features.data());
    }
    float *y() const
    {
        return reinterpret_cast<float *>(labels.data());
    }

    const std::size_t rows, width;

  private:
    struct Reader {
        const Table *table;
        const dv_cursor_request *request;
        int64_t row;
    };
    static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                 dv_error *)
    {
        *cursor_out = new Reader{static_cast<const Table *>(self), request, request->first_row};
        return DV_OK;
    }
    static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
    {
        static const std::vector<int32_t> dense(1024, -1);
        Reader &reader = *static_cast<Reader *>(cursor);
        const Table &t = *reader.table;
        const int64_t n = std::min(reader.request->end_row - reader.row, int64_t(1024));
        const std::size_t at = std::size_t(reader.row), rows = std::size_t(n);
        if (n == 0)
            return DV_END;
        dv_column_view y = {}, items = {}, x = {};
        y.type = items.type = dv_type_of(DV_KIND_R4);
        y.layout = items.layout = DV_LAYOUT_FIXED;
        y.rows = n;
        items.rows = n * int64_t(t.width);
        y.as.fixed.values = {t.y() + at, rows * 4, nullptr, true, true};
        items.as.fixed.values = {t.x() + at * t.width, rows * t.width * 4, nullptr, true, true};
        x.type = dv_type_vector(items.type, int32_t(t.width));
        x.layout = DV_LAYOUT_VECTOR;
        x.rows = n;
        x.as.vector = {};
        x.as.vector.length = int32_t(t.width);
        x.as.vector.counts = {dense.data(), rows * 4, nullptr, true, true};
        x.as.vector.items = &items;
        dv_status status = dv_batch_start(batch, reader.row, n, err);
        for (int32_t k = 0; status == DV_OK && k < reader.request->columns_count; k++)
            status = dv_batch_fill(batch, k, reader.request->columns[k] == 0 ? &x : &y, err);
        reader.row += n;
        return status;
    }
    void save() const
    {
        static const dv_view_class table_class = [] {
            dv_view_class c = {};
            c.size = sizeof c;
            c.kind = "table";
            c.rows = [](void *self) { return int64_t(static_cast<const Table *>(self)->rows); };
            c.open_cursor = open_cursor;
            c.next = next;
            c.close_cursor = [](void *cursor) { delete static_cast<Reader *>(cursor); };
            return c;
        }();
        dv_error err = DV_ERROR_INIT;
        dv_schema *schema = nullptr;
        dv_view *table = nullptr;
        const dv_type y_type = dv_type_of(DV_KIND_R4);
        const dv_type x_type = dv_type_vector(y_type, int32_t(width));
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.format = "idv";
        options.sync = false;
        must(dv_schema_create(&schema, nullptr, &err), err);
        must(dv_schema_add(schema, dv_text_of("Features"), &x_type, nullptr, &err), err);
        must(dv_schema_add(schema, dv_text_of("Label"), &y_type, nullptr, &err), err);
        must(
            dv_view_create(&table, &table_class, const_cast<Table *>(this), &schema, nullptr, &err),
            err);
        must(dv_save(table, file.path.c_str(), &options, &err), err);
        dv_view_release(&table);
    }

    dvb::Buffer features, labels;
    dvb::TemporaryFile file;

  public:
    dv_view *view = nullptr;
};

/* --- Epochs ----------------------------------------------------------------------------------- */

struct How {
    dv_shuffle shuffle;
    int32_t prefetch;
    bool fill; /* a matrix of the caller, with a gap after each row */
};

constexpr std::size_t gap = 16;

/* All batches of an epoch; `use` sees each. */
template <class F> void run_epoch(const Table &table, const How &how, float *matrix, F use)
{
    static const int32_t column[] = {0, 1};
    dv_error err = DV_ERROR_INIT;
    dv_feed *feed = nullptr;
    dv_dense_options x = DV_DENSE_OPTIONS_INIT, y = DV_DENSE_OPTIONS_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    x.columns = column;
    y.columns = column + 1;
    x.columns_count = y.columns_count = 1;
    order.shuffle = how.shuffle;
    order.seed = 3;
    const dv_feed_matrix matrices[] = {{&x, DV_KIND_R4, nullptr}, {&y, DV_KIND_R4, nullptr}};
    options.matrices = matrices;
    options.matrices_count = 2;
    options.batch_rows = int64_t(batch_rows);
    options.order = &order;
    options.prefetch = how.prefetch;
    must(dv_feed_open(&feed, table.view, &options, &err), err);
    for (;;) {
        dv_feed_batch filled;
        const dv_feed_batch *batch = &filled;
        const std::size_t stride = table.width + gap;
        const dv_feed_items to[] = {{matrix, stride}, {matrix + batch_rows * stride, 1}};
        const dv_status status =
            how.fill ? dv_feed_fill(feed, to, &filled, &err) : dv_feed_next(feed, &batch, &err);
        must(status, err);
        if (status == DV_END)
            break;
        use(*batch);
    }
    dv_feed_close(&feed);
}

/* Each row occurs once, complete, with its label, which is its number. */
bool is_right(const Table &table, const How &how, float *matrix)
{
    std::vector<bool> seen(table.rows);
    bool good = true;
    std::size_t n = 0;
    run_epoch(table, how, matrix, [&](const dv_feed_batch &batch) {
        const float *x = static_cast<const float *>(batch.matrices[0].items);
        const float *y = static_cast<const float *>(batch.matrices[1].items);
        for (std::size_t i = 0; i < std::size_t(batch.rows); i++, n++) {
            const std::size_t row = std::size_t(y[i * batch.matrices[1].stride]);
            good = good && row < table.rows && !seen[row] &&
                   std::memcmp(x + i * batch.matrices[0].stride, table.x() + row * table.width,
                               table.width * 4) == 0;
            if (row < table.rows)
                seen[row] = true;
        }
    });
    return good && n == table.rows;
}

/* Prefetch a row of features, and its label, into the second cache. */
void fetch_row(const Table &table, std::size_t row)
{
    constexpr std::size_t line = 64, most = 8 << 10;
    const char *const at = reinterpret_cast<const char *>(table.x() + row * table.width);
    const std::size_t nbytes = std::min(table.width * 4, most);
    for (std::size_t i = 0; i < nbytes; i += line)
        __builtin_prefetch(at + i, 0, 2);
    __builtin_prefetch(at + nbytes - 1, 0, 2);
    __builtin_prefetch(table.y() + row, 0, 2);
}

/* The loop: rows of the array in an order that is there already.  `ahead` rows are
 * prefetched. */
void copy_rows(const Table &table, const std::vector<uint32_t> &order, float *matrix,
               std::size_t ahead)
{
    float *const labels = matrix + batch_rows * table.width;
    for (std::size_t at = 0; at < order.size(); at += batch_rows) {
        const std::size_t n = std::min(batch_rows, order.size() - at);
        for (std::size_t i = 0; i < n; i++) {
            const std::size_t row = order[at + i];
            if (ahead > 0 && at + i + ahead < order.size())
                fetch_row(table, order[at + i + ahead]);
            std::memcpy(matrix + i * table.width, table.x() + row * table.width, table.width * 4);
            labels[i] = table.y()[row];
        }
    }
    dvb::keep(double(matrix[0]));
}

/* The rows of an epoch as the feed delivers them: labels are their numbers. */
std::vector<uint32_t> order_of(const Table &table, const How &how, float *matrix)
{
    std::vector<uint32_t> order;
    order.reserve(table.rows);
    run_epoch(table, how, matrix, [&](const dv_feed_batch &batch) {
        const float *y = static_cast<const float *>(batch.matrices[1].items);
        for (std::size_t i = 0; i < std::size_t(batch.rows); i++)
            order.push_back(uint32_t(y[i * batch.matrices[1].stride]));
    });
    return order;
}

/* What an epoch is measured beside. */
enum class Peer {
    GATHER_LOOP,
    FEED_IN_ORDER, /* of the same rows */
    LOOPS_ONLY     /* not the feed: the loop in its order beside the loop in order */
};

void add_row(const std::string &name, double goal, std::size_t width, const How &how,
             Peer peer = Peer::GATHER_LOOP)
{
    const std::size_t nbytes = std::size_t(dvb::is_quick() ? 1 : 256) << 20;
    dvb::add("feed/" + name + "/" + dvb::size_name(double(width) * 4), goal, [=]() -> dvb::Trial {
        const auto table = std::make_shared<Table>(nbytes / (width * 4), width);
        const auto ours = std::make_shared<dvb::Buffer>(batch_rows * (width + gap + 1) * 4);
        const auto bare = std::make_shared<dvb::Buffer>(batch_rows * (width + 1) * 4);
        float *const matrix = reinterpret_cast<float *>(ours->data());
        float *const copied = reinterpret_cast<float *>(bare->data());
        const auto order = std::make_shared<std::vector<uint32_t>>(order_of(*table, how, matrix));
        const double traffic = 2 * double(table->rows * (width + 1) * 4);
        const auto epoch = [=](const How &of) {
            run_epoch(*table, of, ours ? matrix : nullptr, [](const auto &) {});
        };
        const std::size_t ahead = 1 + (8 << 10) / (4 * width);
        const auto loop = [=](const std::string &of, std::size_t rows_ahead) -> dvb::Work {
            return {of, traffic,
                    [=] { copy_rows(*table, *order, bare ? copied : nullptr, rows_ahead); }};
        };
        const auto is_good = [=] { return is_right(*table, how, matrix); };
        if (peer == Peer::LOOPS_ONLY) {
            const auto sorted = std::make_shared<std::vector<uint32_t>>(*order);
            std::sort(sorted->begin(), sorted->end());
            return {loop("", ahead),
                    {{"loop in order", traffic,
                      [=] { copy_rows(*table, *sorted, bare ? copied : nullptr, 0); }}},
                    is_good};
        }
        if (peer == Peer::FEED_IN_ORDER)
            return {{"", traffic, [=] { epoch(how); }},
                    {{"feed in order", traffic,
                      [=] {
                          epoch({DV_SHUFFLE_NONE, how.prefetch, how.fill});
                      }}},
                    is_good};
        return {{"", traffic, [=] { epoch(how); }},
                {loop("gather loop", 0), loop("prefetching loop", ahead)},
                is_good};
    });
}

void add_suite()
{
    for (const std::size_t width : {16, 128, 1024, 16384}) {
        add_row("uniform", 0.8, width, {DV_SHUFFLE_UNIFORM, 0, false});
        add_row("uniform_into_mine", 0.8, width, {DV_SHUFFLE_UNIFORM, 0, true});
        add_row("uniform_2_ahead", 0, width, {DV_SHUFFLE_UNIFORM, 2, false});
        add_row("blocks", 0, width, {DV_SHUFFLE_BLOCKS, 0, false});
        add_row("pool", 0, width, {DV_SHUFFLE_POOL, 0, false});
        add_row("straight", 0.8, width, {DV_SHUFFLE_NONE, 0, false});
        add_row("pool_beside_order", 0.8, width, {DV_SHUFFLE_POOL, 0, false}, Peer::FEED_IN_ORDER);
        add_row("blocks_beside_order", 0.8, width, {DV_SHUFFLE_BLOCKS, 0, false},
                Peer::FEED_IN_ORDER);
        add_row("uniform_beside_order", width < 1024 ? 0 : 0.5, width,
                {DV_SHUFFLE_UNIFORM, 0, false}, Peer::FEED_IN_ORDER);
        add_row("loop_pool_beside_order", 0, width, {DV_SHUFFLE_POOL, 0, false}, Peer::LOOPS_ONLY);
        add_row("loop_uniform_beside_order", 0, width, {DV_SHUFFLE_UNIFORM, 0, false},
                Peer::LOOPS_ONLY);
    }
}

const dvb::Suite suite("feed", add_suite);

} // namespace
