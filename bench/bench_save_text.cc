/* SPDX-License-Identifier: MIT */
/* bench_save_text.cc: measures saving a table from memory as text.
 *
 * The limit is a plain loop that calls snprintf for each value.  Both sides write the same values
 * to a file, with enough digits to read back the same value, and quote texts if necessary (here
 * none). Both use a buffer of 64 KiB and one thread, and do not wait for the disk.  The loop does
 * not check that its texts are UTF-8. */
#include "harness.h"
#include "inputs.h"
#include "views.h"
#include <dataview/dataview.h>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace
{

using dvb::fail;
using dvb::View;

constexpr int64_t batch_rows = 4096;
constexpr std::size_t value_nbytes = 64; /* the longest that the loop writes */

/* --- A table in memory ------------------------------------------------------------------------ */

/* A column: numbers of one kind, `slots` to a row, or texts. */
struct Column {
    dv_kind kind;
    int32_t slots; /* 0: no vector */
    std::vector<char> values;
    std::vector<int32_t> ends; /* of texts */
};

struct Table {
    std::vector<Column> columns;
    int64_t rows;
    std::vector<int32_t> dense; /* counts of the rows of vectors: -1 */
    double nbytes = 0;
};

struct Reader {
    const Table *table;
    const dv_cursor_request *request;
    int64_t row;
};

dv_buffer buffer_of(const void *data, std::size_t nbytes)
{
    return {data, nbytes, nullptr, true, true};
}

dv_type type_of(const Column &column)
{
    const dv_type item = dv_type_of(column.kind);
    return column.slots > 0 ? dv_type_vector(item, column.slots) : item;
}

/* Items from..from + n - 1. */
dv_column_view items_of(const Column &column, int64_t from, int64_t n)
{
    dv_column_view view = {};
    view.type = dv_type_of(column.kind);
    view.rows = n;
    if (column.kind == DV_KIND_TX) {
        view.layout = DV_LAYOUT_TEXT;
        view.as.text.first = from > 0 ? column.ends[std::size_t(from - 1)] : 0;
        view.as.text.ends = buffer_of(&column.ends[std::size_t(from)], 4 * std::size_t(n));
        view.as.text.utf8 = buffer_of(column.values.data(), column.values.size());
        return view;
    }
    const std::size_t width = std::size_t(dv_kind_width(column.kind));
    view.layout = DV_LAYOUT_FIXED;
    view.as.fixed.values =
        buffer_of(&column.values[std::size_t(from) * width], std::size_t(n) * width);
    return view;
}

dv_status fill(dv_batch *batch, int32_t k, const Table &table, const Column &column, int64_t row,
               int64_t n, dv_error *err)
{
    if (column.slots == 0) {
        const dv_column_view view = items_of(column, row, n);
        return dv_batch_fill(batch, k, &view, err);
    }
    const dv_column_view items = items_of(column, row * column.slots, n * column.slots);
    dv_column_view view = {};
    view.type = type_of(column);
    view.layout = DV_LAYOUT_VECTOR;
    view.rows = n;
    view.as.vector.length = column.slots;
    view.as.vector.counts = buffer_of(table.dense.data(), 4 * std::size_t(n));
    view.as.vector.items = &items;
    return dv_batch_fill(batch, k, &view, err);
}

int64_t count_rows(void *self)
{
    return static_cast<const Table *>(self)->rows;
}

dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out, dv_error *)
{
    *cursor_out = new Reader{static_cast<const Table *>(self), request, request->first_row};
    return DV_OK;
}

dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    Reader *reader = static_cast<Reader *>(cursor);
    const Table &table = *reader->table;
    const int64_t n = std::min(table.rows - reader->row, batch_rows);
    if (n == 0)
        return DV_END;
    dv_status status = dv_batch_start(batch, reader->row, n, err);
    for (int32_t k = 0; status == DV_OK && k < reader->request->columns_count; k++) {
        const Column &column = table.columns[std::size_t(reader->request->columns[k])];
        status = fill(batch, k, table, column, reader->row, n, err);
    }
    reader->row += n;
    return status;
}

void close_cursor(void *cursor)
{
    delete static_cast<Reader *>(cursor);
}

dv_view_class make_class()
{
    dv_view_class cls = {};
    cls.size = sizeof cls;
    cls.kind = "table";
    cls.rows = count_rows;
    cls.open_cursor = open_cursor;
    cls.next = next;
    cls.close_cursor = close_cursor;
    return cls;
}

/* table must outlive the view. */
View view_of(Table *table)
{
    static const dv_view_class cls = make_class();
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema = nullptr;
    dv_view *view = nullptr;
    dv_status status = dv_schema_create(&schema, nullptr, &err);
    for (const Column &column : table->columns) {
        const std::string name = "c" + std::to_string(&column - table->columns.data());
        const dv_type type = type_of(column);
        if (status == DV_OK)
            status = dv_schema_add(schema, dv_text_of(name.c_str()), &type, nullptr, &err);
    }
    if (status == DV_OK)
        status = dv_view_create(&view, &cls, table, &schema, nullptr, &err);
    if (status != DV_OK)
        fail(err);
    return View(view, [](dv_view *last) { dv_view_release(&last); });
}

/* --- Content ---------------------------------------------------------------------------------- */

template <typename T> void put(Column &column, T value)
{
    const char *p = reinterpret_cast<const char *>(&value);
    column.values.insert(column.values.end(), p, p + sizeof value);
}

/* Measured features: as many digits as a float has, and short ones. */
double draw_real(dvb::Draws &draws)
{
    const double value = double(draws.next() >> 11) * 0x1p-53;
    return draws.below(2) ? value : double(draws.below(20000)) / 100 - 100;
}

void put_text(Column &column, dvb::Draws &draws)
{
    const std::string text = dvb::ascii(4 + draws.below(24), draws.next());
    column.values.insert(column.values.end(), text.begin(), text.end());
    if (column.values.end()[-int64_t(text.size())] == ' ') /* or it needed quotes */
        column.values.end()[-int64_t(text.size())] = 'x';
    column.ends.push_back(int32_t(column.values.size()));
}

void put_value(Column &column, dvb::Draws &draws)
{
    switch (column.kind) {
    case DV_KIND_I4:
        return put(column, int32_t(draws.next() >> (32 + draws.below(31))));
    case DV_KIND_I8:
        return put(column, int64_t(draws.next() >> draws.below(63)));
    case DV_KIND_R4:
        return put(column, float(draw_real(draws)));
    case DV_KIND_R8:
        return put(column, draw_real(draws));
    default:
        return put_text(column, draws);
    }
}

Table make_table(const std::vector<std::pair<dv_kind, int32_t>> &shape)
{
    const std::size_t wanted = std::size_t(dvb::is_quick() ? 256 : 8192) << 10;
    Table table = {};
    dvb::Draws draws(13);
    std::size_t row_nbytes = 0;
    for (const auto &[kind, slots] : shape) {
        table.columns.push_back({kind, slots, {}, {}});
        row_nbytes += std::size_t(kind == DV_KIND_TX ? 16 : dv_kind_width(kind)) *
                      std::size_t(std::max(slots, 1));
    }
    table.rows = int64_t(wanted / row_nbytes);
    table.dense.assign(std::size_t(batch_rows), -1);
    for (Column &column : table.columns) {
        for (int64_t i = 0; i < table.rows * std::max(column.slots, 1); i++)
            put_value(column, draws);
        table.nbytes += double(column.values.size());
    }
    return table;
}

/* --- The loop --------------------------------------------------------------------------------- */

template <typename T> T at(const Column &column, std::size_t i)
{
    T value;
    std::memcpy(&value, &column.values[i * sizeof value], sizeof value);
    return value;
}

bool needs_quotes(const char *text, int n)
{
    bool does = n == 0 || *text == ' ';
    for (int i = 0; i < n; i++)
        does |= text[i] == '\t' || text[i] == '"' || text[i] == ':' || text[i] == '\n';
    return does;
}

char *print(char *dst, const Column &column, std::size_t i)
{
    const std::size_t cap = value_nbytes;
    switch (column.kind) {
    case DV_KIND_I4:
        return dst + std::snprintf(dst, cap, "%" PRId32 "\t", at<int32_t>(column, i));
    case DV_KIND_I8:
        return dst + std::snprintf(dst, cap, "%" PRId64 "\t", at<int64_t>(column, i));
    case DV_KIND_R4:
        return dst + std::snprintf(dst, cap, "%.9g\t", double(at<float>(column, i)));
    case DV_KIND_R8:
        return dst + std::snprintf(dst, cap, "%.17g\t", at<double>(column, i));
    default:
        break;
    }
    const int32_t from = i > 0 ? column.ends[i - 1] : 0;
    const char *text = &column.values[std::size_t(from)];
    const int n = int(column.ends[i] - from);
    return dst + std::snprintf(dst, cap, needs_quotes(text, n) ? "\"%.*s\"\t" : "%.*s\t", n, text);
}

void print_table(const Table &table, const std::string &path)
{
    std::vector<char> buffer(std::size_t(64) << 10);
    char *p = buffer.data(), *const last = p + buffer.size() - value_nbytes;
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (!file)
        std::exit(1);
    for (int64_t row = 0; row < table.rows; row++) {
        for (const Column &column : table.columns) {
            const std::size_t n = std::size_t(std::max(column.slots, 1));
            for (std::size_t i = 0; i < n; i++) {
                p = print(p, column, std::size_t(row) * n + i);
                if (p > last) {
                    std::fwrite(buffer.data(), 1, std::size_t(p - buffer.data() - 1), file);
                    buffer[0] = p[-1]; /* which the end of the line replaces */
                    p = buffer.data() + 1;
                }
            }
        }
        p[-1] = '\n';
    }
    std::fwrite(buffer.data(), 1, std::size_t(p - buffer.data()), file);
    std::fclose(file);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Of all columns. */
dv_u128 digest_of(dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_digester *digester = nullptr;
    dv_u128 all = {0, 0};
    for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(view)); k++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor = nullptr;
        const dv_batch *batch;
        options.columns = &k;
        options.columns_count = 1;
        if (dv_digester_create(&digester, nullptr, &err) != DV_OK ||
            dv_cursor_open(&cursor, view, &options, &err) != DV_OK)
            fail(err);
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
            dv_digester_add_column(digester, dv_batch_column(batch, 0));
        const dv_u128 one = dv_digester_result(digester);
        all = {all.lo * 31 + one.lo, all.hi * 31 + one.hi};
        dv_cursor_close(&cursor);
        dv_digester_free(&digester);
    }
    return all;
}

/* Both files hold the table; the file of the loop is read with the options in the library's file.
 */
bool holds(const std::string &path, const char *text, const Table &table, dv_view *made)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = "text";
    options.text = text;
    if (dv_open(&view, path.c_str(), &options, &err) != DV_OK)
        fail(err);
    const dv_u128 a = digest_of(view), b = digest_of(made);
    const bool is_same = a.lo == b.lo && a.hi == b.hi && dv_view_rows(view) == table.rows;
    dv_view_release(&view);
    return is_same;
}

/* "col=c0:I4:0 col=c1:R4:1-20" */
std::string columns_of(const Table &table)
{
    std::string text;
    int32_t first = 0;
    for (const Column &column : table.columns) {
        const int32_t end = first + std::max(column.slots, 1);
        text += " col=c" + std::to_string(&column - table.columns.data()) + ":" +
                dv_kind_name(column.kind) + ":" + std::to_string(first);
        text += column.slots > 0 ? "-" + std::to_string(end - 1) : "";
        first = end;
    }
    return text;
}

dvb::Trial saved(const std::vector<std::pair<dv_kind, int32_t>> &shape)
{
    const auto table = std::make_shared<Table>(make_table(shape));
    const auto ours = std::make_shared<dvb::TemporaryFile>("saved.txt");
    const auto theirs = std::make_shared<dvb::TemporaryFile>("printed.txt");
    const View view = view_of(table.get());
    const auto save = [=] {
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.sync = false;
        options.threads = 1;
        if (dv_save(view.get(), ours->path.c_str(), &options, &err) != DV_OK)
            fail(err);
    };
    const auto is_right = [=] {
        print_table(*table, theirs->path);
        return holds(ours->path, nullptr, *table, view.get()) &&
               holds(theirs->path, columns_of(*table).c_str(), *table, view.get());
    };
    return {{"", table->nbytes, save},
            {{"snprintf", table->nbytes, [=] { print_table(*table, theirs->path); }}},
            is_right};
}

void add_suite()
{
    dvb::add("text_save/narrow_numeric/8MiB", 5, [] {
        return saved({{DV_KIND_I4, 0}, {DV_KIND_R4, 0}, {DV_KIND_R8, 0}, {DV_KIND_I8, 0}});
    });
    dvb::add("text_save/wide_numeric/8MiB", 5, [] {
        return saved({{DV_KIND_I4, 0}, {DV_KIND_R4, 500}});
    });
    dvb::add("text_save/mixed_text/8MiB", 5, [] {
        return saved({{DV_KIND_TX, 0}, {DV_KIND_I4, 0}, {DV_KIND_TX, 0}, {DV_KIND_R4, 0}});
    });
}

const dvb::Suite suite("save_text", add_suite);

} // namespace
