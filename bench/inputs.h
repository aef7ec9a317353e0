/* SPDX-License-Identifier: MIT */
/* inputs.h: generates the inputs of the benchmarks from seeds; nothing is downloaded. */
#ifndef DVB_INPUTS_H
#define DVB_INPUTS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dvb
{

/* Pseudo-random numbers, the same in every run (SplitMix64). */
class Draws
{
  public:
    explicit Draws(uint64_t seed) : state(seed)
    {
    }
    uint64_t next();
    uint64_t below(uint64_t n); /* 0..n-1 */

  private:
    uint64_t state;
};

/* Memory at a multiple of 64 whose pages are there: no luck in the figures. */
class Buffer
{
  public:
    explicit Buffer(std::size_t n);
    ~Buffer();
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    char *data() const
    {
        return memory;
    }
    std::size_t size() const
    {
        return nbytes;
    }

  private:
    char *memory;
    std::size_t nbytes;
};

/* Several times the last-level cache, a power of two of at most 512 MiB. */
std::size_t beyond_cache();

/* Floats in steps of 1/16 from 0 to 64: they compress as measured features do, and sums of some
 * thousands are exact. */
std::vector<float> floats(std::size_t n, uint64_t seed);

/* n bytes of text: letters and spaces, or characters of 1 to 4 bytes, as many of each. */
std::string ascii(std::size_t n, uint64_t seed);
std::string mixed(std::size_t n, uint64_t seed);

/* Rows of `width` slots of which a share is filled, at random positions. */
struct SparseRows {
    std::vector<int32_t> counts, indices;
    std::size_t width;
};
SparseRows sparse_rows(std::size_t n, std::size_t width, double fill, uint64_t seed);

/* A path in $DV_BENCH_DIR, else in the build folder; the file is removed with the object. */
class TemporaryFile
{
  public:
    explicit TemporaryFile(const std::string &name);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    const std::string path;
};

} // namespace dvb

#endif
