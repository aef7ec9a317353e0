/* SPDX-License-Identifier: MIT */
/* idv_writer.cc: writes .idv files for the benchmarks, independently of the library. */
#include "idv_writer.h"
#include <cstdlib>
#include <cstring>
#include <libdeflate.h>
#include <unistd.h>

namespace dvb
{
namespace
{

constexpr uint64_t version = UINT64_C(0x0001000100010006);
constexpr char signature[] = "CML\0DVB"; /* and the NUL after it */
constexpr char tail_signature[] = "\0BVD\0LMC";

[[noreturn]] void fail(const char *what)
{
    std::perror(what);
    std::exit(1);
}

/* The bytes of a number, as in memory: little-endian on all supported machines. */
template <class T> std::string bytes_of(T value)
{
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}

std::string leb(uint64_t value)
{
    std::string out;
    for (; value > 0x7F; value >>= 7)
        out += static_cast<char>(value | 0x80);
    return out += static_cast<char>(value);
}

std::string str(const std::string &text)
{
    return leb(text.size()) + text;
}

} // namespace

IdvWriter::IdvWriter(const std::string &path, int64_t n, int64_t rpb)
    : file(std::fopen(path.c_str(), "wb")), at(0), rows(n), rows_per_block(rpb)
{
    if (!file)
        fail(path.c_str());
    put(std::string(256, '\0').data(), 256); /* the header, when all is known */
}

IdvWriter::~IdvWriter()
{
    if (file)
        std::fclose(file);
}

int IdvWriter::add(const std::string &name, const std::string &codec, bool is_deflated)
{
    columns.push_back({name, codec, is_deflated, ""});
    return static_cast<int>(columns.size()) - 1;
}

void IdvWriter::put(const void *data, std::size_t nbytes)
{
    if (std::fwrite(data, 1, nbytes, file) != nbytes)
        fail("writing an input");
    at += static_cast<int64_t>(nbytes);
}

void IdvWriter::enter(int column, std::size_t stored, std::size_t inflated)
{
    columns[static_cast<std::size_t>(column)].lookup += bytes_of(at) +
                                                        bytes_of(static_cast<int32_t>(stored)) +
                                                        bytes_of(static_cast<int32_t>(inflated));
}

void IdvWriter::block(int column, const void *data, std::size_t nbytes)
{
    if (!columns[static_cast<std::size_t>(column)].is_deflated) {
        enter(column, nbytes, nbytes);
        return put(data, nbytes);
    }
    const std::string small = deflated(data, nbytes);
    enter(column, small.size(), nbytes);
    put(small.data(), small.size());
}

void IdvWriter::hole(int column, std::size_t nbytes)
{
    enter(column, nbytes, nbytes);
    at += static_cast<int64_t>(nbytes);
    if (fseeko(file, at, SEEK_SET) != 0)
        fail("writing an input");
}

std::string IdvWriter::toc_entry(const Column &column, int64_t lookup) const
{
    return str(column.name) + column.codec + static_cast<char>(column.is_deflated) +
           leb(static_cast<uint64_t>(rows_per_block)) + bytes_of(lookup) + bytes_of(int64_t(0));
}

void IdvWriter::finish()
{
    std::string toc;
    for (const Column &column : columns) {
        toc += toc_entry(column, at);
        put(column.lookup.data(), column.lookup.size());
    }
    const int64_t toc_at = at;
    put(toc.data(), toc.size());
    const int64_t tail = at;
    put(tail_signature, 8);

    const std::string header = std::string(signature, 8) + bytes_of(version) + bytes_of(version) +
                               bytes_of(toc_at) + bytes_of(tail) + bytes_of(rows) +
                               bytes_of(static_cast<int32_t>(columns.size()));
    if (fseeko(file, 0, SEEK_SET) != 0)
        fail("writing an input");
    put(header.data(), header.size());
    /* To the disk now: it must not be busy with it while something is timed. */
    if (std::fflush(file) != 0 || fsync(fileno(file)) != 0 || std::fclose(file) != 0)
        fail("writing an input");
    file = nullptr;
}

std::string idv_codec(const std::string &name)
{
    return str(name) + leb(0);
}

std::string idv_vector_codec(const std::string &inner, int32_t size)
{
    return str("VBuffer") + str(idv_codec(inner) + bytes_of(int32_t(1)) + bytes_of(size));
}

std::string idv_text_block(const char *text, std::size_t n, std::size_t each)
{
    std::string block = bytes_of(static_cast<int32_t>(n));
    for (std::size_t i = 1; i <= n; i++)
        block += bytes_of(static_cast<int32_t>(i * each));
    return block + str(std::string(text, n * each));
}

std::string idv_vector_block(const int32_t *counts, std::size_t n, int32_t size,
                             const int32_t *indices, const float *items, std::size_t k)
{
    std::string block = bytes_of(static_cast<int32_t>(n)) + bytes_of(size);
    block.append(reinterpret_cast<const char *>(counts), 4 * n);
    block += bytes_of(static_cast<int32_t>(k));
    block.append(reinterpret_cast<const char *>(indices), 4 * k);
    return block.append(reinterpret_cast<const char *>(items), 4 * k);
}

std::string deflated(const void *data, std::size_t nbytes)
{
    static libdeflate_compressor *const state = libdeflate_alloc_compressor(6);
    std::string out(libdeflate_deflate_compress_bound(state, nbytes), '\0');
    out.resize(libdeflate_deflate_compress(state, data, nbytes, out.data(), out.size()));
    if (out.empty())
        fail("compressing an input");
    return out;
}

} // namespace dvb
