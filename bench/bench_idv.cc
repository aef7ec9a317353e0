/* SPDX-License-Identifier: MIT */
/* bench_idv.cc: measures reading the columns of an .idv file in the page cache.
 *
 * A subject opens the file, opens a cursor on its column, takes every batch, and closes both.  Raw
 * floats are summed on both sides.  Compressed floats are not summed, since bare libdeflate only
 * inflates; their view stays open, as in a later epoch, since the blocks of the limit are in
 * memory, too.  Text and vectors are only checked and delivered. */
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

namespace
{

using dvb::fail;
using dvb::View;

/* What a scan saw: rows, and the sum of the floats when they were wanted. */
struct Seen {
    int64_t rows;
    double sum;
};

double sum_of(const dv_batch *batch)
{
    double sum = 0;
    for (int32_t k = 0; k < batch->columns; k++) {
        const dv_column_view *column = dv_batch_column(batch, k);
        sum += dvb::sum_f4(column->as.fixed.values.data, static_cast<std::size_t>(column->rows));
    }
    return sum;
}

View open(const std::string &path, dv_io io = DV_IO_MMAP)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    if (dv_open(&view, path.c_str(), &how, &err) != DV_OK)
        fail(err);
    return View(view, [](dv_view *last) { dv_view_release(&last); });
}

Seen scan(const View &view, int32_t threads, bool sums)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    if (dv_cursor_open(&cursor, view.get(), &options, &err) != DV_OK)
        fail(err);
    Seen seen = {0, 0};
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        seen.rows += batch->rows;
        seen.sum += sums ? sum_of(batch) : 0;
    }
    if (status != DV_END)
        fail(err);
    dv_cursor_close(&cursor);
    return seen;
}

/* What all rows of this suite have in common: a file, and a scan of it. */
struct Scan {
    explicit Scan(const std::string &name) : file(name)
    {
    }
    dvb::TemporaryFile file;
    int64_t rows = 0;
    double sum = 0;
    Seen seen = {0, 0};
};

/* --- Floats, stored as they are ------------------------------------------------------------- */

dvb::Trial stored_floats(std::size_t rows_per_block, dv_io io)
{
    auto made = std::make_shared<Scan>("stored.idv");
    const std::size_t nbytes = dvb::beyond_cache(), n = nbytes / 4;
    const std::vector<float> values = dvb::floats(n, 1);
    made->rows = static_cast<int64_t>(n);
    made->sum = dvb::sum_f4(values.data(), n);
    dvb::IdvWriter writer(made->file.path, made->rows, static_cast<int64_t>(rows_per_block));
    const int column = writer.add("x", dvb::idv_codec("Single"));
    const int64_t offset = writer.offset();
    for (std::size_t i = 0; i < n; i += rows_per_block)
        writer.block(column, &values[i], 4 * std::min(rows_per_block, n - i));
    writer.finish();

    const std::string &path = made->file.path;
    const bool is_mapped = io == DV_IO_MMAP;
    const auto own = is_mapped ? dvb::scan_mapped : dvb::scan_pread;
    return {{"", double(nbytes), [=] { made->seen = scan(open(path, io), 1, true); }},
            {{is_mapped ? "own mapped loop" : "own pread loop", double(nbytes),
              [=] { dvb::keep(own(path, offset, nbytes)); }}},
            [=] { return made->seen.rows == made->rows && made->seen.sum == made->sum; }};
}

/* --- Floats, compressed --------------------------------------------------------------------- */

dvb::Trial deflated_floats(std::size_t rows_per_block, int threads)
{
    auto made = std::make_shared<Scan>("deflated.idv");
    auto bytes = std::make_shared<std::vector<std::string>>();
    auto blocks = std::make_shared<std::vector<dvb::Deflated>>();
    const std::size_t nbytes = dvb::beyond_cache() / 4, n = nbytes / 4;
    const std::vector<float> values = dvb::floats(n, 2);
    made->rows = static_cast<int64_t>(n);
    made->sum = dvb::sum_f4(values.data(), n);
    dvb::IdvWriter writer(made->file.path, made->rows, static_cast<int64_t>(rows_per_block));
    const int column = writer.add("x", dvb::idv_codec("Single"), true);
    for (std::size_t i = 0; i < n; i += rows_per_block) {
        const std::size_t rows = std::min(rows_per_block, n - i);
        writer.block(column, &values[i], 4 * rows);
        bytes->push_back(dvb::deflated(&values[i], 4 * rows));
    }
    writer.finish();
    for (std::size_t k = 0; k < bytes->size(); k++)
        blocks->push_back({(*bytes)[k].data(), (*bytes)[k].size(),
                           4 * std::min(rows_per_block, n - k * rows_per_block)});

    const View view = open(made->file.path);
    dvb::Trial trial = {{"", double(nbytes), [=] { made->seen = scan(view, threads, false); }},
                        {{"bare libdeflate", double(nbytes),
                          [=] {
                              (void)bytes; /* keeps what blocks point to */
                              dvb::keep(dvb::inflate(*blocks, threads));
                          }}},
                        [=] {
                            const Seen summed = scan(view, threads, true);
                            return made->seen.rows == made->rows && summed.sum == made->sum;
                        }};
    trial.threads = threads;
    return trial;
}

/* --- Columns that are checked but not inflated ------------------------------------------------ */

/* Texts of 16 bytes. */
dvb::Trial stored_texts(std::size_t rows_per_block)
{
    auto made = std::make_shared<Scan>("texts.idv");
    const std::size_t each = 16, nbytes = dvb::beyond_cache(), n = nbytes / (each + 4);
    const std::string text = dvb::ascii(n * each, 3);
    made->rows = static_cast<int64_t>(n);
    dvb::IdvWriter writer(made->file.path, made->rows, static_cast<int64_t>(rows_per_block));
    const int column = writer.add("x", dvb::idv_codec("TextSpan"));
    const int64_t offset = writer.offset();
    for (std::size_t i = 0; i < n; i += rows_per_block) {
        const std::size_t rows = std::min(rows_per_block, n - i);
        const std::string block = dvb::idv_text_block(&text[i * each], rows, each);
        writer.block(column, block.data(), block.size());
    }
    writer.finish();

    const std::string &path = made->file.path;
    return {{"", double(n * (each + 4)), [=] { made->seen = scan(open(path), 1, false); }},
            {{"own mapped loop", double(n * (each + 4)),
              [=] { dvb::keep(dvb::read_mapped(path, offset, n * (each + 4))); }}},
            [=] { return made->seen.rows == made->rows; }};
}

/* Vectors of 1,000 slots, 1 % filled. */
dvb::Trial stored_vectors(std::size_t rows_per_block)
{
    auto made = std::make_shared<Scan>("vectors.idv");
    const std::size_t count = 10, width = 1000, nbytes = dvb::beyond_cache();
    const std::size_t row_nbytes = 4 + 8 * count, n = nbytes / row_nbytes;
    const dvb::SparseRows rows = dvb::sparse_rows(n, width, 0.01, 4);
    const std::vector<float> items = dvb::floats(n * count, 5);
    made->rows = static_cast<int64_t>(n);
    dvb::IdvWriter writer(made->file.path, made->rows, static_cast<int64_t>(rows_per_block));
    const int column = writer.add("x", dvb::idv_vector_codec("Single", int32_t(width)));
    const int64_t offset = writer.offset();
    for (std::size_t i = 0; i < n; i += rows_per_block) {
        const std::size_t m = std::min(rows_per_block, n - i);
        const std::string block =
            dvb::idv_vector_block(&rows.counts[i], m, int32_t(width), &rows.indices[i * count],
                                  &items[i * count], m * count);
        writer.block(column, block.data(), block.size());
    }
    writer.finish();

    const std::string &path = made->file.path;
    return {{"", double(n * row_nbytes), [=] { made->seen = scan(open(path), 1, false); }},
            {{"own mapped loop", double(n * row_nbytes),
              [=] { dvb::keep(dvb::read_mapped(path, offset, n * row_nbytes)); }}},
            [=] { return made->seen.rows == made->rows; }};
}

/* --- Many columns ---------------------------------------------------------------------------- */

/* Ones in so many columns: all of them are read and summed. */
struct Columns {
    double nbytes;
    std::function<double()> sum;
};

Columns columns_of(int columns)
{
    const auto file = std::make_shared<dvb::TemporaryFile>(std::to_string(columns) + ".idv");
    constexpr int64_t rows_per_block = 8192;
    const int64_t rows = int64_t(dvb::beyond_cache()) / 4 / columns;
    const std::vector<float> ones(std::size_t(rows_per_block), 1);
    dvb::IdvWriter writer(file->path, rows, rows_per_block);
    for (int i = 0; i < columns; i++)
        writer.add("c" + std::to_string(i), dvb::idv_codec("Single"));
    for (int64_t row = 0; row < rows; row += rows_per_block)
        for (int i = 0; i < columns; i++)
            writer.block(i, ones.data(), 4 * std::size_t(std::min(rows_per_block, rows - row)));
    writer.finish();
    return {4.0 * double(rows) * columns, [=] { return scan(open(file->path), 1, true).sum; }};
}

/* Beside few: what each column of the file, and of each batch, costs is to be seen. */
dvb::Trial many_columns(int columns)
{
    const Columns many = columns_of(columns), few = columns_of(8);
    const auto seen = std::make_shared<double>();
    return {{"", many.nbytes, [=] { *seen = many.sum(); }},
            {{"8 columns", few.nbytes, [=] { dvb::keep(few.sum()); }}},
            [=] { return *seen == many.nbytes / 4; }};
}

void add_suite()
{
    for (const int columns : {100, 4096})
        dvb::add("idv_scan_f4/" + std::to_string(columns) + " columns", 0.95,
                 [=] { return many_columns(columns); });

    for (const std::size_t rows : {std::size_t(8192), std::size_t(262144)}) {
        const std::string size = std::to_string(rows);
        dvb::add("idv_scan_f4/stored/" + size, 0.95,
                 [=] { return stored_floats(rows, DV_IO_MMAP); });
        dvb::add("idv_scan_f4/pread/" + size, 0, [=] { return stored_floats(rows, DV_IO_PREAD); });
        dvb::add("idv_scan_f4/deflate_1/" + size, 0.97, [=] { return deflated_floats(rows, 1); });
        dvb::add("idv_scan_f4/deflate_2/" + size, 0.90, [=] { return deflated_floats(rows, 2); });
    }
    dvb::add("idv_scan_text/stored/8192", 0, [] { return stored_texts(8192); });
    dvb::add("idv_scan_sparse/stored/8192", 0, [] { return stored_vectors(8192); });
}

const dvb::Suite suite("idv", add_suite);

} // namespace
