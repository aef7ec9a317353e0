/* SPDX-License-Identifier: MIT */
/* bench_cold.cc: measures scans of files that are not in the page cache, beside what reads the same
 * bytes and looks at none: read loops through the page cache and past it, and fio (Debian package
 * `fio`), sequential, in the same blocks, through the page cache and past it.
 *
 * Before each run the pages of the file leave the page cache, which is not timed.  Disks are often
 * shared, and some have a cache of their own, which nobody can empty: the figures say what the rows
 * say beside each other, not how fast the disk is. */
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include "limit.h"
#include "views.h"
#include <dataview/dataview.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

using dvb::fail;
using dvb::View;

constexpr std::size_t block = std::size_t(1) << 20; /* of the read loops and of fio */

/* Nothing of it is in a cache. */
std::size_t file_nbytes()
{
    return std::size_t(dvb::is_quick() ? 4 : 64) << 20;
}

[[noreturn]] void fail_os(const char *what)
{
    std::perror(what);
    std::exit(1);
}

int open_file(const std::string &path, int flags)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        fail_os(path.c_str());
    return fd;
}

/* Write the file's pages to the disk, and take them out of the page cache. */
void drop(const std::string &path)
{
    const int fd = open_file(path, 0);
    if (fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        fail_os("dropping the file's pages");
    close(fd);
}

double seconds_cold(const std::string &path, const std::function<void()> &run)
{
    drop(path);
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

dvb::Work cold(const std::string &name, const std::string &path, double nbytes,
               const std::function<void()> &run)
{
    return {name, nbytes, nullptr, [=] { return seconds_cold(path, run); }};
}

/* --- Limits ----------------------------------------------------------------------------------- */

void read_loop(const std::string &path, int flags)
{
    const std::unique_ptr<void, void (*)(void *)> room(std::aligned_alloc(4096, block), std::free);
    const int fd = open_file(path, flags);
    ssize_t got;
    while ((got = read(fd, room.get(), block)) > 0)
        ;
    if (got < 0)
        fail_os("read");
    close(fd);
}

bool can_read_directly(const std::string &path)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool has_fio()
{
    static const bool has = std::system("fio --version >/dev/null 2>&1") == 0;
    return has;
}

/* The seconds that fio needs for nbytes; it drops the file's pages itself (invalidate). */
double seconds_of_fio(const std::string &path, double nbytes, bool direct)
{
    const std::string command =
        "fio --name=cold --readonly --rw=read --ioengine=psync --bs=1m --invalidate=1 "
        "--output-format=json --direct=" +
        std::to_string(int(direct)) + " --filename='" + path + "'";
    drop(path);
    std::FILE *out = popen(command.c_str(), "r");
    if (!out)
        fail_os("fio");
    std::string json;
    char piece[4096];
    while (const std::size_t n = std::fread(piece, 1, sizeof piece, out))
        json.append(piece, n);
    const char *key = "\"bw_bytes\" : "; /* the first one is of the reads */
    const std::size_t at = json.find(key);
    const double rate = at == json.npos ? 0 : std::atof(json.c_str() + at + std::strlen(key));
    if (pclose(out) != 0 || !(rate > 0)) {
        std::fprintf(stderr, "fio failed\n");
        std::exit(1);
    }
    return nbytes / rate;
}

std::vector<dvb::Work> limits(const std::string &path, double nbytes)
{
    std::vector<dvb::Work> all = {cold("read loop", path, nbytes, [=] { read_loop(path, 0); })};
    const bool direct = can_read_directly(path);
    if (direct)
        all.push_back(cold("O_DIRECT loop", path, nbytes, [=] { read_loop(path, O_DIRECT); }));
    for (int past = 0; has_fio() && past <= int(direct); past++)
        all.push_back({past ? "fio, direct" : "fio", nbytes, nullptr,
                       [=] { return seconds_of_fio(path, nbytes, past == 1); }});
    return all;
}

/* --- Scans ------------------------------------------------------------------------------------ */

struct Scan {
    explicit Scan(const std::string &name) : file(name)
    {
    }
    dvb::TemporaryFile file;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    int64_t rows = 0, seen = 0;
    double sum = 0, seen_sum = 0;
};

using Made = std::shared_ptr<Scan>;

double sum_of(const dv_column_view *column)
{
    return column->layout == DV_LAYOUT_FIXED && column->type.kind == DV_KIND_R4
               ? dvb::sum_f4(column->as.fixed.values.data, std::size_t(column->rows))
               : 0;
}

void scan(Scan &s)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *opened = nullptr;
    const dv_status status = dv_open(&opened, s.file.path.c_str(), &s.how, &err);
    const View view = dvb::own(status, opened, err);
    dv_cursor *cursor = nullptr;
    if (dv_cursor_open(&cursor, view.get(), nullptr, &err) != DV_OK)
        fail(err);
    const dv_batch *batch;
    dv_status next;
    s.seen = 0;
    s.seen_sum = 0;
    while ((next = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        s.seen += batch->rows;
        s.seen_sum += sum_of(dv_batch_column(batch, 0));
    }
    if (next != DV_END)
        fail(err);
    dv_cursor_close(&cursor);
}

dvb::Trial trial_of(const Made &made)
{
    struct stat st;
    const std::string &path = made->file.path;
    if (stat(path.c_str(), &st) != 0)
        fail_os(path.c_str());
    const double nbytes = double(st.st_size);
    dvb::Trial trial = {cold("", path, nbytes, [=] { scan(*made); }), limits(path, nbytes),
                        [=] { return made->seen == made->rows && made->seen_sum == made->sum; }};
    trial.threads = 0;
    return trial;
}

dvb::Trial idv(int64_t rows_per_block, dv_io io, bool drops)
{
    const Made made = std::make_shared<Scan>("cold.idv");
    const std::size_t n = file_nbytes() / 4, each = std::size_t(rows_per_block);
    const std::vector<float> values = dvb::floats(n, 1);
    made->rows = int64_t(n);
    made->sum = dvb::sum_f4(values.data(), n);
    made->how.io = io;
    made->how.drop_behind = drops;
    dvb::IdvWriter writer(made->file.path, made->rows, rows_per_block);
    const int column = writer.add("x", dvb::idv_codec("Single"));
    for (std::size_t i = 0; i < n; i += each)
        writer.block(column, &values[i], 4 * std::min(each, n - i));
    writer.finish();
    return trial_of(made);
}

/* Vectors of 33 reals, all of them filled. */
dvb::Trial saved(const char *format, dv_io io)
{
    constexpr int32_t width = 33;
    const Made made = std::make_shared<Scan>(std::string("cold.") + format);
    const std::size_t n = file_nbytes() / (12 * width);
    std::vector<double> values(n * width);
    dvb::Draws draws(2);
    for (double &value : values)
        value = double(1 + draws.below(100000)) / 7;
    made->rows = int64_t(n);
    made->how.io = io;
    dv_error err = DV_ERROR_INIT;
    dv_view *table = nullptr;
    const dv_table_column column = {"Features", dv_type_vector(dv_type_of(DV_KIND_R8), width),
                                    values.data(), nullptr};
    const dv_status status = dv_table_create(&table, &column, 1, made->rows, nullptr, &err);
    const View view = dvb::own(status, table, err);
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    how.format = format;
    how.datadings = "key=rownumber";
    if (dv_save(view.get(), made->file.path.c_str(), &how, &err) < 0)
        fail(err);
    return trial_of(made);
}

void add_suite()
{
    if (!has_fio())
        dvb::skip("cold: fio", "not installed");
    for (const int64_t rows : {8192, 262144}) {
        const std::string size = std::to_string(rows);
        dvb::add("cold_idv_f4/mapped/" + size, 0.97, [=] { return idv(rows, DV_IO_MMAP, false); });
        dvb::add("cold_idv_f4/pread/" + size, 0, [=] { return idv(rows, DV_IO_PREAD, false); });
        dvb::add("cold_idv_f4/drop_behind/" + size, 0, [=] { return idv(rows, DV_IO_MMAP, true); });
    }
    dvb::add("cold_btable/mapped", 0.97, [] { return saved("btable", DV_IO_MMAP); });
    dvb::add("cold_btable/pread", 0, [] { return saved("btable", DV_IO_PREAD); });
}

const dvb::Suite suite("cold", add_suite);

} // namespace
