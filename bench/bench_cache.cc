/* SPDX-License-Identifier: MIT */
/* bench_cache.cc: measures the cost and the gain of a cache.
 *
 * The limit of the first pass is the same pass over the source without a cache, which parses text
 * or inflates blocks; that of the second pass is a sum over the same floats in one array. The limit
 * of opening a cache file is a file of a thousandth of its size. */
#include "harness.h"
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace
{

using dvb::fail;
using dvb::View;

using File = std::shared_ptr<dvb::TemporaryFile>;

View owned(dv_view *view)
{
    return View(view, [](dv_view *last) { dv_view_release(&last); });
}

View open_file(const File &file, const char *text)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.text = text;
    if (dv_open(&view, file->path.c_str(), &options, &err) != DV_OK)
        fail(err);
    return owned(view);
}

View cache_of(const View &source)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    if (dv_view_cache(&view, source.get(), nullptr, nullptr, &err) != DV_OK)
        fail(err);
    return owned(view);
}

View cached_file(const View &source, const File &file)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    if (dv_view_cache_disk(&view, source.get(), file->path.c_str(), nullptr, nullptr, &err) !=
        DV_OK)
        fail(err);
    return owned(view);
}

double sum_of(dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    const dv_batch *batch;
    dv_status status;
    double sum = 0;
    if (dv_cursor_open(&cursor, view, nullptr, &err) != DV_OK)
        fail(err);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        sum += dvb::sum_f4(dv_batch_column(batch, 0)->as.fixed.values.data,
                           static_cast<std::size_t>(batch->rows));
    if (status != DV_END)
        fail(err);
    dv_cursor_close(&cursor);
    return sum;
}

/* --- Inputs ----------------------------------------------------------------------------------- */

File text_file(const std::string &name, const std::vector<float> &values)
{
    auto file = std::make_shared<dvb::TemporaryFile>(name);
    std::FILE *out = std::fopen(file->path.c_str(), "w");
    for (const float value : values)
        std::fprintf(out, "%g\n", static_cast<double>(value));
    std::fclose(out);
    return file;
}

constexpr char text_options[] = "col=x:R4:0";

/* The same numbers in deflated blocks. */
File deflated_file(const std::string &name, const View &source)
{
    auto file = std::make_shared<dvb::TemporaryFile>(name);
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    options.compression = DV_COMPRESSION_DEFLATE;
    if (dv_save(source.get(), file->path.c_str(), &options, &err) != DV_OK)
        fail(err);
    return file;
}

/* --- Rows ------------------------------------------------------------------------------------- */

struct Input {
    std::vector<float> values;
    File file;
    View source;
};

std::shared_ptr<Input> make_input(std::size_t n, bool is_deflated)
{
    auto input = std::make_shared<Input>();
    input->values = dvb::floats(n, 7);
    input->file = text_file("cache.txt", input->values);
    input->source = open_file(input->file, text_options);
    if (is_deflated) {
        input->file = deflated_file("cache.idv", input->source);
        input->source = open_file(input->file, nullptr);
    }
    return input;
}

dvb::Trial first_pass(bool is_deflated)
{
    const auto input = make_input(dvb::beyond_cache() / 32, is_deflated);
    const double nbytes = 4.0 * double(input->values.size());
    auto sum = std::make_shared<double>(0);
    return {{"", nbytes, [=] { *sum = sum_of(cache_of(input->source).get()); }},
            {{"the bare source", nbytes, [=] { dvb::keep(sum_of(input->source.get())); }}},
            [=] { return *sum == dvb::sum_f4(input->values.data(), input->values.size()); }};
}

dvb::Trial second_pass()
{
    const auto input = make_input(dvb::beyond_cache() / 16, true);
    const double nbytes = 4.0 * double(input->values.size());
    const View cached = cache_of(input->source);
    auto sum = std::make_shared<double>(sum_of(cached.get()));
    return {{"", nbytes, [=] { *sum = sum_of(cached.get()); }},
            {{"one array", nbytes,
              [=] { dvb::keep(dvb::sum_f4(input->values.data(), input->values.size())); }}},
            [=] { return *sum == dvb::sum_f4(input->values.data(), input->values.size()); }};
}

dvb::Trial reopened()
{
    const std::size_t large = dvb::beyond_cache() / 16, small = large / 1024 + 1;
    const auto a = make_input(small, true), b = make_input(large, true);
    auto few = std::make_shared<dvb::TemporaryFile>("few.cache");
    auto many = std::make_shared<dvb::TemporaryFile>("many.cache");
    cached_file(a->source, few);
    cached_file(b->source, many);
    auto rows = std::make_shared<int64_t>(0);
    return {{"", 1, [=] { *rows = dv_view_rows(cached_file(b->source, many).get()); }},
            {{"a thousandth", 1, [=] { cached_file(a->source, few); }}},
            [=] { return *rows == int64_t(b->values.size()); }};
}

void add_suite()
{
    dvb::add("cache_first/text/R4", 0.9, [] { return first_pass(false); });
    dvb::add("cache_first/deflate/R4", 0.5, [] { return first_pass(true); });
    dvb::add("cache_second/memory/R4", 0.9, [] { return second_pass(); });
    dvb::add("cache_reopen/disk/R4", 0.5, [] { return reopened(); });
}

const dvb::Suite suite("cache", add_suite);

} // namespace
