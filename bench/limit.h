/* SPDX-License-Identifier: MIT */
/* limit.h: plain loops that are the limits of benchmarks. */
#ifndef DVB_LIMIT_H
#define DVB_LIMIT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dvb
{

/* Memory.  Each is one call over n bytes; the harness repeats and times. */
uint32_t read(const void *src, std::size_t n); /* the sum of its 4-byte words, which wraps */
double sum_f4(const void *src, std::size_t n); /* of n floats at any address */
void set(void *dst, std::size_t n);            /* memset */
void set_stream(void *dst, std::size_t n);     /* zeros past the cache; dst at a multiple of 64 */
void copy(void *dst, const void *src, std::size_t n); /* memcpy */
/* Copies of src_nbytes, a multiple of 64 within the first cache, one after another past the cache.
 * n is a multiple of 64, dst at a multiple of 64. */
void repeat_stream(void *dst, std::size_t n, const void *src, std::size_t src_nbytes);
/* Read n times src_width bytes and write n times dst_width: what any loop must do that makes items
 * of others, and nothing else.  n is a multiple of 64, dst at a multiple of 64; past the cache or
 * not. */
void move(void *dst, std::size_t dst_width, const void *src, std::size_t src_width, std::size_t n);
void move_stream(void *dst, std::size_t dst_width, const void *src, std::size_t src_width,
                 std::size_t n);
/* The sum of src[index[i]], n of them. */
uint64_t gather(const uint32_t *src, const uint32_t *index, std::size_t n);

/* Files in the page cache. */

/* What a caller would write who has no library: map the file, prefault each window of 2 MiB as we
 * do, sum the floats in nbytes at offset, unmap. */
double scan_mapped(const std::string &path, int64_t offset, std::size_t nbytes);
/* The same for bytes that are not floats: whole words of 4. */
double read_mapped(const std::string &path, int64_t offset, std::size_t nbytes);
/* The same by pread, in blocks that fit in the cache. */
double scan_pread(const std::string &path, int64_t offset, std::size_t nbytes);

/* Compressed blocks in memory. */
struct Deflated {
    const void *data;
    std::size_t stored, inflated;
};
/* Bare libdeflate on all of them, by 1 or more threads that take turns; false: broken data. */
bool inflate(const std::vector<Deflated> &blocks, int threads);
/* The other way: blocks of `each` bytes of n, at libdeflate's level 6.  Returns the bytes that they
 * become. */
std::size_t deflate(const void *data, std::size_t n, std::size_t each, int threads);

/* What a caller without the library would write for these bytes: a temporary file, written through
 * a buffer, synced with its folder or not, and renamed to path. */
void write_copied(const std::string &path, const void *data, std::size_t n, bool sync);

} // namespace dvb

#endif
