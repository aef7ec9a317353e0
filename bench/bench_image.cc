/* SPDX-License-Identifier: MIT */
/* bench_image.cc: measures pictures: decoding, tensors of one size, and two threads beside one.
 *
 * The limit is TurboJPEG alone, on the same files into memory that is there: the loop of its
 * tjbench. Peers in Python are in python/bench/rows_image.py. */
#include "harness.h"
#ifdef DVB_HAS_IMAGE
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <dataview/image.h>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <turbojpeg.h>

namespace
{

using dvb::fail;
using dvb::own;
using dvb::View;

/* --- JPEG files ------------------------------------------------------------------------------- */

struct Size {
    int width, height;
};

struct Files {
    std::vector<std::string> bytes;
    View view; /* of one column, x */
    Size size;
};

using Source = std::shared_ptr<Files>;

std::size_t rows()
{
    return dvb::is_quick() ? 6 : 128;
}

/* Slopes, edges and grain, so that a file has about a byte for six pixels. */
std::string pixels(Size size, uint64_t seed)
{
    dvb::Draws draws(seed);
    std::string made;
    const double phase = double(draws.below(100));
    for (int y = 0; y < size.height; y++)
        for (int x = 0; x < size.width; x++)
            for (int c = 0; c < 3; c++) {
                const double slope = 60 * std::sin(0.05 * x + c + phase) + 40 * std::cos(0.03 * y);
                const double edge = 15.0 * double((x / 40 + y / 30) % 3);
                const double value = 118 + slope + edge + double(draws.below(21));
                made += char(value < 0 ? 0 : value > 255 ? 255 : value);
            }
    return made;
}

std::string jpeg(Size size, uint64_t seed)
{
    const std::string image = pixels(size, seed);
    tjhandle handle = tjInitCompress();
    unsigned char *data = nullptr;
    unsigned long nbytes = 0;
    tjCompress2(handle, reinterpret_cast<const unsigned char *>(image.data()), size.width, 0,
                size.height, TJPF_RGB, &data, &nbytes, TJSAMP_420, 85, 0);
    std::string file(reinterpret_cast<const char *>(data), nbytes);
    tjFree(data);
    tjDestroy(handle);
    return file;
}

Source files(Size size)
{
    auto f = std::make_shared<Files>();
    std::vector<dv_text> texts;
    f->size = size;
    for (std::size_t i = 0; i < rows(); i++)
        f->bytes.push_back(jpeg(size, i));
    for (const std::string &file : f->bytes)
        texts.push_back({file.data(), int64_t(file.size())});
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    const dv_table_column column = {"x", dv_type_of(DV_KIND_BY), nullptr, texts.data()};
    const dv_status status =
        dv_table_create(&view, &column, 1, int64_t(texts.size()), nullptr, &err);
    f->view = own(status, view, err);
    return f;
}

/* Bytes of all pictures, at a scale of n/8. */
double nbytes_of(const Source &f, int n)
{
    const tjscalingfactor by = {n, 8};
    return 3.0 * TJSCALED(f->size.width, by) * TJSCALED(f->size.height, by) * double(rows());
}

/* --- What is measured ------------------------------------------------------------------------- */

View piped(const View &source, const std::string &steps)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = nullptr;
    if (dv_image_register(&err) != DV_OK)
        fail(err);
    const dv_status status = dv_view_pipe(
        &view, source.get(), {steps.data(), int64_t(steps.size())}, nullptr, nullptr, &err);
    return own(status, view, err);
}

/* Read the batches of rows from `first` to `end`, -1: to the last; returns how many pictures there
 * are, or a sum of the pixels. */
double read_rows(const View &view, int32_t threads, bool adds, int64_t first, int64_t end)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = nullptr;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    dv_status status;
    double sum = 0;
    options.threads = threads;
    options.batch_rows = 16;
    options.first_row = first;
    options.end_row = end;
    if (dv_cursor_open(&cursor, view.get(), &options, &err) != DV_OK)
        fail(err);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        const dv_column_view *x = dv_batch_column(batch, 0);
        if (adds) {
            const dv_buffer *values = &x->as.vector.items->as.fixed.values;
            sum += double(dvb::read(values->data, values->nbytes / 4 * 4));
        } else
            sum += double(batch->rows);
    }
    if (status != DV_END)
        fail(err);
    dv_cursor_close(&cursor);
    return sum;
}

double read_all(const View &view, int32_t threads, bool adds)
{
    return read_rows(view, threads, adds, 0, -1);
}

/* Two loops that share nothing, each over half of the pictures. */
void read_halves(const View &view)
{
    const int64_t half = int64_t(rows()) / 2;
    std::thread other([=] { read_rows(view, 1, false, half, -1); });
    read_rows(view, 1, false, 0, half);
    other.join();
}

/* The matrix of all pictures, in memory that is there; returns its first number. */
double matrix(const View &view, int32_t threads, dvb::Buffer &to)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const std::size_t width = to.size() / sizeof(float) / rows();
    float *dst = reinterpret_cast<float *>(to.data());
    options.threads = threads;
    if (dv_view_dense(view.get(), DV_KIND_R4, dst, int64_t(rows()), width, &options, nullptr,
                      nullptr, &err) != DV_OK)
        fail(err);
    return double(*dst);
}

/* TurboJPEG by itself, at a scale of n/8. */
dvb::Work turbo(const Source &f, int n)
{
    const tjscalingfactor by = {n, 8};
    const int width = TJSCALED(f->size.width, by), height = TJSCALED(f->size.height, by);
    auto to = std::make_shared<dvb::Buffer>(std::size_t(nbytes_of(f, n) / double(rows())));
    const std::shared_ptr<void> handle(tjInitDecompress(), tjDestroy);
    return {"TurboJPEG", nbytes_of(f, 8), [=] {
                for (const std::string &file : f->bytes)
                    tjDecompress2(
                        handle.get(), reinterpret_cast<const unsigned char *>(file.data()),
                        (unsigned long)file.size(), reinterpret_cast<unsigned char *>(to->data()),
                        width, 0, height, TJPF_RGB, TJFLAG_ACCURATEDCT);
            }};
}

dvb::Trial decoded(Size size)
{
    const Source f = files(size);
    const View view = piped(f->view, "decode x");
    auto n = std::make_shared<double>(0);
    return {{"", nbytes_of(f, 8), [=] { *n = read_all(view, 1, false); }}, {turbo(f, 8)}, [=] {
                return *n == double(rows());
            }};
}

/* All pixels as they are, in one vector. */
dvb::Trial whole(Size size)
{
    const Source f = files(size);
    const View view = piped(f->view, "image x width=" + std::to_string(size.width) +
                                         " height=" + std::to_string(size.height) +
                                         " type=U1 layout=interleaved");
    return {{"", nbytes_of(f, 8), [=] { read_all(view, 1, false); }}, {turbo(f, 8)}, [=] {
                return read_all(view, 1, true) > 0;
            }};
}

std::string tensors(const char *more)
{
    return std::string("image x width=224 height=224 scale=0.003921569 mean=[0.485 0.456 0.406] "
                       "std=[0.229 0.224 0.225] ") +
           more;
}

/* The limit decodes only, at n/8. */
dvb::Trial resized(Size size, int n, const char *more)
{
    const Source f = files(size);
    const View view = piped(f->view, tensors(more));
    return {{"", nbytes_of(f, 8), [=] { read_all(view, 1, false); }}, {turbo(f, n)}, [=] {
                return read_all(view, 1, true) == read_all(view, 2, true);
            }};
}

/* The share is how much faster two threads are than one, or than two loops that share nothing:
 * what the machine gives two threads. */
dvb::Trial by_two(Size size, bool beside_loops)
{
    const Source f = files(size);
    const View view = piped(f->view, tensors(""));
    const dvb::Work one = {"1 thread", nbytes_of(f, 8), [=] { read_all(view, 1, false); }};
    const dvb::Work loops = {"2 loops", nbytes_of(f, 8), [=] { read_halves(view); }};
    return {{"", nbytes_of(f, 8), [=] { read_all(view, 2, false); }},
            {beside_loops ? loops : one},
            [=] { return read_all(view, 1, true) == read_all(view, 2, true); },
            {},
            2};
}

dvb::Trial matrix_by_two(Size size)
{
    const Source f = files(size);
    const View view = piped(f->view, tensors(""));
    const auto to = std::make_shared<dvb::Buffer>(rows() * 3 * 224 * 224 * sizeof(float));
    return {{"", nbytes_of(f, 8), [=] { matrix(view, 2, *to); }},
            {{"1 thread", nbytes_of(f, 8), [=] { matrix(view, 1, *to); }}},
            [=] { return matrix(view, 1, *to) == matrix(view, 2, *to); },
            {},
            2};
}

void add_suite()
{
    const Size photo = {500, 375}, large = {2000, 1500};
    dvb::add("image_decode/pictures/500x375", 0.95, [=] { return decoded(photo); });
    dvb::add("image_decode/pixels of U1/500x375", 0.9, [=] { return whole(photo); });
    dvb::add("image_decode/pictures/2000x1500", 0.95, [=] { return decoded(large); });
    dvb::add("image_tensor/R4 224x224/500x375", 0, [=] { return resized(photo, 8, ""); });
    dvb::add("image_tensor/R4 224x224/2000x1500", 0, [=] { return resized(large, 2, ""); });
    dvb::add("image_tensor/R4 224x224, exact/2000x1500", 0,
             [=] { return resized(large, 8, "exact+"); });
    dvb::add("image_threads/2 threads/500x375", 1.9, [=] { return by_two(photo, false); });
    dvb::add("image_threads/2 threads beside loops/500x375", 0.97,
             [=] { return by_two(photo, true); });
    dvb::add("image_threads/matrix, 2 threads/500x375", 1.9, [=] { return matrix_by_two(photo); });
}

const dvb::Suite suite("image", add_suite);

} // namespace

#else

namespace
{
const dvb::Suite suite("image", [] { dvb::skip("image", "libturbojpeg or libpng"); });
} // namespace

#endif
