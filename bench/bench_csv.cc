/* SPDX-License-Identifier: MIT */
/* bench_csv.cc: measures scanning delimited files and reading them into columns.
 *
 * The limit of the scanner is a loop that only reads the same bytes in memory; that of files is the
 * same loop over the mapped file.  The gain is relative to reading line by line with all rules.
 * pyarrow_csv.py compares with pyarrow and polars. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <dataview/dataview.h>
#include <cstdio>
#include <memory>

namespace
{

/* --- Text ----------------------------------------------------------------------------------- */

const char *const words[] = {"alpha", "beta gamma", "delta", "epsilon zeta eta", "theta",
                             "iota",  "kappa",      "mu",    "nu xi omicron pi"};

struct Kind {
    const char *name, *columns;
    std::string (*line)(dvb::Draws &draws);
};

std::string real(dvb::Draws &draws, int digits)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, double(draws.below(1 << 30)) / (1 << 20));
    return text;
}

std::string integer(dvb::Draws &draws, uint64_t below)
{
    return std::to_string(draws.below(below));
}

std::string word(dvb::Draws &draws)
{
    return words[draws.below(9)];
}

std::string narrow_line(dvb::Draws &draws)
{
    return integer(draws, 100000) + ',' + real(draws, 6) + ',' + real(draws, 3) + ',' +
           integer(draws, 1000) + ',' + real(draws, 2);
}

std::string wide_line(dvb::Draws &draws)
{
    std::string line = integer(draws, 2);
    for (int i = 0; i < 200; i++)
        line += ',' + real(draws, 4);
    return line;
}

std::string mixed_line(dvb::Draws &draws)
{
    return integer(draws, 1000000) + ',' + word(draws) + ',' + real(draws, 5) + ',' + word(draws) +
           ' ' + integer(draws, 1000) + ',' + word(draws) + ',' + integer(draws, 50);
}

std::string quoted_line(dvb::Draws &draws)
{
    return '"' + word(draws) + ", " + integer(draws, 1000) + "\",\"" + real(draws, 4) + "\",\"" +
           word(draws) + "\",\"" + integer(draws, 10000) + '"';
}

const Kind kinds[] = {
    {"narrow", "col=A:I4:0 col=B:R4:1 col=C:R4:2 col=D:I4:3 col=E:R4:4", narrow_line},
    {"wide", "col=L:BL:0 col=F:R4:1-200", wide_line},
    {"mixed", "col=A:I4:0 col=B:TX:1 col=C:R4:2 col=D:TX:3 col=E:TX:4 col=F:I4:5", mixed_line},
    {"quoted", "col=A:TX:0 col=B:R4:1 col=C:TX:2 col=D:I4:3", quoted_line},
};

std::size_t file_nbytes()
{
    return std::size_t(dvb::is_quick() ? 1 : 64) << 20;
}

std::string make_text(const Kind &kind)
{
    dvb::Draws draws(31);
    std::string text;
    while (text.size() < file_nbytes())
        text += kind.line(draws) + '\n';
    return text;
}

/* --- Scanning ------------------------------------------------------------------------------- */

constexpr std::size_t window = 128 << 10; /* as the loader looks at it */

struct Scan {
    std::string text;
    std::vector<uint32_t> marks;
    std::size_t found = 0, wanted = 0;
};

void scan(Scan &s, const dvi_kernel_table *k)
{
    dvi_ascii_set set = {};
    for (const char c : {',', '"', '\n', '\r'})
        set.members[c & 15] |= uint8_t(1 << (c >> 4));
    s.found = 0;
    for (std::size_t at = 0; at < s.text.size(); at += window) {
        const std::size_t n = std::min(window, s.text.size() - at);
        s.found += k->bytes_find(s.marks.data(), s.marks.size(), s.text.data() + at, n, &set);
    }
}

void add_scan(const Kind &kind, dv_level level)
{
    const std::string name = std::string("csv_scan/") + kind.name + '/' + dv_level_name(level);
    dvb::add(name, dvb::goal_at(level, 0.3), [=]() -> dvb::Trial {
        auto s = std::make_shared<Scan>();
        s->text = make_text(kind);
        s->marks.resize(window);
        for (const char c : s->text)
            s->wanted += c == ',' || c == '"' || c == '\n';
        const double nbytes = double(s->text.size());
        const auto read = [=] { dvb::keep(dvb::read(s->text.data(), s->text.size() & ~3u)); };
        dvb::Trial trial = {{"", nbytes, [=] { scan(*s, dvi_kernels_at(level)); }},
                            {{"read loop", nbytes, read}},
                            [=] { return s->found == s->wanted; }};
        if (level != DV_LEVEL_SCALAR)
            trial.base = {{"scalar", nbytes, [=] { scan(*s, dvi_kernels_at(DV_LEVEL_SCALAR)); }}};
        return trial;
    });
}

/* --- Reading -------------------------------------------------------------------------------- */

/* Rows of the file, all columns. */
int64_t read_file(const std::string &path, const std::string &how, int threads)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options reading = DV_CURSOR_OPTIONS_INIT;
    dv_view *view;
    dv_cursor *cursor = nullptr;
    const dv_batch *batch;
    int64_t rows = 0;
    const std::string text = "sep=comma sparse- " + how;
    options.format = "text";
    options.text = text.c_str();
    reading.threads = threads;
    if (dv_open(&view, path.c_str(), &options, nullptr) != DV_OK)
        return -1;
    dv_status status = dv_cursor_open(&cursor, view, &reading, nullptr);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, nullptr)) == DV_OK)
        rows += batch->rows;
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    return status == DV_END ? rows : -1;
}

struct Read {
    dvb::TemporaryFile file;
    int64_t rows = 0, wanted = 0;
    explicit Read(const char *name) : file(std::string(name) + ".csv")
    {
    }
};

void add_read(const Kind &kind, int threads)
{
    const std::string name = std::string("csv_read/") + kind.name + '/' + std::to_string(threads) +
                             (threads > 1 ? " threads" : " thread");
    dvb::add(name, 0, [=]() -> dvb::Trial {
        auto r = std::make_shared<Read>(kind.name);
        const std::string text = make_text(kind), how = kind.columns;
        const double nbytes = double(text.size());
        std::FILE *file = std::fopen(r->file.path.c_str(), "w");
        if (file) {
            std::fwrite(text.data(), 1, text.size(), file);
            std::fclose(file);
        }
        for (const char c : text)
            r->wanted += c == '\n';
        const auto read = [=] {
            dvb::keep(dvb::scan_mapped(r->file.path, 0, std::size_t(nbytes) & ~3u));
        };
        return {{"", nbytes, [=] { r->rows = read_file(r->file.path, how, threads); }},
                {{"read loop", nbytes, read}},
                [=] { return r->rows == r->wanted; },
                {{"by every rule", nbytes,
                  [=] { r->rows = read_file(r->file.path, how + " piece=0", 1); }}},
                threads};
    });
}

void add_suite()
{
    for (const Kind &kind : kinds)
        for (const dv_level level : dvb::levels())
            add_scan(kind, level);
    for (const Kind &kind : kinds)
        for (const int threads : {1, 2})
            add_read(kind, threads);
}

const dvb::Suite suite("csv", add_suite);

} // namespace
