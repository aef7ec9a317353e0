/* SPDX-License-Identifier: MIT */
/* bench_scale.cc: how time and memory grow with rows, columns, files, blocks, slots, keys and
 * threads.  Opening a file, and a row of it, cost the same however many rows there are; all else is
 * linear.  What need not be written takes no room on disk. */
#include "growth.h"
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include "views.h"
#include <dataview/dataview.h>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

namespace
{

using dvb::fail;
using dvb::own;
using dvb::View;

/* The largest slopes.  What no longer fits the caches costs up to three times as much an item,
 * which adds a fifth to a slope over two decades; a part that is quadratic adds more. */
constexpr double constant = 0.2, linear = 1.35;

using File = std::shared_ptr<dvb::TemporaryFile>;

/* Dense vectors of zeros (idv:5). */
std::string dense_block(int32_t rows, int32_t slots)
{
    const int32_t numbers[] = {rows, slots}, indices = 0, dense = -1;
    std::string block(reinterpret_cast<const char *>(numbers), 8);
    for (int32_t i = 0; i < rows; i++)
        block.append(reinterpret_cast<const char *>(&dense), 4);
    block.append(reinterpret_cast<const char *>(&indices), 4);
    block.resize(block.size() + 4 * std::size_t(rows) * std::size_t(slots));
    return block;
}

/* Zeros, in columns of floats or of vectors of them. */
File zeros(const std::string &name, int64_t rows, int64_t block_rows, int columns = 1,
           int32_t slots = 0)
{
    auto file = std::make_shared<dvb::TemporaryFile>(name);
    dvb::IdvWriter writer(file->path, rows, block_rows);
    const std::string one = dvb::idv_codec("Single");
    for (int i = 0; i < columns; i++)
        writer.add("c" + std::to_string(i), slots ? dvb::idv_vector_codec("Single", slots) : one);
    for (int64_t row = 0; row < rows; row += block_rows)
        for (int i = 0; i < columns; i++) {
            const std::size_t n = std::size_t(std::min(block_rows, rows - row));
            if (slots) {
                const std::string block = dense_block(int32_t(n), slots);
                writer.block(i, block.data(), block.size());
            } else {
                writer.hole(i, 4 * n);
            }
        }
    writer.finish();
    return file;
}

/* What a task has opened. */
struct Opened {
    std::vector<std::string> paths;
    std::vector<File> files;
    View view;
    dv_cursor *cursor = nullptr;
    dv_feed *feed = nullptr;
    dv_csr *csr = nullptr;
    dv_buffer saved = {};
};
using State = std::shared_ptr<Opened>;

void open(Opened &s)
{
    std::vector<const char *> paths;
    for (const std::string &path : s.paths)
        paths.push_back(path.c_str());
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_status status =
        dv_open_many(&view, paths.data(), int32_t(paths.size()), nullptr, &err);
    s.view = own(status, view, err);
    if (dv_schema_columns(dv_view_schema(view)) == 0)
        std::fputs("a file without columns\n", stderr), std::exit(1);
}

/* The batches from a row on: the first one, or all. */
void read(Opened &s, int64_t first_row, bool all, int32_t threads = 1)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first_row;
    options.take = all ? -1 : 1;
    options.threads = threads;
    dv_status status = dv_cursor_open(&s.cursor, s.view.get(), &options, &err);
    const dv_batch *batch;
    while (status == DV_OK) {
        status = dv_cursor_next(s.cursor, &batch, &err);
        if (!all)
            break;
    }
    if (status < 0)
        fail(err);
}

void close(Opened &s, bool keeps_view)
{
    dv_feed_close(&s.feed);
    dv_cursor_close(&s.cursor);
    dv_buffer_release(&s.saved);
    dv_csr_free(&s.csr);
    if (!keeps_view)
        s.view.reset();
}

dvb::Task task(const State &s, std::function<void(Opened &)> run, bool keeps_view = false)
{
    return {[=] { run(*s); }, [=] { close(*s, keeps_view); }};
}

State state_of(const File &file)
{
    auto s = std::make_shared<Opened>();
    s->files = {file};
    s->paths = {file->path};
    return s;
}

void open_and_row(Opened &s)
{
    open(s);
    read(s, 0, false);
}

/* --- Rows and blocks ----------------------------------------------------------------------------
 */

constexpr int64_t block_rows = 8192;

void add_rows()
{
    const auto row = [](const std::string &name, std::function<void(Opened &, int64_t)> run) {
        dvb::add_growth("rows/" + name, constant, 0.4, dvb::sizes(1e3, 1e9), [=](double n) {
            return task(state_of(zeros("rows.idv", int64_t(n), block_rows)),
                        [=](Opened &s) { run(s, int64_t(n)); });
        });
    };
    row("open", [](Opened &s, int64_t) { open_and_row(s); });
    row("row", [](Opened &s, int64_t n) {
        open(s);
        read(s, n / 2, false);
    });
    /* A batch of 32 rows touches up to 32 blocks. */
    row("shuffled", [](Opened &s, int64_t) {
        open(s);
        dv_error err = DV_ERROR_INIT;
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        dv_feed_options options = DV_FEED_OPTIONS_INIT;
        order.shuffle = DV_SHUFFLE_UNIFORM;
        options.order = &order;
        options.batch_rows = 32;
        const dv_feed_batch *batch;
        if (dv_feed_open(&s.feed, s.view.get(), &options, &err) < 0 ||
            dv_feed_next(s.feed, &batch, &err) < 0)
            fail(err);
    });
    dvb::add_growth("rows/scan", linear, constant, dvb::sizes(1e3, 1e8), [](double n) {
        return task(state_of(zeros("rows.idv", int64_t(n), block_rows)), [](Opened &s) {
            open(s);
            read(s, 0, true);
        });
    });
    dvb::add_growth("blocks/open", linear, linear, dvb::sizes(10, 1e6), [](double n) {
        return task(state_of(zeros("blocks.idv", int64_t(n), 1)), open_and_row);
    });
    dvb::add_growth("blocks/scan", linear, linear, dvb::sizes(10, 1e6), [](double n) {
        return task(state_of(zeros("blocks.idv", int64_t(n), 1)), [](Opened &s) {
            open(s);
            read(s, 0, true);
        });
    });
}

/* --- Columns and files -------------------------------------------------------------------------
 */

/* A heading, and two rows of numbers. */
File csv(int columns)
{
    auto file = std::make_shared<dvb::TemporaryFile>("columns.csv");
    std::FILE *out = std::fopen(file->path.c_str(), "w");
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < columns; i++)
            std::fprintf(out, "%s%d%c", row ? "" : "c", i, i + 1 < columns ? ',' : '\n');
    std::fclose(out);
    return file;
}

void save(Opened &s)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    options.threads = 1;
    if (dv_save_memory(s.view.get(), &s.saved, &options, &err) < 0)
        fail(err);
}

void add_columns()
{
    const std::vector<double> sizes = dvb::sizes(1, 1e5);
    dvb::add_growth("columns/open", linear, linear, sizes, [](double n) {
        return task(state_of(zeros("columns.idv", 10, 10, int(n))), open_and_row);
    });
    dvb::add_growth("columns/csv", linear, linear, sizes,
                    [](double n) { return task(state_of(csv(int(n))), open_and_row); });
    dvb::add_growth("columns/save", linear, linear, sizes, [](double n) {
        const State s = state_of(zeros("columns.idv", 10, 10, int(n)));
        open(*s);
        return task(s, save, true);
    });
}

/* --- Slots of a vector --------------------------------------------------------------------------
 */

/* One row with five items among so many slots. */
File sparse(int32_t slots)
{
    auto file = std::make_shared<dvb::TemporaryFile>("sparse.idv");
    dvb::IdvWriter writer(file->path, 1, 1);
    const int column = writer.add("x", dvb::idv_vector_codec("Single", slots));
    const int32_t count = 5;
    int32_t indices[count];
    const float items[count] = {1, 1, 1, 1, 1};
    for (int32_t i = 0; i < count; i++)
        indices[i] = int32_t(int64_t(slots) * i / count);
    const std::string block = dvb::idv_vector_block(&count, 1, slots, indices, items, count);
    writer.block(column, block.data(), block.size());
    writer.finish();
    return file;
}

void fit(Opened &s, dv_view *source, const char *steps)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = 1;
    const dv_status status =
        dv_view_pipe(&view, source, {steps, int64_t(std::strlen(steps))}, &options, nullptr, &err);
    s.view = own(status, view, err);
}

void matrix(Opened &s, std::vector<float> &to)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    if (dv_view_dense(s.view.get(), DV_KIND_R4, to.data(), 1, to.size(), &options, nullptr, nullptr,
                      &err) < 0)
        fail(err);
}

void csr(Opened &s)
{
    dv_error err = DV_ERROR_INIT;
    dv_csr_options options = DV_CSR_OPTIONS_INIT;
    options.threads = 1;
    if (dv_csr_create(&s.csr, s.view.get(), &options, &err) < 0)
        fail(err);
}

/* One row.  Where it lies in the file its slots cost nothing; nor do those of a sparse one. */
void add_slots()
{
    const std::vector<double> sizes = dvb::sizes(10, 1e8);
    const auto row = [=](const std::string &name, double most, double most_memory,
                         std::function<void(Opened &, std::vector<float> &)> run) {
        dvb::add_growth("slots/" + name, most, most_memory, sizes, [=](double n) {
            const State s = state_of(zeros("slots.idv", 1, 1, 1, int32_t(n)));
            const auto to = std::make_shared<std::vector<float>>(std::size_t(n));
            open(*s);
            return task(
                s, [=](Opened &opened) { run(opened, *to); }, true);
        });
    };
    /* the system looks for the pages that it is to read ahead */
    dvb::add_growth("slots/row", 0.5, constant, sizes, [](double n) {
        return task(state_of(zeros("slots.idv", 1, 1, 1, int32_t(n))), open_and_row);
    });
    row("matrix", linear, constant, matrix);
    row("save", linear, linear, [](Opened &s, std::vector<float> &) { save(s); });
    /* it learns from at most 2^24 slots */
    dvb::add_growth("slots/normalize", linear, linear, dvb::sizes(10, 1e7), [](double n) {
        const State source = state_of(zeros("slots.idv", 1, 1, 1, int32_t(n)));
        open(*source);
        return task(std::make_shared<Opened>(), [=](Opened &s) {
            fit(s, source->view.get(), "normalize c0");
            read(s, 0, true);
        });
    });
    dvb::add_growth("slots/sparse", constant, constant, sizes, [](double n) {
        const State s = state_of(sparse(int32_t(n)));
        open(*s);
        return task(s, csr, true);
    });
}

/* One file under many names. */
State many(int n)
{
    const State s = state_of(zeros("files.idv", 10, 10));
    s->paths.clear();
    for (int i = 0; i < n; i++) {
        s->files.push_back(
            std::make_shared<dvb::TemporaryFile>("file" + std::to_string(i) + ".idv"));
        s->paths.push_back(s->files.back()->path);
        if (link(s->files.front()->path.c_str(), s->paths.back().c_str()) != 0)
            std::perror("link"), std::exit(1);
    }
    return s;
}

void add_files()
{
    dvb::add_growth("files/open", linear, linear, dvb::sizes(1, 1e4),
                    [](double n) { return task(many(int(n)), open_and_row); });
    dvb::add_growth("files/scan", linear, linear, dvb::sizes(1, 1e4), [](double n) {
        return task(many(int(n)), [](Opened &s) {
            open(s);
            read(s, 0, true);
        });
    });
}

/* --- Keys and threads ---------------------------------------------------------------------------
 */

/* Whole numbers in memory, each of them once. */
struct Numbers : Opened {
    std::vector<int64_t> values;
};

State numbers(int64_t n)
{
    auto s = std::make_shared<Numbers>();
    for (int64_t i = 0; i < n; i++)
        s->values.push_back(i * 7);
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_table_column column = {"x", dv_type_of(DV_KIND_I8), s->values.data(), nullptr};
    const dv_status status = dv_table_create(&view, &column, 1, n, nullptr, &err);
    s->view = own(status, view, err);
    return s;
}

/* Texts, each of them once. */
State texts(int64_t n)
{
    std::string utf8;
    std::vector<int64_t> ends = {0};
    for (int64_t i = 0; i < n; i++) {
        utf8 += std::to_string(i * 7);
        ends.push_back(int64_t(utf8.size()));
    }
    std::vector<dv_text> values;
    for (std::size_t i = 0; i < std::size_t(n); i++)
        values.push_back({&utf8[std::size_t(ends[i])], ends[i + 1] - ends[i]});
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_table_column column = {"x", dv_type_of(DV_KIND_TX), nullptr, values.data()};
    auto s = std::make_shared<Opened>();
    const dv_status status = dv_table_create(&view, &column, 1, n, nullptr, &err);
    s->view = own(status, view, err);
    return s;
}

/* The largest size, at most `most`, of which half of the free memory holds so many bytes each. */
double most_of(double nbytes, double most)
{
    const double bytes = 0.5 * double(sysconf(_SC_AVPHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    while (most * nbytes > bytes)
        most /= 10;
    return most;
}

/* Learning a dictionary; learning it and then reading the keys of all rows. */
void add_keys()
{
    const auto row = [](const std::string &name, double last, State (*make)(int64_t), bool reads) {
        dvb::add_growth("keys/" + name, linear, linear, dvb::sizes(10, last), [=](double n) {
            const State source = make(int64_t(n));
            return task(std::make_shared<Opened>(), [=](Opened &s) {
                fit(s, source->view.get(), "term x max=200000000");
                if (reads)
                    read(s, 0, true);
            });
        });
    };
    row("learn", most_of(80, 1e8), numbers, false);
    row("read", most_of(80, 1e7), numbers, true);
    row("texts", most_of(120, 1e7), texts, false);
}

/* Deflated blocks of the same number, inflated by so many threads. */
dvb::Task inflating(double threads)
{
    const int64_t rows = dvb::is_quick() ? 1 << 18 : 1 << 23;
    auto file = std::make_shared<dvb::TemporaryFile>("threads.idv");
    dvb::IdvWriter writer(file->path, rows, block_rows);
    const int column = writer.add("x", dvb::idv_codec("Single"), true);
    for (int64_t row = 0; row < rows; row += block_rows) {
        const std::vector<float> values = dvb::floats(std::size_t(block_rows), uint64_t(row));
        writer.block(column, values.data(), 4 * values.size());
    }
    writer.finish();
    dvb::Task inflate = task(state_of(file), [=](Opened &s) {
        open(s);
        read(s, 0, true, int32_t(threads));
    });
    inflate.is_by_clock = true;
    return inflate;
}

/* More threads take less time, if each has a CPU.  One alone has a block and no ring of them, so
 * that memory grows from two on. */
void add_threads()
{
    const unsigned cpus = std::thread::hardware_concurrency();
    if (cpus > 1)
        dvb::add_growth_of_time("threads/inflate", -0.7, dvb::sizes(1, cpus, 2), inflating);
    dvb::add_growth_of_memory("threads/inflate", linear, dvb::sizes(2, 16, 2), inflating);
}

void add_suite()
{
    add_rows();
    add_columns();
    add_slots();
    add_files();
    add_keys();
    add_threads();
}

const dvb::Suite suite("scale", add_suite);

} // namespace
