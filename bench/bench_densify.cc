/* SPDX-License-Identifier: MIT */
/* bench_densify.cc: how fast do sparse rows become a dense matrix that is larger than the caches?
 * Beside writing as many zeros, by memset or past the cache, whichever is faster here. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <dataview/dense.h>
#include <functional>
#include <memory>

namespace
{

constexpr std::size_t width = 1000;
constexpr double filled = 0.01;
const char *const store_names[DV_STORES] = {"cached", "stream", "repeat"};

/* A matrix of items of T, and the sparse rows that it is made from. */
template <class T> struct Matrix {
    explicit Matrix(std::size_t nbytes)
        : n(nbytes / (width * sizeof(T))), rows(dvb::sparse_rows(n, width, filled, 7)),
          items(rows.indices.size()), dense(n * width * sizeof(T))
    {
        dvb::Draws draws(8);
        for (T &item : items)
            item = static_cast<T>(draws.next());
    }
    dv_sparse sparse() const
    {
        return {n, int32_t(width), nullptr, rows.counts.data(), rows.indices.data(), items.data()};
    }
    /* Item by item, with no kernel of ours. */
    bool is_right() const
    {
        const T *row = reinterpret_cast<const T *>(dense.data());
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; i++, row += width)
            for (std::size_t slot = 0; slot < width; slot++) {
                const bool is_filled = next < items.size() && rows.indices[next] == int32_t(slot) &&
                                       next / (items.size() / n) == i;
                if (row[slot] != (is_filled ? items[next] : 0))
                    return false;
                next += is_filled;
            }
        return next == items.size();
    }
    std::size_t n;
    dvb::SparseRows rows;
    std::vector<T> items;
    dvb::Buffer dense;
};

/* Any bits are items, so the matrix of words is one of floats, too. */
dv_status fill(const dv_column_view *column, Matrix<uint32_t> &m)
{
    return dv_column_dense_f4(column, reinterpret_cast<float *>(m.dense.data()), width, width,
                              nullptr);
}

dv_status fill(const dv_column_view *column, Matrix<uint64_t> &m)
{
    return dv_column_dense_f8(column, reinterpret_cast<double *>(m.dense.data()), width, width,
                              nullptr);
}

template <class T> dv_buffer buffer_of(const std::vector<T> &v)
{
    return {v.data(), v.size() * sizeof(T), nullptr, true, true};
}

/* The matrix by way of a column, as a user fills it: checked, and in the form that is best here. */
template <class T> bool fill_by_column(Matrix<T> &m)
{
    dv_column_view items = {}, column = {};
    items.type = dv_type_of(sizeof(T) == 4 ? DV_KIND_R4 : DV_KIND_R8);
    items.layout = DV_LAYOUT_FIXED;
    items.rows = int64_t(m.items.size());
    items.as.fixed.values = buffer_of(m.items);
    column.type = dv_type_vector(items.type, int32_t(width));
    column.layout = DV_LAYOUT_VECTOR;
    column.rows = int64_t(m.n);
    column.as.vector = {};
    column.as.vector.length = int32_t(width);
    column.as.vector.counts = buffer_of(m.rows.counts);
    column.as.vector.indices = buffer_of(m.rows.indices);
    column.as.vector.items = &items;
    return fill(&column, m) == DV_OK;
}

/* What writes the matrix, and what the same machine takes to write as much of nothing. */
template <class T>
void add_row(const std::string &name, double goal, const std::function<void(Matrix<T> &)> &write)
{
    const std::size_t nbytes = dvb::beyond_cache();
    dvb::add(name + "/" + dvb::size_name(double(nbytes)), goal, [=]() -> dvb::Trial {
        auto m = std::make_shared<Matrix<T>>(nbytes);
        char *const dst = m->dense.data();
        const std::size_t n = m->dense.size();
        return {{"", double(n), [=] { write(*m); }},
                {{"memset", double(n), [=] { dvb::set(dst, n); }},
                 {"past the cache", double(n), [=] { dvb::set_stream(dst, n); }}},
                [=] { return m->is_right(); }};
    });
}

/* The call that users make, then the kernel in each form, which shows what there was to choose. */
template <class T, class Member>
void add_rows(const std::string &call, const std::string &kernel, Member member)
{
    add_row<T>(call + "/1%", 0.9, [](Matrix<T> &m) { fill_by_column(m); });
    for (const dv_level level : dvb::levels())
        for (int store = 0; store < DV_STORES; store++)
            add_row<T>(kernel + "/" + dv_level_name(level) + "_" + store_names[store], 0,
                       [=](Matrix<T> &m) {
                           const dv_sparse rows = m.sparse();
                           (dv_kernels_at(level)->*member)(reinterpret_cast<T *>(m.dense.data()),
                                                           width, width, &rows, dv_store(store));
                       });
}

void add_suite()
{
    add_rows<uint32_t>("column_dense_f4", "densify_4", &dv_kernels::densify_4);
    add_rows<uint64_t>("column_dense_f8", "densify_8", &dv_kernels::densify_8);
}

const dvb::Suite suite("densify", add_suite);

} // namespace
