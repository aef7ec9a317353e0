/* SPDX-License-Identifier: MIT */
/* inputs.cc: generates the inputs of the benchmarks. */
#include "inputs.h"
#include "harness.h"
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

namespace dvb
{

uint64_t Draws::next()
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t Draws::below(uint64_t n)
{
    return next() % n;
}

Buffer::Buffer(std::size_t n)
    : memory(static_cast<char *>(std::aligned_alloc(64, (n + 63) / 64 * 64))), nbytes(n)
{
    if (!memory)
        throw std::bad_alloc();
    std::memset(memory, 1, n);
}

Buffer::~Buffer()
{
    std::free(memory);
}

std::size_t beyond_cache()
{
    if (is_quick())
        return std::size_t(4) << 20;
    std::size_t last = 0;
    for (const auto &cache : benchmark::CPUInfo::Get().caches)
        last = std::max(last, static_cast<std::size_t>(cache.size));
    std::size_t n = std::size_t(64) << 20;
    while (n < 8 * last && n < std::size_t(512) << 20)
        n *= 2;
    return n;
}

std::vector<float> floats(std::size_t n, uint64_t seed)
{
    Draws draws(seed);
    std::vector<float> values(n);
    for (float &value : values)
        value = static_cast<float>(draws.below(1024)) / 16;
    return values;
}

std::string ascii(std::size_t n, uint64_t seed)
{
    Draws draws(seed);
    std::string text(n, ' ');
    for (char &c : text)
        c = "etaoin shrdlu cmfwyp vbgkqj xz "[draws.below(31)];
    return text;
}

std::string mixed(std::size_t n, uint64_t seed)
{
    static const char *const characters[] = {"e", "\u00E9", "\u6F22", "\U0001F600"};
    Draws draws(seed);
    std::string text;
    text.reserve(n);
    while (text.size() + 4 <= n)
        text += characters[draws.below(4)];
    return text.append(n - text.size(), ' ');
}

/* One index in each stretch of 1/fill slots: as many in each row, strictly increasing. */
SparseRows sparse_rows(std::size_t n, std::size_t width, double fill, uint64_t seed)
{
    Draws draws(seed);
    const std::size_t stretch = static_cast<std::size_t>(1 / fill), count = width / stretch;
    SparseRows rows = {std::vector<int32_t>(n, static_cast<int32_t>(count)), {}, width};
    rows.indices.reserve(n * count);
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t k = 0; k < count; k++)
            rows.indices.push_back(static_cast<int32_t>(k * stretch + draws.below(stretch)));
    return rows;
}

static std::string path_in_folder(const std::string &name)
{
    const char *given = std::getenv("DV_BENCH_DIR");
    const std::filesystem::path folder = given ? given : DVB_FOLDER;
    std::filesystem::create_directories(folder);
    return folder / name;
}

TemporaryFile::TemporaryFile(const std::string &name) : path(path_in_folder(name))
{
}

TemporaryFile::~TemporaryFile()
{
    std::remove(path.c_str());
}

} // namespace dvb
