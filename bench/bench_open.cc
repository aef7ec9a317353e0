/* SPDX-License-Identifier: MIT */
/* bench_open.cc: measures opening a file: its cost should not depend on the size of the file, and
 * the cost per column should not depend on the number of columns.  Counts instructions and bytes,
 * not time. */
#include "harness.h"
#include "idv_writer.h"
#include "inputs.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace
{

using File = std::shared_ptr<dvb::TemporaryFile>;

/* A column of zeros in blocks of 8,192 floats; the zeros take no room on disk. */
File long_file(const std::string &name, int64_t nbytes)
{
    constexpr int64_t rows_per_block = 8192;
    auto file = std::make_shared<dvb::TemporaryFile>(name);
    dvb::IdvWriter writer(file->path, nbytes / 4, rows_per_block);
    const int column = writer.add("x", dvb::idv_codec("Single"));
    for (int64_t i = 0; i < nbytes; i += 4 * rows_per_block)
        writer.hole(column, 4 * rows_per_block);
    writer.finish();
    return file;
}

/* Many columns of one block. */
File wide_file(const std::string &name, int columns)
{
    constexpr int64_t rows = 1000;
    auto file = std::make_shared<dvb::TemporaryFile>(name);
    dvb::IdvWriter writer(file->path, rows, rows);
    for (int i = 0; i < columns; i++)
        writer.add("column" + std::to_string(10000 + i), dvb::idv_codec("Single"));
    for (int i = 0; i < columns; i++)
        writer.hole(i, 4 * rows);
    writer.finish();
    return file;
}

/* The number after a word in the output of a command, on either stream; 0: there is none. */
double number_from(const std::string &command, const char *word)
{
    double number = 0;
    std::FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    char line[4096];
    while (pipe && std::fgets(line, sizeof line, pipe))
        if (const char *found = std::strstr(line, word))
            number = std::strtod(found + std::strlen(word), nullptr);
    return pipe && pclose(pipe) == 0 ? number : 0;
}

std::string open_once(const File &file, const std::string &arguments)
{
    return DVB_OPEN_ONCE " '" + file->path + "' " + arguments;
}

double instructions(const File &file, const std::string &arguments)
{
    return number_from("LD_BIND_NOW=1 valgrind --tool=callgrind --toggle-collect=work "
                       "--callgrind-out-file=/dev/null " +
                           open_once(file, arguments),
                       "Collected :");
}

bool has_valgrind()
{
    return std::system("valgrind --version >/dev/null 2>&1") == 0;
}

/* Open and first row of a large file, beside a small one of the same blocks.  What becomes resident
 * is the system's choice too, since it maps whole runs of cached pages at once: no goal. */
void add_sizes()
{
    const int64_t small = int64_t(2) << 20, large = small << 10;
    const auto row = [=](const std::string &name, double goal, const std::string &unit,
                         double (*count)(const File &)) {
        dvb::add_count("idv_open/" + name + "/2GiB", goal, [=] {
            const File a = long_file("small.idv", small), b = long_file("large.idv", large);
            return dvb::Count{count(b), count(a), unit, "2 MiB"};
        });
    };
    row("read", 0.99, "B",
        [](const File &f) { return number_from(open_once(f, "first pread"), "read"); });
    row("resident", 0, "B",
        [](const File &f) { return number_from(open_once(f, "first"), "resident"); });
    if (!has_valgrind())
        return dvb::skip("idv_open/instructions/2GiB", "valgrind");
    row("instructions", 0.99, "instr", [](const File &f) { return instructions(f, "first"); });
    row("instructions_pread", 0.99, "instr",
        [](const File &f) { return instructions(f, "first pread"); });
}

/* Open with many columns, beside few: what each costs. */
void add_columns()
{
    const int few = 8, many = 4096;
    const std::string name = "idv_open/column/4096";
    if (!has_valgrind())
        return dvb::skip(name, "valgrind");
    dvb::add_count(name, 1 / 1.2, [=] {
        const File a = wide_file("few.idv", few), b = wide_file("many.idv", many);
        return dvb::Count{instructions(b, "open") / many, instructions(a, "open") / few, "instr",
                          "8 columns"};
    });
}

void add_suite()
{
    add_sizes();
    add_columns();
}

const dvb::Suite suite("open", add_suite);

} // namespace
