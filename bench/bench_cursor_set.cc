/* SPDX-License-Identifier: MIT */
/* bench_cursor_set.cc: measures chains of views with two threads.
 *
 * The limit is twice the speed of one thread that reads the same rows from a plain cursor. Columns:
 * 4 reals, 2 integers, one text. */
#include "harness.h"
#include "inputs.h"
#include <dataview/dataview.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace
{

void must(dv_status status, const dv_error &err)
{
    if (status < 0) {
        std::fprintf(stderr, "%s\n", err.message);
        std::exit(1);
    }
}

/* A table in memory, as a user's view. */
struct Table {
    std::vector<float> reals;
    std::vector<int32_t> whole, ends;
    std::string text;
    int64_t rows;
};

constexpr int64_t kBlock = 8192;
constexpr int kReals = 4, kWhole = 2, kColumns = kReals + kWhole + 1;

struct Reader {
    const Table *table;
    const dv_cursor_request *request;
    int64_t row;
};

int64_t count_rows(void *self)
{
    return static_cast<Table *>(self)->rows;
}

dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out, dv_error *)
{
    *cursor_out = new Reader{static_cast<Table *>(self), request, request->first_row};
    return DV_OK;
}

void close_walk(void *cursor)
{
    delete static_cast<Reader *>(cursor);
}

dv_buffer slice(const void *data, int64_t at, int64_t n, std::size_t width)
{
    dv_buffer buffer = {};
    buffer.data = static_cast<const char *>(data) + std::size_t(at) * width;
    buffer.nbytes = std::size_t(n) * width;
    buffer.is_borrowed = buffer.is_aligned = true;
    return buffer;
}

dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    Reader *w = static_cast<Reader *>(cursor);
    const Table *t = w->table;
    const int64_t last = w->request->end_row < t->rows ? w->request->end_row : t->rows;
    int64_t n = last - w->row < kBlock ? last - w->row : kBlock;
    if (n <= 0)
        return DV_END;
    dv_status status = dv_batch_start(batch, w->row, n, err);
    for (int32_t k = 0; k < w->request->columns_count && status == DV_OK; k++) {
        const int c = w->request->columns[k];
        dv_column_view view = {};
        view.type = dv_schema_column(w->request->schema, c)->type;
        view.rows = n;
        view.layout = DV_LAYOUT_FIXED;
        if (c < kReals) {
            view.as.fixed.values = slice(&t->reals[std::size_t(c * t->rows)], w->row, n, 4);
        } else if (c < kReals + kWhole) {
            view.as.fixed.values =
                slice(&t->whole[std::size_t((c - kReals) * t->rows)], w->row, n, 4);
        } else {
            view.layout = DV_LAYOUT_TEXT;
            view.as.text.utf8 = slice(t->text.data(), 0, int64_t(t->text.size()), 1);
            view.as.text.first = w->row > 0 ? t->ends[std::size_t(w->row - 1)] : 0;
            view.as.text.ends = slice(t->ends.data(), w->row, n, 4);
        }
        status = dv_batch_fill(batch, k, &view, err);
    }
    w->row += n;
    return status;
}

Table make_table(int64_t rows)
{
    Table t;
    t.rows = rows;
    t.reals = dvb::floats(std::size_t(rows * kReals), 1);
    dvb::Draws draws(2);
    for (int64_t i = 0; i < rows * kWhole; i++)
        t.whole.push_back(int32_t(draws.below(1000)));
    for (int64_t i = 0; i < rows; i++) {
        char number[32];
        std::snprintf(number, sizeof number, "%.3f", double(draws.below(1000000)) / 1000);
        t.text += number;
        t.ends.push_back(int32_t(t.text.size()));
    }
    return t;
}

dv_view *view_of(Table *table)
{
    static const dv_view_class cls = [] {
        dv_view_class c = {};
        c.size = sizeof c;
        c.kind = "table";
        c.rows = count_rows;
        c.open_cursor = open_walk;
        c.next = next;
        c.close_cursor = close_walk;
        return c;
    }();
    static const char *const names[kColumns] = {"a", "b", "c", "d", "m", "n", "t"};
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema;
    dv_view *view;
    must(dv_schema_create(&schema, nullptr, &err), err);
    for (int i = 0; i < kColumns; i++) {
        const dv_kind kind = i < kReals            ? DV_KIND_R4
                             : i < kReals + kWhole ? DV_KIND_I4
                                                   : DV_KIND_TX;
        const dv_type type = dv_type_of(kind);
        must(dv_schema_add(schema, dv_text_of(names[i]), &type, nullptr, &err), err);
    }
    must(dv_view_create(&view, &cls, table, &schema, nullptr, &err), err);
    return view;
}

/* --- Chains ----------------------------------------------------------------------------------- */

dv_view *convert(dv_view *source)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    std::vector<dv_conversion_spec> specs;
    for (const char *name : {"a", "b", "c", "d", "m", "n"})
        specs.push_back({dv_text_of(name), dv_text_of(nullptr), dv_type_of(DV_KIND_R8)});
    specs.push_back({dv_text_of("t"), dv_text_of(nullptr), dv_type_of(DV_KIND_R4)});
    must(dv_view_convert(&view, source, specs.data(), int32_t(specs.size()), nullptr, &err), err);
    dv_view_release(&source);
    return view;
}

dv_view *filter(dv_view *source)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    const dv_condition half = {dv_text_of("m"), DV_IS_LESS, dv_text_of("500")};
    must(dv_view_filter(&view, source, &half, 1, nullptr, &err), err);
    dv_view_release(&source);
    return view;
}

dv_view *nothing(dv_view *source)
{
    return source;
}

dv_view *filter_convert(dv_view *source)
{
    return convert(filter(source));
}

/* Every batch; the rows. */
int64_t scan(dv_view *view, int threads)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_status status;
    int64_t rows = 0;
    options.threads = threads;
    must(dv_cursor_open(&cursor, view, &options, &err), err);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    must(status, err);
    dv_cursor_close(&cursor);
    return rows;
}

struct Made {
    dv_buffer file = {};
    dv_view *view = nullptr;
    int64_t seen = 0, rows = 0;
    ~Made()
    {
        dv_view_release(&view);
        dv_buffer_release(&file);
    }
};

dvb::Trial trial_of(const char *format, dv_compression compression, dv_view *(*chain)(dv_view *))
{
    auto made = std::make_shared<Made>();
    Table table = make_table(dvb::is_quick() ? 20000 : INT64_C(1) << 21);
    dv_view *source = view_of(&table);
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    how.format = open.format = format;
    how.compression = compression;
    how.rows_per_block = kBlock;
    how.allow_loss = DV_LOSS_TYPES;
    how.datadings = "key=rownumber";
    must(dv_save_memory(source, &made->file, &how, &err), err);
    dv_view_release(&source);
    must(dv_open_memory(&source, made->file.data, made->file.nbytes, nullptr, nullptr, "table",
                        &open, &err),
         err);
    made->view = chain(source);
    made->rows = scan(made->view, 1);
    const double nbytes = double(made->file.nbytes);
    dvb::Trial trial = {
        {"", nbytes, [=] { made->seen = scan(made->view, 2); }},
        {{"one thread, twice", 2 * nbytes, [=] { dvb::keep(double(scan(made->view, 1))); }}},
        [=] { return made->seen == made->rows && made->rows > 0; }};
    trial.threads = 2;
    return trial;
}

void add_rows()
{
    dvb::add("cursor_set/convert/idv", 0.8,
             [] { return trial_of("idv", DV_COMPRESSION_NONE, convert); });
    dvb::add("cursor_set/filter/idv", 0.7,
             [] { return trial_of("idv", DV_COMPRESSION_NONE, filter); });
    dvb::add("cursor_set/filter_convert/idv", 0.8,
             [] { return trial_of("idv", DV_COMPRESSION_NONE, filter_convert); });
    dvb::add("cursor_set/filter_convert/idv_deflate", 0.8,
             [] { return trial_of("idv", DV_COMPRESSION_DEFLATE, filter_convert); });
    dvb::add("cursor_set/decode/datadings", 0.8,
             [] { return trial_of("datadings", DV_COMPRESSION_NONE, nothing); });
    dvb::add("cursor_set/filter_convert/datadings", 0.8,
             [] { return trial_of("datadings", DV_COMPRESSION_NONE, filter_convert); });
    dvb::add("cursor_set/filter_convert/text", 0,
             [] { return trial_of("text", DV_COMPRESSION_NONE, filter_convert); });
}

const dvb::Suite suite("cursor_set", add_rows);

} // namespace
