/* SPDX-License-Identifier: MIT */
/* bench_views.cc: measures the cost of chains of views per row, per batch, until the first batch,
 * and in memory.
 *
 * The limit of a chain of five views that lend, and of one whose views compute, is the source
 * alone. Latency, memory and tokens are counts; nanoseconds are the minimum of many runs. */
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace
{

using dvb::fail;
using dvb::own;
using dvb::View;

using File = std::shared_ptr<dvb::TemporaryFile>;

constexpr int columns = 8;

dv_text text_of(const char *text)
{
    return dv_text{text, int64_t(std::strlen(text))};
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Columns "0" to "7" of floats, all the same. */
File idv_file(std::size_t nbytes, int64_t rows_per_block, bool is_deflated)
{
    auto file = std::make_shared<dvb::TemporaryFile>("views.idv");
    const std::size_t rows = nbytes / 4 / columns, each = std::size_t(rows_per_block);
    const std::vector<float> values = dvb::floats(rows, 3);
    dvb::IdvWriter writer(file->path, int64_t(rows), rows_per_block);
    for (int k = 0; k < columns; k++)
        writer.add(std::to_string(k), dvb::idv_codec("Single"), is_deflated);
    for (std::size_t i = 0; i < rows; i += each)
        for (int k = 0; k < columns; k++)
            writer.block(k, &values[i], 4 * std::min(each, rows - i));
    writer.finish();
    return file;
}

View open(const std::string &path, const dv_allocator *allocator = nullptr)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.allocator = allocator;
    const dv_status status = dv_open(&view, path.c_str(), &how, &err);
    return own(status, view, err);
}

/* --- Chains ----------------------------------------------------------------------------------- */

View take(const View &source, int64_t skip, int64_t rows, const dv_allocator *allocator)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_status status = dv_view_slice(&view, source.get(), skip, rows, allocator, &err);
    return own(status, view, err);
}

/* Nothing is computed; every batch points into the file. */
View lending(const View &source, const dv_allocator *allocator)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_column_spec copied = {text_of("0"), text_of("8")};
    const dv_text dropped = text_of("0");
    const dv_column_spec chosen[] = {{text_of("7"), text_of("a")}, {text_of("6"), text_of("b")},
                                     {text_of("5"), text_of("c")}, {text_of("4"), text_of("d")},
                                     {text_of("3"), text_of("e")}, {text_of("2"), text_of("f")},
                                     {text_of("1"), text_of("g")}, {text_of("8"), text_of("h")}};
    View chain = take(source, 0, -1, allocator);
    dv_status status = dv_view_copy(&view, chain.get(), &copied, 1, allocator, &err);
    chain = own(status, view, err);
    status = dv_view_drop(&view, chain.get(), &dropped, 1, allocator, &err);
    chain = own(status, view, err);
    status = dv_view_select(&view, chain.get(), chosen, columns, DV_HIDDEN_DROP, allocator, &err);
    chain = own(status, view, err);
    return take(chain, 0, dv_view_rows(chain.get()), allocator);
}

/* Rows that pass tests of two columns, all and three of four; a number for each; a column of other
 * type; and a vector of four. */
View computing(const View &source, const dv_allocator *allocator)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_range all = {}, some = {};
    all.has_min = some.has_max = true;
    some.max = 48;
    const dv_generated counted = {text_of("n"), 0, true};
    const dv_conversion_spec wider = {text_of("1"), text_of("1"), dv_type_of(DV_KIND_R8)};
    const dv_column_spec parts[] = {{text_of("2"), text_of("2")},
                                    {text_of("3"), text_of("3")},
                                    {text_of("4"), text_of("4")},
                                    {text_of("5"), text_of("5")}};
    dv_status status =
        dv_view_filter_range(&view, source.get(), text_of("0"), &all, allocator, &err);
    View chain = own(status, view, err);
    status = dv_view_generate(&view, chain.get(), &counted, 1, allocator, &err);
    chain = own(status, view, err);
    status = dv_view_convert(&view, chain.get(), &wider, 1, allocator, &err);
    chain = own(status, view, err);
    status = dv_view_combine(&view, chain.get(), text_of("v"), parts, 4, allocator, &err);
    chain = own(status, view, err);
    status = dv_view_filter_range(&view, chain.get(), text_of("6"), &some, allocator, &err);
    return own(status, view, err);
}

using Chain = View(const View &source, const dv_allocator *allocator);

View bare(const View &source, const dv_allocator *)
{
    return source;
}

/* --- Reading ---------------------------------------------------------------------------------- */

struct Totals {
    int64_t rows, batches;
    double sum; /* of the fixed columns of R4, if it was wanted */
};

/* only: the columns of the file that the chain lends, in its order; nullptr: all. */
Totals read_all(dv_view *view, bool sums, const int32_t *only = nullptr)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    dv_status status;
    Totals totals = {0, 0, 0};
    options.threads = 1;
    options.columns = only;
    options.columns_count = only ? columns : -1;
    if (dv_cursor_open(&cursor, view, &options, &err) != DV_OK)
        fail(err);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        totals.rows += batch->rows;
        totals.batches++;
        for (int32_t k = 0; sums && k < batch->columns; k++) {
            const dv_column_view *column = dv_batch_column(batch, k);
            if (column->layout == DV_LAYOUT_FIXED && column->type.kind == DV_KIND_R4)
                totals.sum += dvb::sum_f4(column->as.fixed.values.data, std::size_t(batch->rows));
        }
    }
    if (status != DV_END)
        fail(err);
    dv_cursor_close(&cursor);
    return totals;
}

double ns_since(std::chrono::steady_clock::time_point start)
{
    return double(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
}

/* The least time of a call, which is the undisturbed one. */
double least_ns(const std::function<void()> &call, int times)
{
    double least = 1e18;
    call();
    for (int i = 0; i < (dvb::is_quick() ? 3 : times); i++) {
        const auto start = std::chrono::steady_clock::now();
        call();
        least = std::min(least, ns_since(start));
    }
    return least;
}

/* --- What a chain adds ------------------------------------------------------------------------ */

/* Every value is read once on both sides, in the same order: memory is read faster forwards. */
dvb::Trial scanned(Chain *chain, int64_t rows_per_block)
{
    static const int32_t lent[columns] = {7, 6, 5, 4, 3, 2, 1, 0};
    const std::size_t nbytes = dvb::beyond_cache();
    const File file = idv_file(nbytes, rows_per_block, false);
    const View source = open(file->path), view = chain(source, nullptr);
    const int32_t *const only = chain == lending ? lent : nullptr;
    auto totals = std::make_shared<Totals>();
    return {
        {"", double(nbytes), [=] { *totals = read_all(view.get(), true); }},
        {{"bare source", double(nbytes),
          [=] { dvb::keep(read_all(source.get(), true, only).sum + double(file->path.size())); }}},
        [=] { return totals->sum > 0 && totals->rows > 0; }};
}

/* No value is read: only the work per batch remains. */
dvb::Count batches(Chain *chain)
{
    const File file = idv_file(std::size_t(8) << 20, 256, false);
    const View source = open(file->path), view = chain(source, nullptr);
    const Totals totals = read_all(source.get(), false);
    const double own_ns = least_ns([&] { read_all(view.get(), false); }, 21);
    const double bare_ns = least_ns([&] { read_all(source.get(), false); }, 21);
    return {own_ns / double(totals.batches), bare_ns / double(totals.batches), "ns", "bare source"};
}

/* --- Latency of the first batch --------------------------------------------------------------- */

/* Open, make the chain, open a cursor, take a batch, and close all again. */
void take_first(const std::string &path, Chain *chain)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    const dv_batch *batch;
    const View view = chain(open(path), nullptr);
    if (dv_cursor_open(&cursor, view.get(), nullptr, &err) != DV_OK ||
        dv_cursor_next(cursor, &batch, &err) != DV_OK)
        fail(err);
    dv_cursor_close(&cursor);
}

/* The minimum: the first and the last 64 KiB, by descriptor. */
void read_ends(const std::string &path)
{
    static char bytes[1 << 16];
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const off_t end = lseek(fd, 0, SEEK_END);
    if (fd < 0 || pread(fd, bytes, sizeof bytes, 0) < 0 ||
        pread(fd, bytes, sizeof bytes, std::max<off_t>(end - off_t(sizeof bytes), 0)) < 0)
        std::exit(1);
    close(fd);
}

dvb::Count first_batch(const File &file, Chain *chain)
{
    const double own_ns = least_ns([&] { take_first(file->path, chain); }, 101);
    return {own_ns, least_ns([&] { read_ends(file->path); }, 101), "ns", "two reads, 64 KiB"};
}

/* The rows of a raw .idv file in another format. */
File saved(const char *name, const File &file, Chain *chain)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    auto other = std::make_shared<dvb::TemporaryFile>(name);
    options.sync = false;
    options.datadings = "key=rownumber";
    if (dv_save(chain(open(file->path), nullptr).get(), other->path.c_str(), &options, &err) !=
        DV_OK)
        fail(err);
    return other;
}

/* One column of vectors of R8, as BTable has it. */
View vectors(const View &source, const dv_allocator *)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    std::vector<dv_conversion_spec> wider;
    std::vector<dv_column_spec> parts;
    static const char *const names[columns] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    for (const char *name : names) {
        wider.push_back({text_of(name), text_of(name), dv_type_of(DV_KIND_R8)});
        parts.push_back({text_of(name), text_of(name)});
    }
    dv_status status = dv_view_convert(&view, source.get(), wider.data(), columns, nullptr, &err);
    View chain = own(status, view, err);
    status = dv_view_combine(&view, chain.get(), text_of("Features"), parts.data(), columns,
                             nullptr, &err);
    chain = own(status, view, err);
    const dv_text kept = text_of("Features");
    status = dv_view_keep(&view, chain.get(), &kept, 1, nullptr, &err);
    return own(status, view, err);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Counts what the library holds. */
struct Meter {
    std::size_t live = 0, highest = 0;
    dv_allocator allocator = {allocate, release, this};

    static void *allocate(void *ctx, std::size_t nbytes, std::size_t alignment)
    {
        Meter *meter = static_cast<Meter *>(ctx);
        const std::size_t whole = (nbytes + alignment - 1) / alignment * alignment;
        meter->live += nbytes;
        meter->highest = std::max(meter->highest, meter->live);
        return std::aligned_alloc(alignment, whole);
    }
    static void release(void *ctx, void *memory, std::size_t nbytes)
    {
        static_cast<Meter *>(ctx)->live -= nbytes;
        std::free(memory);
    }
};

/* The maximum of memory while all rows are read, next to the bytes of all columns of a block of
 * 8,192 rows. */
dvb::Count memory_of(const File &file, Chain *chain)
{
    Meter meter;
    read_all(chain(open(file->path, &meter.allocator), &meter.allocator).get(), false);
    return {double(meter.highest), 4.0 * columns * 8192, "B", "8,192 rows"};
}

/* --- Tokens ----------------------------------------------------------------------------------- */

/* Open at a token in the middle and take a batch, beside the same at the first row. */
dvb::Count resumed(const File &file, Chain *chain)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const View view = chain(open(file->path), nullptr);
    const int64_t middle = read_all(view.get(), false).rows / 2;
    dv_row_cursor *cursor = nullptr;
    dv_token token;
    if (dv_row_cursor_open(&cursor, view.get(), nullptr, &err) != DV_OK ||
        dv_row_skip(cursor, middle, &err) != DV_OK || dv_row_token(cursor, &token, &err) != DV_OK)
        fail(err);
    dv_row_cursor_close(&cursor);
    const auto take_batch = [&] {
        dv_cursor *at = nullptr;
        const dv_batch *batch;
        if (dv_cursor_open(&at, view.get(), &options, &err) != DV_OK ||
            dv_cursor_next(at, &batch, &err) != DV_OK)
            fail(err);
        dv_cursor_close(&at);
    };
    const double first_ns = least_ns(take_batch, 101);
    options.token = token.text;
    return {least_ns(take_batch, 101), first_ns, "ns", "at the first row"};
}

/* A view's first token, which reads the file, beside another one of it. */
dvb::Count tokens(const File &file)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    dv_token token;
    const auto ask = [&] {
        if (dv_cursor_token(cursor, &token, &err) != DV_OK)
            fail(err);
    };
    const auto open_cursor = [&](const View &view) {
        if (dv_cursor_open(&cursor, view.get(), nullptr, &err) != DV_OK)
            fail(err);
    };
    double first = 1e18;
    for (int i = 0; i < 21; i++) {
        const View view = open(file->path);
        open_cursor(view);
        const auto start = std::chrono::steady_clock::now();
        ask();
        first = std::min(first, ns_since(start));
        dv_cursor_close(&cursor);
    }
    const View view = open(file->path);
    open_cursor(view);
    const double again = least_ns(ask, 1001);
    dv_cursor_close(&cursor);
    return {first, again, "ns", "a later token"};
}

/* --- All of it -------------------------------------------------------------------------------- */

std::size_t small_nbytes()
{
    return std::size_t(dvb::is_quick() ? 1 : 32) << 20;
}

void add_formats()
{
    struct Format {
        const char *name;
        File (*make)();
    };
    static const Format formats[] = {
        {"idv_raw", [] { return idv_file(small_nbytes(), 8192, false); }},
        {"idv_deflate", [] { return idv_file(small_nbytes(), 8192, true); }},
        {"btable",
         [] { return saved("views.btable", idv_file(small_nbytes(), 8192, false), vectors); }},
        {"datadings",
         [] { return saved("views.msgpack", idv_file(small_nbytes(), 8192, false), bare); }},
        {"text", [] { return saved("views.tsv", idv_file(small_nbytes(), 8192, false), bare); }},
    };
    for (const Format &format : formats) {
        const std::string name = format.name;
        dvb::add_count("views_first_batch/" + name, 0,
                       [=] { return first_batch(format.make(), bare); });
        dvb::add_count("views_memory/" + name, 0, [=] { return memory_of(format.make(), bare); });
        dvb::add_count("views_resumed/" + name, 0, [=] { return resumed(format.make(), bare); });
    }
}

void add_suite()
{
    for (const int64_t rows : {int64_t(256), int64_t(8192)}) {
        const std::string size = std::to_string(rows);
        dvb::add("views_scan_f4/five_lending/" + size, 0.95,
                 [=] { return scanned(lending, rows); });
        dvb::add("views_scan_f4/five_computing/" + size, 0,
                 [=] { return scanned(computing, rows); });
    }
    dvb::add_count("views_batch/five_lending", 0, [] { return batches(lending); });
    dvb::add_count("views_batch/five_computing", 0, [] { return batches(computing); });
    const auto raw = [] { return idv_file(small_nbytes(), 8192, false); };
    dvb::add_count("views_first_batch/five_lending", 0,
                   [=] { return first_batch(raw(), lending); });
    dvb::add_count("views_first_batch/five_computing", 0,
                   [=] { return first_batch(raw(), computing); });
    dvb::add_count("views_memory/five_lending", 0, [=] { return memory_of(raw(), lending); });
    dvb::add_count("views_memory/five_computing", 0, [=] { return memory_of(raw(), computing); });
    dvb::add_count("views_resumed/five_lending", 0, [=] { return resumed(raw(), lending); });
    dvb::add_count("views_resumed/five_computing", 0, [=] { return resumed(raw(), computing); });
    dvb::add_count("views_token/idv_raw", 0, [=] { return tokens(raw()); });
    add_formats();
}

const dvb::Suite suite("views", add_suite);

} // namespace
