/* SPDX-License-Identifier: MIT */
/* idv_writer.h: writes .idv files for the benchmarks, independently of the library (idv:2, idv:3).
 */
#ifndef DVB_IDV_WRITER_H
#define DVB_IDV_WRITER_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace dvb
{

/* A file of version 1.1.1.6, written from front to back.  Any failure ends the program. */
class IdvWriter
{
  public:
    IdvWriter(const std::string &path, int64_t rows, int64_t rows_per_block);
    ~IdvWriter();
    IdvWriter(const IdvWriter &) = delete;
    IdvWriter &operator=(const IdvWriter &) = delete;

    /* A column; its blocks are then added in order.  codec: a definition, see below. */
    int add(const std::string &name, const std::string &codec, bool is_deflated = false);
    void block(int column, const void *data, std::size_t nbytes);
    /* A stored block of zeros, which takes no room on disk. */
    void hole(int column, std::size_t nbytes);
    /* Lookup tables, TOC, tail; the file is then on disk, and in the page cache. */
    void finish();

    /* The offset of the next block. */
    int64_t offset() const
    {
        return at;
    }

  private:
    struct Column {
        std::string name, codec;
        bool is_deflated;
        std::string lookup; /* the entries, as they are written */
    };
    void put(const void *data, std::size_t nbytes);
    void enter(int column, std::size_t stored, std::size_t inflated);
    std::string toc_entry(const Column &column, int64_t lookup) const;

    std::FILE *file;
    int64_t at, rows, rows_per_block;
    std::vector<Column> columns;
};

/* Codec definitions (idv:4): without parameters, such as "Single", and a vector of such. */
std::string idv_codec(const std::string &name);
std::string idv_vector_codec(const std::string &inner, int32_t size);

/* Contents of blocks (idv:5): texts of equal length, all ASCII; sparse vectors. */
std::string idv_text_block(const char *text, std::size_t n, std::size_t each);
std::string idv_vector_block(const int32_t *counts, std::size_t n, int32_t size,
                             const int32_t *indices, const float *items, std::size_t k);
/* DEFLATE without a wrapper, level 6. */
std::string deflated(const void *data, std::size_t nbytes);

} // namespace dvb

#endif
