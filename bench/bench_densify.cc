/* SPDX-License-Identifier: MIT */
/* bench_densify.cc: measures making sparse rows dense, within the caches and beyond.
 *
 * The limit writes the same number of zeros, with memset or past the cache, whichever is faster. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <dataview/csr.h>
#include <dataview/dense.h>
#include <cstring>
#include <functional>
#include <memory>

namespace
{

constexpr std::size_t width = 1000;
constexpr double filled = 0.01;
const char *const store_names[DVI_STORES] = {"cached", "stream", "repeat"};

/* A matrix of items of D, and the sparse rows of items of S that it is made from. */
template <class D, class S> struct Matrix {
    explicit Matrix(std::size_t nbytes)
        : n(nbytes / (width * sizeof(D))), rows(dvb::sparse_rows(n, width, filled, 7)),
          items(rows.indices.size()), indptr(n + 1), dense(n * width * sizeof(D))
    {
        dvb::Draws draws(8);
        for (S &item : items)
            item = static_cast<S>(draws.next());
        for (std::size_t i = 0; i < n; i++)
            indptr[i + 1] = indptr[i] + rows.counts[i];
    }
    D *dst() const
    {
        return reinterpret_cast<D *>(dense.data());
    }
    dv_sparse sparse() const
    {
        return {n, int32_t(width), nullptr, rows.counts.data(), rows.indices.data(), items.data()};
    }
    dv_csr csr()
    {
        const dv_kind kind = sizeof(S) == 8 ? DV_KIND_R8 : DV_KIND_R4;
        return {int64_t(n), int64_t(items.size()), int32_t(width),      DV_KIND_I8,
                kind,       indptr.data(),         rows.indices.data(), items.data()};
    }
    /* Item by item, without a kernel. */
    bool is_right() const
    {
        const D *row = dst();
        std::size_t next = 0;
        for (std::size_t i = 0; i < n; i++, row += width)
            for (std::size_t slot = 0; slot < width; slot++) {
                const bool is_filled = next < items.size() && rows.indices[next] == int32_t(slot) &&
                                       next / (items.size() / n) == i;
                if (row[slot] != (is_filled ? static_cast<D>(items[next]) : 0))
                    return false;
                next += is_filled;
            }
        return next == items.size();
    }
    std::size_t n;
    dvb::SparseRows rows;
    std::vector<S> items;
    std::vector<int64_t> indptr;
    dvb::Buffer dense;
};

template <class T> dv_buffer buffer_of(const std::vector<T> &v)
{
    return {v.data(), v.size() * sizeof(T), nullptr, true, true};
}

dv_status fill(const dv_column_view *column, float *dst)
{
    return dv_column_dense(column, DV_KIND_R4, dst, width, width, nullptr);
}

dv_status fill(const dv_column_view *column, double *dst)
{
    return dv_column_dense(column, DV_KIND_R8, dst, width, width, nullptr);
}

/* The matrix by way of a column, as a user fills it: checked, and in the form that is best here. */
template <class T> void fill_by_column(Matrix<T, T> &m)
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
    fill(&column, m.dst());
}

/* The same by way of the three arrays of CSR. */
template <class S> void fill_by_csr(Matrix<float, S> &m)
{
    const dv_csr csr = m.csr();
    dv_csr_dense_f4(&csr, 0, -1, m.dst(), width, width, nullptr);
}

/* What writes the matrix; what it shall be faster than, if anything; and the time to write as many
 * zeros. */
template <class D, class S> using Write = std::function<void(Matrix<D, S> &)>;
template <class D, class S>
void add_row(const std::string &name, std::size_t nbytes, double goal, const Write<D, S> &write,
             const Write<D, S> &base = nullptr)
{
    dvb::add(name + "/" + dvb::size_name(double(nbytes)), goal, [=]() -> dvb::Trial {
        auto m = std::make_shared<Matrix<D, S>>(nbytes);
        char *const dst = m->dense.data();
        const std::size_t n = m->dense.size();
        dvb::Trial trial = {{"", double(n), [=] { write(*m); }},
                            {{"memset", double(n), [=] { dvb::set(dst, n); }},
                             {"past the cache", double(n), [=] { dvb::set_stream(dst, n); }}},
                            [=] { return m->is_right(); }};
        if (base)
            trial.base = {{"scalar", double(n), [=] { base(*m); }}};
        return trial;
    });
}

/* Item by item, without a kernel. */
template <class T> void fill_rows(Matrix<T, T> &m)
{
    T *row = m.dst();
    std::size_t next = 0;
    std::memset(row, 0, m.dense.size());
    for (std::size_t i = 0; i < m.n; i++, row += width)
        for (int32_t k = 0; k < m.rows.counts[i]; k++, next++)
            row[m.rows.indices[next]] = m.items[next];
}

template <class D>
using Densify = void (*dvi_kernel_table::*)(D *, std::size_t, std::size_t, const dv_sparse *,
                                            dvi_store);

template <class D, class S> Write<D, S> write_of(Densify<D> kernel, dv_level level, dvi_store store)
{
    return [=](Matrix<D, S> &m) {
        const dv_sparse rows = m.sparse();
        (dvi_kernels_at(level)->*kernel)(m.dst(), width, width, &rows, store);
    };
}

/* A kernel at every level: in the caches, and beyond them in each of these forms. */
template <class D, class S>
void add_kernel(const std::string &name, Densify<D> kernel, const std::vector<dvi_store> &stores)
{
    const auto add = [&](dv_level level, dvi_store store, std::size_t nbytes) {
        const bool is_base = level == DV_LEVEL_SCALAR;
        add_row<D, S>(name + "/" + dv_level_name(level) + "_" + store_names[store], nbytes, 0,
                      write_of<D, S>(kernel, level, store),
                      is_base ? nullptr
                              : write_of<D, S>(kernel, DV_LEVEL_SCALAR, DVI_STORE_CACHED));
    };
    for (const dv_level level : dvb::levels()) {
        for (const std::size_t kib : {32, 256})
            add(level, DVI_STORE_CACHED, kib << 10);
        for (const dvi_store store : stores)
            if (level != DV_LEVEL_SCALAR || store == DVI_STORE_CACHED)
                add(level, store, dvb::beyond_cache());
    }
}

/* Lines with the same items, made before: what writing them past the cache takes, and nothing else.
 * Not every CPU writes them as fast as zeros. */
template <class T> void add_lines(const std::string &name)
{
    const std::size_t nbytes = dvb::beyond_cache();
    dvb::add(name + "/made/" + dvb::size_name(double(nbytes)), 0, [=]() -> dvb::Trial {
        auto made = std::make_shared<Matrix<T, T>>(std::size_t(16) << 10);
        auto dst = std::make_shared<dvb::Buffer>(nbytes);
        fill_rows(*made);
        const std::size_t piece = made->dense.size() / 64 * 64;
        return {{"", double(nbytes),
                 [=] { dvb::repeat_stream(dst->data(), nbytes, made->dense.data(), piece); }},
                {{"memset", double(nbytes), [=] { dvb::set(dst->data(), nbytes); }},
                 {"past the cache", double(nbytes), [=] { dvb::set_stream(dst->data(), nbytes); }}},
                [=] {
                    const char *const p = dst->data();
                    return made->is_right() && std::memcmp(p, made->dense.data(), piece) == 0 &&
                           std::memcmp(p + piece, p, nbytes - piece) == 0;
                }};
    });
}

/* The public functions, with their goals; then each form of the kernels, for comparison. */
void add_suite()
{
    const std::vector<dvi_store> all = {DVI_STORE_CACHED, DVI_STORE_STREAM, DVI_STORE_REPEAT};
    const std::vector<dvi_store> two = {DVI_STORE_CACHED, DVI_STORE_STREAM};
    const std::size_t large = dvb::beyond_cache();
    add_row<float, float>("column_dense_f4/1%", large, 0.9, fill_by_column<float>);
    add_row<double, double>("column_dense_f8/1%", large, 0.9, fill_by_column<double>);
    add_row<float, float>("csr_dense_f4/f4_1%", large, 0.9, fill_by_csr<float>);
    add_row<float, double>("csr_dense_f4/f8_1%", large, 0.9, fill_by_csr<double>);
    add_lines<uint8_t>("lines_1");
    add_lines<uint16_t>("lines_2");
    add_lines<uint32_t>("lines_4");
    add_lines<uint64_t>("lines_8");
    add_kernel<uint8_t, uint8_t>("densify_1", &dvi_kernel_table::densify_1, all);
    add_kernel<uint16_t, uint16_t>("densify_2", &dvi_kernel_table::densify_2, all);
    add_kernel<uint32_t, uint32_t>("densify_4", &dvi_kernel_table::densify_4, all);
    add_kernel<uint64_t, uint64_t>("densify_8", &dvi_kernel_table::densify_8, all);
    add_kernel<float, double>("densify_f8_f4", &dvi_kernel_table::densify_f8_f4, two);
    add_kernel<float, int32_t>("densify_i4_f4", &dvi_kernel_table::densify_i4_f4, two);
    add_kernel<float, uint8_t>("densify_u1_f4", &dvi_kernel_table::densify_u1_f4, two);
    add_kernel<double, float>("densify_f4_f8", &dvi_kernel_table::densify_f4_f8, two);
}

const dvb::Suite suite("densify", add_suite);

} // namespace
