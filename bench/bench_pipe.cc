/* SPDX-License-Identifier: MIT */
/* bench_pipe.cc: measures pipelines: numbers for words, indicator vectors as CSR, hashes, what a
 * step adds to reading, and two threads beside one.
 *
 * The limits are a copy of the same bytes, XXH3 of the texts one by one, and reading alone.  Peers
 * in Python are in python/bench/rows_pipe.py. */
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace
{

using dvb::fail;
using dvb::own;
using dvb::View;

/* --- Tables of one column, x ------------------------------------------------------------------ */

struct Table {
    std::string bytes;
    std::vector<dv_text> texts;
    View view;
    double nbytes; /* of the values: of texts, with their ends */
};

using Source = std::shared_ptr<Table>;

int64_t rows()
{
    return dvb::is_quick() ? 50000 : 4000000;
}

void make_view(Table &t, const dv_type &type)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_table_column column = {"x", type, t.texts.empty() ? t.bytes.data() : nullptr,
                                    t.texts.empty() ? nullptr : t.texts.data()};
    const dv_status status = dv_table_create(&view, &column, 1, rows(), nullptr, &err);
    t.view = own(status, view, err);
}

/* Texts of 6 to 12 bytes, drawn from so many. */
Source words(uint64_t distinct)
{
    auto t = std::make_shared<Table>();
    dvb::Draws draws(31);
    std::vector<std::size_t> ends;
    for (int64_t i = 0; i < rows(); i++) {
        t->bytes += "word " + std::to_string(draws.below(distinct));
        ends.push_back(t->bytes.size());
    }
    for (std::size_t i = 0, from = 0; i < ends.size(); from = ends[i++])
        t->texts.push_back({t->bytes.data() + from, int64_t(ends[i] - from)});
    t->nbytes = double(t->bytes.size()) + 4.0 * double(rows());
    make_view(*t, dv_type_of(DV_KIND_TX));
    return t;
}

/* Random bits of a type, from 1 to a million if it is a key. */
Source numbers(const dv_type &type, std::size_t width)
{
    auto t = std::make_shared<Table>();
    dvb::Draws draws(32);
    t->bytes.resize(std::size_t(rows()) * width);
    for (std::size_t i = 0; i < t->bytes.size(); i += width) {
        const uint64_t number = type.is_key ? 1 + draws.below(1000000) : draws.next();
        std::memcpy(&t->bytes[i], &number, width);
    }
    t->nbytes = double(t->bytes.size());
    make_view(*t, type);
    return t;
}

/* --- What is measured ------------------------------------------------------------------------- */

View piped(const View &source, const char *steps, int32_t threads)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    const dv_status status = dv_view_pipe(&view, source.get(), {steps, int64_t(std::strlen(steps))},
                                          &options, nullptr, &err);
    return own(status, view, err);
}

/* Read all rows: of keys and numbers each value, of texts their ends.  Any batches, any sum. */
uint32_t read_all(const View &view, int64_t batch_rows = 0, int32_t threads = 1)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    dv_status status;
    uint32_t sum = 0;
    options.threads = threads;
    options.batch_rows = batch_rows;
    if (dv_cursor_open(&cursor, view.get(), &options, &err) != DV_OK)
        fail(err);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        const dv_column_view *x = dv_batch_column(batch, 0);
        const dv_buffer *values =
            x->layout == DV_LAYOUT_TEXT ? &x->as.text.ends : &x->as.fixed.values;
        sum += dvb::read(values->data, values->nbytes / 4 * 4);
    }
    if (status != DV_END)
        fail(err);
    dv_cursor_close(&cursor);
    return sum;
}

/* The sum of the keys of texts: their numbers in the order in which they come first. */
uint32_t sum_of_keys(const Table &t)
{
    std::unordered_map<std::string_view, uint32_t> numbers;
    uint32_t sum = 0;
    for (const dv_text &text : t.texts)
        sum +=
            numbers.try_emplace({text.data, std::size_t(text.nbytes)}, uint32_t(numbers.size() + 1))
                .first->second;
    return sum;
}

dvb::Work copy_of(double nbytes)
{
    auto src = std::make_shared<dvb::Buffer>(std::size_t(nbytes) / 2);
    auto dst = std::make_shared<dvb::Buffer>(std::size_t(nbytes) / 2);
    return {"memcpy", nbytes, [=] { dvb::copy(dst->data(), src->data(), src->size()); }};
}

/* Fit on all rows by one thread, then read the keys. */
dvb::Trial termed(uint64_t distinct)
{
    const Source source = words(distinct);
    const double nbytes = 2 * source->nbytes + 4.0 * double(rows());
    auto sum = std::make_shared<uint32_t>(0);
    return {{"", nbytes, [=] { *sum = read_all(piped(source->view, "term x", 1)); }},
            {copy_of(nbytes)},
            [=] { return *sum == sum_of_keys(*source); }};
}

dvb::Trial indicated(uint64_t distinct)
{
    const Source source = words(distinct);
    const double nbytes = 2 * source->nbytes + 12.0 * double(rows());
    auto entries = std::make_shared<int64_t>(0);
    const auto run = [=] {
        dv_error err = DV_ERROR_INIT;
        dv_csr *csr = nullptr;
        dv_csr_options options = DV_CSR_OPTIONS_INIT;
        options.indptr = DV_KIND_I4;
        options.data = DV_KIND_R4;
        options.threads = 1;
        if (dv_csr_create(&csr, piped(source->view, "onehot x", 1).get(), &options, &err) != DV_OK)
            fail(err);
        *entries = csr->columns == int32_t(distinct) ? csr->entries : -1;
        dv_csr_free(&csr);
    };
    return {{"", nbytes, run}, {copy_of(nbytes)}, [=] { return *entries == rows(); }};
}

dvb::Trial hashed(const dv_type &type, std::size_t width)
{
    const Source source = numbers(type, width);
    const View view = piped(source->view, "hash x bits=20", 1);
    const double nbytes = source->nbytes + 4.0 * double(rows());
    auto sum = std::make_shared<uint32_t>(0);
    return {{"", nbytes, [=] { *sum = read_all(view); }}, {copy_of(nbytes)}, [=] {
                return *sum > 0 && source->nbytes > 0;
            }};
}

dvb::Trial hashed_texts()
{
    const Source source = words(1000000);
    const View view = piped(source->view, "hash x bits=20", 1);
    auto sum = std::make_shared<uint32_t>(0);
    const auto one_by_one = [=] {
        uint64_t all = 0;
        for (const dv_text &text : source->texts)
            all += XXH3_64bits(text.data, std::size_t(text.nbytes));
        dvb::keep(double(all));
    };
    return {{"", source->nbytes, [=] { *sum = read_all(view); }},
            {{"XXH3, one by one", source->nbytes, one_by_one}},
            [=] { return *sum == read_all(view, 777); }};
}

/* --- Steps on a file -------------------------------------------------------------------------- */

/* A raw column x of floats from 0 to 64 in a file beyond the cache. */
struct File {
    dvb::TemporaryFile file{"pipe.idv"};
    int64_t offset = 0;
    std::size_t nbytes = dvb::beyond_cache();
    std::shared_ptr<dv_fitted> fitted;
    uint32_t sum = 0;
};

View opened(const File &f)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_status status = dv_open(&view, f.file.path.c_str(), nullptr, &err);
    return own(status, view, err);
}

std::shared_ptr<dv_fitted> fit(const View &view, const char *steps)
{
    dv_error err = DV_ERROR_INIT;
    dv_pipeline *pipeline = nullptr;
    dv_fitted *fitted = nullptr;
    if (dv_pipeline_parse(&pipeline, {steps, int64_t(std::strlen(steps))}, nullptr, &err) !=
            DV_OK ||
        dv_fit(&fitted, pipeline, view.get(), nullptr, nullptr, &err) != DV_OK)
        fail(err);
    dv_pipeline_release(&pipeline);
    return {fitted, [](dv_fitted *last) { dv_fitted_release(&last); }};
}

std::shared_ptr<File> fitted_file(const char *steps)
{
    constexpr std::size_t block = 262144;
    auto f = std::make_shared<File>();
    const std::size_t n = f->nbytes / 4;
    const std::vector<float> values = dvb::floats(n, 34);
    dvb::IdvWriter writer(f->file.path, int64_t(n), int64_t(block));
    const int column = writer.add("x", dvb::idv_codec("Single"));
    f->offset = writer.offset();
    for (std::size_t i = 0; i < n; i += block)
        writer.block(column, &values[i], 4 * std::min(block, n - i));
    writer.finish();
    f->fitted = fit(opened(*f), steps);
    return f;
}

uint32_t read_file(const File &f, int32_t threads, int64_t batch_rows = 0)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_status status = dv_fitted_apply(&view, f.fitted.get(), opened(f).get(), nullptr, &err);
    return read_all(own(status, view, err), batch_rows, threads);
}

/* From opening the file to the last row. */
dvb::Trial applied(const char *steps)
{
    const auto f = fitted_file(steps);
    return {{"", double(f->nbytes), [=] { f->sum = read_file(*f, 1); }},
            {{"own mapped loop", double(f->nbytes),
              [=] { dvb::keep(dvb::scan_mapped(f->file.path, f->offset, f->nbytes)); }}},
            [=] { return f->sum == read_file(*f, 1, 777); }};
}

/* The share is how much faster two threads are, here and below. */
dvb::Trial applied_by_two(const char *steps)
{
    const auto f = fitted_file(steps);
    return {{"", double(f->nbytes), [=] { f->sum = read_file(*f, 2); }},
            {{"1 thread", double(f->nbytes), [=] { read_file(*f, 1); }}},
            [=] { return f->sum == read_file(*f, 1); },
            {},
            2};
}

dvb::Trial fitted_by_two(uint64_t distinct, const char *steps)
{
    const Source source = words(distinct);
    return {{"", source->nbytes, [=] { piped(source->view, steps, 2); }},
            {{"1 thread", source->nbytes, [=] { piped(source->view, steps, 1); }}},
            [=] { return read_all(piped(source->view, steps, 2)) == sum_of_keys(*source); },
            {},
            2};
}

/* --- All of it -------------------------------------------------------------------------------- */

void add_suite()
{
    const uint64_t most = uint64_t(rows()) / 4;
    dvb::add("pipe_term/fit and apply/1000 distinct", 0, [] { return termed(1000); });
    dvb::add("pipe_term/fit and apply/a quarter distinct", 0, [=] { return termed(most); });
    dvb::add("pipe_onehot/to CSR/100 distinct", 0, [] { return indicated(100); });
    dvb::add("pipe_hash/R4", 0.5, [] { return hashed(dv_type_of(DV_KIND_R4), 4); });
    dvb::add("pipe_hash/I8", 0.5, [] { return hashed(dv_type_of(DV_KIND_I8), 8); });
    dvb::add("pipe_hash/keys", 0.5, [] { return hashed(dv_type_key(DV_KIND_U4, 0, 1000000), 4); });
    dvb::add("pipe_hash/TX", 0.3, hashed_texts);
    dvb::add("pipe_apply/hash R4", 0.6, [] { return applied("hash x bits=20"); });
    dvb::add("pipe_apply/normalize R4", 0.6, [] { return applied("normalize x"); });
    dvb::add("pipe_apply/replacena R4", 0.6, [] { return applied("replacena x"); });
    dvb::add("pipe_apply/isna R4", 0.6, [] { return applied("isna x"); });
    dvb::add("pipe_apply/2 threads/hash R4", 1.8, [] { return applied_by_two("hash x bits=20"); });
    dvb::add("pipe_apply/2 threads/bins of R4", 1.8,
             [] { return applied_by_two("normalize x mode=bin bins=256"); });
    dvb::add("pipe_fit/2 threads/1000 distinct", 1.6, [] { return fitted_by_two(1000, "term x"); });
    dvb::add("pipe_fit/2 threads/a quarter distinct", 1.6,
             [=] { return fitted_by_two(most, "term x"); });
    dvb::skip("pipe/ML.NET", "the programs of ML.NET are not part of this repository");
}

const dvb::Suite suite("pipe", add_suite);

} // namespace
