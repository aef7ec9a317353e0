/* SPDX-License-Identifier: MIT */
/* bench_files.cc: measures how long a table of many files takes until its first row is there.
 *
 * The limit are the calls that no reader can leave out which looks into each file: open it, ask for
 * its length, read its first page, where all of a small file lies; and close it in the end. */
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include "views.h"
#include <dataview/dataview.h>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

constexpr std::size_t page = 4096;
constexpr int rows = 10;

struct Files {
    std::vector<std::unique_ptr<dvb::TemporaryFile>> files;
    std::vector<const char *> paths;
    std::vector<int> descriptors; /* of the limit */
    const char *text = nullptr;   /* options->text */
    double sum = 0, nbytes = 0;
};
using Input = std::shared_ptr<Files>;

void write_idv(const std::string &path, const std::vector<float> &values)
{
    dvb::IdvWriter writer(path, rows, rows);
    writer.block(writer.add("x", dvb::idv_codec("Single")), values.data(), 4 * values.size());
    writer.finish();
}

void write_text(const std::string &path, const std::vector<float> &values)
{
    std::FILE *out = std::fopen(path.c_str(), "w");
    std::fputs("x\n", out);
    for (const float value : values)
        std::fprintf(out, "%g\n", double(value));
    std::fclose(out);
}

Input make_files(int n, const char *extension, const char *text,
                 void (*write)(const std::string &path, const std::vector<float> &values))
{
    auto input = std::make_shared<Files>();
    input->text = text;
    for (int i = 0; i < n; i++) {
        const std::vector<float> values = dvb::floats(rows, uint64_t(i));
        input->files.push_back(
            std::make_unique<dvb::TemporaryFile>("files" + std::to_string(i) + extension));
        write(input->files.back()->path, values);
        input->paths.push_back(input->files.back()->path.c_str());
        struct stat st = {};
        stat(input->paths.back(), &st);
        input->nbytes += double(st.st_size);
        input->sum += i == 0 ? double(values[0]) : 0;
    }
    input->descriptors.resize(std::size_t(n));
    return input;
}

/* The value in the first row. */
double open_first(const Files &input)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_view *opened = nullptr;
    dv_cursor *cursor = nullptr;
    const dv_batch *batch;
    options.text = input.text;
    const dv_status status =
        dv_open_many(&opened, input.paths.data(), int32_t(input.paths.size()), &options, &err);
    const dvb::View view = dvb::own(status, opened, err);
    dv_cursor_options first = DV_CURSOR_OPTIONS_INIT;
    first.take = 1;
    first.threads = 1;
    if (dv_cursor_open(&cursor, view.get(), &first, &err) != DV_OK ||
        dv_cursor_next(cursor, &batch, &err) != DV_OK)
        dvb::fail(err);
    const dv_value value = dv_value_at(dv_batch_column(batch, 0), 0);
    const bool is_double = value.column->type.kind == DV_KIND_R8;
    const double number = is_double ? dv_value_r8(&value) : double(dv_value_r4(&value));
    dv_cursor_close(&cursor);
    return number;
}

void look_into_each(Files &input)
{
    char room[page];
    for (std::size_t i = 0; i < input.paths.size(); i++) {
        struct stat st;
        const int fd = input.descriptors[i] = open(input.paths[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st) != 0 || pread(fd, room, sizeof room, 0) <= 0)
            std::perror("bench_files"), std::exit(1);
        dvb::keep(double(room[0]));
    }
    for (const int fd : input.descriptors)
        close(fd);
}

void add_row(const std::string &name, double goal, const std::function<Input()> &make)
{
    dvb::add("files/" + name, goal, [=] {
        const Input input = make();
        return dvb::Trial{
            {"", input->nbytes, [=] { dvb::keep(open_first(*input)); }},
            {{"open, fstat, pread, close", input->nbytes, [=] { look_into_each(*input); }}},
            [=] { return open_first(*input) == input->sum; }};
    });
}

void add_suite()
{
    const int n = dvb::is_quick() ? 10 : 1000;
    const std::string count = "/" + std::to_string(n);
    add_row("first_row/idv" + count, 0.7,
            [=] { return make_files(n, ".idv", nullptr, write_idv); });
    add_row("first_row/text" + count, 0.7,
            [=] { return make_files(n, ".csv", "header+ sep=comma col=x:R4:0", write_text); });
    add_row("first_row/text, found" + count, 0,
            [=] { return make_files(n, ".csv", nullptr, write_text); });
}

const dvb::Suite suite("files", add_suite);

} // namespace
