/* SPDX-License-Identifier: MIT */
/* bench_dense.cc: measures filling a matrix from columns.
 *
 * The limit is memcpy of the same number of bytes.  Both sides count the bytes read and written.
 * bench_densify.cc measures sparse rows. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <dataview/dense.h>
#include <dataview/own_view.h>
#include <cstring>
#include <memory>

namespace
{

/* --- Columns of small numbers, in one batch --------------------------------------------------- */

/* Item i of a column, from 0 to 99. */
int number_of(std::size_t column, std::size_t i)
{
    return int((i * 7 + column * 13) % 100);
}

template <class T> void put_number(char *dst, std::size_t i, int number)
{
    const T item = T(number);
    std::memcpy(dst + i * sizeof item, &item, sizeof item);
}

void put(dv_kind kind, char *dst, std::size_t i, int number)
{
    switch (kind) {
    case DV_KIND_I1:
    case DV_KIND_U1:
        return put_number<uint8_t>(dst, i, number);
    case DV_KIND_I2:
    case DV_KIND_U2:
        return put_number<uint16_t>(dst, i, number);
    case DV_KIND_I4:
    case DV_KIND_U4:
        return put_number<uint32_t>(dst, i, number);
    case DV_KIND_R4:
        return put_number<float>(dst, i, number);
    case DV_KIND_R8:
        return put_number<double>(dst, i, number);
    default:
        return put_number<uint64_t>(dst, i, number);
    }
}

/* Columns of those kinds, each of `slots` items a row: scalars, or dense vectors.  Read as a view,
 * since that is what makes a batch. */
class Table
{
  public:
    Table(const std::vector<dv_kind> &of, std::size_t each, std::size_t n)
        : kinds(of), slots(each), rows(n), counts(n, -1), views(of.size()), items(of.size())
    {
        for (std::size_t k = 0; k < kinds.size(); k++)
            add_column(k);
        open();
    }
    ~Table()
    {
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
    Table(const Table &) = delete;
    Table &operator=(const Table &) = delete;

    const dv_batch *batch() const
    {
        return current;
    }
    std::size_t width() const
    {
        return kinds.size() * slots;
    }
    std::size_t nbytes() const
    {
        std::size_t sum = 0;
        for (const auto &column : values)
            sum += column->size();
        return sum;
    }
    std::vector<const void *> addresses() const
    {
        std::vector<const void *> all;
        for (const auto &column : values)
            all.push_back(column->data());
        return all;
    }
    /* Number by number, without the library. */
    template <class T> bool fills(const T *matrix) const
    {
        for (std::size_t i = 0; i < rows; i++)
            for (std::size_t k = 0; k < width(); k++)
                if (matrix[i * width() + k] != T(number_of(k / slots, i * slots + k % slots)))
                    return false;
        return true;
    }

  private:
    void add_column(std::size_t k)
    {
        const std::size_t n = rows * slots, size = std::size_t(dv_kind_width(kinds[k]));
        values.push_back(std::make_unique<dvb::Buffer>(n * size));
        for (std::size_t i = 0; i < n; i++)
            put(kinds[k], values[k]->data(), i, number_of(k, i));
        const dv_buffer buffer = {values[k]->data(), n * size, nullptr, true, true};
        dv_column_view column = {};
        column.type = dv_type_of(kinds[k]);
        column.layout = DV_LAYOUT_FIXED;
        column.rows = int64_t(n);
        column.as.fixed.values = buffer;
        views[k] = items[k] = column;
        if (slots > 1)
            views[k] = vectors_of(&items[k]);
    }
    dv_column_view vectors_of(const dv_column_view *of)
    {
        dv_column_view column = {};
        column.type = dv_type_vector(of->type, int32_t(slots));
        column.layout = DV_LAYOUT_VECTOR;
        column.rows = int64_t(rows);
        column.as.vector = {};
        column.as.vector.length = int32_t(slots);
        column.as.vector.counts = {counts.data(), 4 * rows, nullptr, true, true};
        column.as.vector.items = of;
        return column;
    }
    void open()
    {
        static const dv_view_class table_class = [] {
            dv_view_class c = {};
            c.size = sizeof c;
            c.kind = "table";
            c.open_cursor = [](void *self, const dv_cursor_request *, void **cursor_out,
                               dv_error *) { return *cursor_out = self, DV_OK; };
            c.next = next;
            return c;
        }();
        dv_schema *schema = nullptr;
        dv_schema_create(&schema, nullptr, nullptr);
        for (std::size_t k = 0; k < kinds.size(); k++)
            dv_schema_add(schema, dv_text_of(("c" + std::to_string(k)).c_str()), &views[k].type,
                          nullptr, nullptr);
        dv_view_create(&view, &table_class, this, &schema, nullptr, nullptr);
        dv_cursor_open(&cursor, view, nullptr, nullptr);
        dv_cursor_next(cursor, &current, nullptr);
    }
    static dv_status next(void *self, dv_batch *batch, dv_error *err)
    {
        const Table &t = *static_cast<Table *>(self);
        dv_status status = dv_batch_start(batch, 0, int64_t(t.rows), err);
        for (std::size_t k = 0; status == DV_OK && k < t.kinds.size(); k++)
            status = dv_batch_fill(batch, int32_t(k), &t.views[k], err);
        return status;
    }

    const std::vector<dv_kind> kinds;
    const std::size_t slots, rows;
    std::vector<int32_t> counts;
    std::vector<std::unique_ptr<dvb::Buffer>> values;
    std::vector<dv_column_view> views, items;
    dv_view *view = nullptr;
    dv_cursor *cursor = nullptr;
    const dv_batch *current = nullptr;
};

/* A table, the matrix that it becomes, and memory to copy instead. */
template <class T> struct Job {
    Job(const std::vector<dv_kind> &kinds, std::size_t slots, std::size_t matrix_nbytes)
        : rows(matrix_nbytes / (kinds.size() * slots * sizeof(T))), table(kinds, slots, rows),
          dst(rows * table.width() * sizeof(T)), from((table.nbytes() + dst.size()) / 2),
          to(from.size())
    {
    }
    T *matrix() const
    {
        return reinterpret_cast<T *>(dst.data());
    }
    std::size_t rows;
    Table table;
    dvb::Buffer dst, from, to;
};

/* --- Rows ------------------------------------------------------------------------------------- */

template <class T>
void add_row(const std::string &name, double goal, const std::vector<dv_kind> &kinds,
             std::size_t slots, std::size_t nbytes, const std::function<void(Job<T> &)> &run,
             const std::function<void(Job<T> &)> &base = nullptr)
{
    dvb::add(name + "/" + dvb::size_name(double(nbytes)), goal, [=]() -> dvb::Trial {
        auto job = std::make_shared<Job<T>>(kinds, slots, nbytes);
        const double traffic = double(job->table.nbytes() + job->dst.size());
        dvb::Trial trial = {
            {"", traffic, [=] { run(*job); }},
            {{"memcpy", double(2 * job->from.size()),
              [=] { dvb::copy(job->to.data(), job->from.data(), job->from.size()); }}},
            [=] { return job->table.fills(job->matrix()); }};
        if (base)
            trial.base = {{"scalar", traffic, [=] { base(*job); }}};
        return trial;
    });
}

dv_status fill(const dv_batch *batch, float *dst, std::size_t width, const dv_dense_options *o)
{
    return dv_batch_dense(batch, DV_KIND_R4, dst, width, o, nullptr);
}

dv_status fill(const dv_batch *batch, double *dst, std::size_t width, const dv_dense_options *o)
{
    return dv_batch_dense(batch, DV_KIND_R8, dst, width, o, nullptr);
}

/* The call that users make, within the second cache and beyond the last one. */
template <class T>
void add_fill(const std::string &name, const std::vector<dv_kind> &kinds, std::size_t slots = 1,
              double goal = 0, dv_dense_na na = DV_DENSE_NA_KEEP)
{
    for (const std::size_t nbytes : {std::size_t(128) << 10, dvb::beyond_cache()})
        add_row<T>((sizeof(T) == 4 ? "batch_dense_f4/" : "batch_dense_f8/") + name,
                   nbytes > (1 << 20) ? goal : 0, kinds, slots, nbytes, [=](Job<T> &job) {
                       dv_dense_options o = DV_DENSE_OPTIONS_INIT;
                       o.na = na;
                       fill(job.table.batch(), job.matrix(), job.table.width(), &o);
                   });
}

/* The bare loop: row by row, or column by column. */
void run_loop(Job<float> &job)
{
    const std::vector<const void *> columns = job.table.addresses();
    for (std::size_t k = 0; k < columns.size(); k++)
        for (std::size_t i = 0; i < job.rows; i++)
            job.matrix()[i * columns.size() + k] = static_cast<const float *>(columns[k])[i];
}

template <class T, class Item>
using Transpose = void (*dvi_kernel_table::*)(Item *, std::size_t, const void *const *, std::size_t,
                                              std::size_t);

template <class T, class Item>
void add_transpose(const std::string &name, dv_kind kind, std::size_t columns,
                   Transpose<T, Item> member)
{
    using Run = std::function<void(Job<T> &)>;
    const auto run_at = [=](dv_level level) -> Run {
        return [=](Job<T> &job) {
            const std::vector<const void *> from = job.table.addresses();
            (dvi_kernels_at(level)->*member)(reinterpret_cast<Item *>(job.dst.data()), columns,
                                             from.data(), columns, job.rows);
        };
    };
    for (const std::size_t nbytes : {std::size_t(128) << 10, dvb::beyond_cache()})
        for (const dv_level level : dvb::levels())
            add_row<T>(name + "/" + dv_level_name(level) + "/" + std::to_string(columns) +
                           " columns",
                       0, std::vector<dv_kind>(columns, kind), 1, nbytes, run_at(level),
                       level == DV_LEVEL_SCALAR ? Run() : run_at(DV_LEVEL_SCALAR));
}

/* The matrix once more, copied from `to`, which a run of the table has filled. */
void add_rows_copy()
{
    static const char *const stores[] = {"cached", "stream"};
    for (const dv_level level : dvb::levels())
        for (const dvi_store store : {DVI_STORE_CACHED, DVI_STORE_STREAM})
            add_row<float>(
                std::string("rows_copy/") + dv_level_name(level) + "_" + stores[store], 0,
                std::vector<dv_kind>(1, DV_KIND_R4), 1, dvb::beyond_cache(), [=](Job<float> &job) {
                    const char *src = static_cast<const char *>(job.table.addresses()[0]);
                    dvi_kernels_at(level)->rows_copy(reinterpret_cast<uint8_t *>(job.dst.data()),
                                                     4096, src, 4096, 4096, job.dst.size() / 4096,
                                                     store);
                });
}

const std::vector<dv_kind> mixed = {DV_KIND_R4, DV_KIND_R8, DV_KIND_I1, DV_KIND_I2, DV_KIND_I4,
                                    DV_KIND_I8, DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};

void add_suite()
{
    const auto same = [](std::size_t n, dv_kind kind) { return std::vector<dv_kind>(n, kind); };
    add_fill<float>("100 R4", same(100, DV_KIND_R4), 1, 0.7);
    add_fill<float>("28 R4", same(28, DV_KIND_R4), 1, 0.7);
    add_fill<float>("28 R4, NA replaced", same(28, DV_KIND_R4), 1, 0, DV_DENSE_NA_VALUE);
    add_fill<float>("28 R8", same(28, DV_KIND_R8));
    add_fill<float>("10 types", mixed);
    add_fill<float>("V<R4,100>", same(1, DV_KIND_R4), 100, 0.7);
    add_fill<float>("4 V<R4,25>", same(4, DV_KIND_R4), 25);
    add_fill<float>("V<R8,100>", same(1, DV_KIND_R8), 100);
    add_fill<float>("1 R4", same(1, DV_KIND_R4));
    add_fill<double>("28 R8", same(28, DV_KIND_R8));
    for (const std::size_t nbytes : {std::size_t(128) << 10, dvb::beyond_cache()})
        add_row<float>("bare loop/28 R4", 0, same(28, DV_KIND_R4), 1, nbytes, run_loop);
    for (const std::size_t columns : {4, 28, 100})
        add_transpose<float, uint32_t>("transpose_4", DV_KIND_R4, columns,
                                       &dvi_kernel_table::transpose_4);
    for (const std::size_t columns : {4, 28})
        add_transpose<double, uint64_t>("transpose_8", DV_KIND_R8, columns,
                                        &dvi_kernel_table::transpose_8);
    add_rows_copy();
}

const dvb::Suite suite("dense", add_suite);

} // namespace
