/* SPDX-License-Identifier: MIT */
/* bench_save.cc: measures saving a column of floats from memory as .idv.
 *
 * The limit for raw columns is a plain loop that copies the bytes into a buffer, writes it, syncs
 * and renames as the library does; each run replaces the file of the run before.  The limit for
 * compressed columns is bare libdeflate on blocks of the same size, whose output is discarded; the
 * output of the library goes to memory. */
#include "harness.h"
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace
{

using dvb::fail;
using dvb::View;

/* --- A view of one column ------------------------------------------------------------------- */

/* Its floats are in memory, and are delivered in batches of this many rows. */
struct Floats {
    std::vector<float> values;
    int64_t batch_rows;
};

struct Reader {
    const Floats *floats;
    int64_t row, end;
};

int64_t count_rows(void *self)
{
    return static_cast<int64_t>(static_cast<const Floats *>(self)->values.size());
}

dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out, dv_error *)
{
    *cursor_out =
        new Reader{static_cast<const Floats *>(self), request->first_row, request->end_row};
    return DV_OK;
}

dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    Reader *reader = static_cast<Reader *>(cursor);
    const int64_t rows = std::min(reader->end - reader->row, reader->floats->batch_rows);
    if (rows == 0)
        return DV_END;
    dv_column_view view = {};
    view.type = dv_type_of(DV_KIND_R4);
    view.layout = DV_LAYOUT_FIXED;
    view.rows = rows;
    view.as.fixed.values = {&reader->floats->values[std::size_t(reader->row)],
                            4 * std::size_t(rows), nullptr, true, true};
    dv_status status = dv_batch_start(batch, reader->row, rows, err);
    reader->row += rows;
    if (status == DV_OK)
        status = dv_batch_fill(batch, 0, &view, err);
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
    cls.kind = "floats";
    cls.rows = count_rows;
    cls.open_cursor = open_cursor;
    cls.next = next;
    cls.close_cursor = close_cursor;
    return cls;
}

/* floats must outlive the view. */
View view_of(Floats *floats)
{
    static const dv_view_class cls = make_class();
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema = nullptr;
    dv_view *view = nullptr;
    const dv_type type = dv_type_of(DV_KIND_R4);
    if (dv_schema_create(&schema, nullptr, &err) != DV_OK ||
        dv_schema_add(schema, dv_text{"x", 1}, &type, nullptr, &err) != DV_OK ||
        dv_view_create(&view, &cls, floats, &schema, nullptr, &err) != DV_OK)
        fail(err);
    return View(view, [](dv_view *last) { dv_view_release(&last); });
}

/* --- Check that the file has all values ------------------------------------------------------- */

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

bool holds(dv_view *opened, const Floats &floats)
{
    const View view(opened, [](dv_view *last) { dv_view_release(&last); });
    return dv_view_rows(opened) == int64_t(floats.values.size()) &&
           sum_of(opened) == dvb::sum_f4(floats.values.data(), floats.values.size());
}

bool file_holds(const std::string &path, const Floats &floats)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    if (dv_open(&view, path.c_str(), nullptr, &err) != DV_OK)
        fail(err);
    return holds(view, floats);
}

bool memory_holds(const dv_buffer &file, const Floats &floats)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    if (dv_open_memory(&view, file.data, file.nbytes, nullptr, nullptr, "saved", nullptr, &err) !=
        DV_OK)
        fail(err);
    return holds(view, floats);
}

/* --- Rows ------------------------------------------------------------------------------------- */

dvb::Trial stored(int64_t rows_per_block, int64_t batch_rows, bool sync)
{
    auto floats = std::make_shared<Floats>();
    auto file = std::make_shared<dvb::TemporaryFile>("saved.idv");
    auto other = std::make_shared<dvb::TemporaryFile>("copied.bin");
    const std::size_t nbytes = dvb::beyond_cache();
    floats->values = dvb::floats(nbytes / 4, 1);
    floats->batch_rows = batch_rows;
    const View view = view_of(floats.get());
    const auto save = [=] {
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.rows_per_block = rows_per_block;
        options.sync = sync;
        if (dv_save(view.get(), file->path.c_str(), &options, &err) != DV_OK)
            fail(err);
    };
    return {{"", double(nbytes), save},
            {{"copy and write", double(nbytes),
              [=] { dvb::write_copied(other->path, floats->values.data(), nbytes, sync); }}},
            [=] { return file_holds(file->path, *floats); }};
}

dvb::Trial deflated(int64_t rows_per_block, int threads)
{
    auto floats = std::make_shared<Floats>();
    const std::size_t nbytes = dvb::beyond_cache() / 16;
    floats->values = dvb::floats(nbytes / 4, 2);
    floats->batch_rows = 1 << 20;
    const View view = view_of(floats.get());
    auto file = std::shared_ptr<dv_buffer>(new dv_buffer(), [](dv_buffer *last) {
        dv_buffer_release(last);
        delete last;
    });
    const auto save = [=] {
        dv_error err = DV_ERROR_INIT;
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.format = "idv";
        options.rows_per_block = rows_per_block;
        options.compression = DV_COMPRESSION_DEFLATE;
        options.threads = threads;
        dv_buffer_release(file.get());
        if (dv_save_memory(view.get(), file.get(), &options, &err) != DV_OK)
            fail(err);
    };
    dvb::Trial trial = {{"", double(nbytes), save},
                        {{"bare libdeflate", double(nbytes),
                          [=] {
                              dvb::keep(
                                  double(dvb::deflate(floats->values.data(), nbytes,
                                                      4 * std::size_t(rows_per_block), threads)));
                          }}},
                        [=] { return memory_holds(*file, *floats); }};
    trial.threads = threads;
    return trial;
}

void add_suite()
{
    for (const int64_t rows : {int64_t(8192), int64_t(262144)}) {
        const std::string size = std::to_string(rows);
        dvb::add("idv_save_f4/stored/" + size, 0.8, [=] { return stored(rows, 1 << 20, true); });
        dvb::add("idv_save_f4/unsynced/" + size, 0.8, [=] { return stored(rows, 1 << 20, false); });
        dvb::add("idv_save_f4/gathered/" + size, 0, [=] { return stored(rows, 1000, false); });
        dvb::add("idv_save_f4/deflate_1/" + size, 0.95, [=] { return deflated(rows, 1); });
        dvb::add("idv_save_f4/deflate_2/" + size, 0.90, [=] { return deflated(rows, 2); });
    }
}

const dvb::Suite suite("save", add_suite);

} // namespace
