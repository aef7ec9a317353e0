/* SPDX-License-Identifier: MIT */
/* limit.cc: plain loops that are the limits of benchmarks. */
#include "limit.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <libdeflate.h>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

/* The compiler's own loops, for each instruction set that it knows: the limit is the machine's, not
 * that of the least machine. */
#if defined(__x86_64__) && defined(__GNUC__)
#define DVB_EVERY_LEVEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DVB_EVERY_LEVEL
#endif

namespace dvb
{

/* Several sums, because each addition to a single one would wait for the one before. */
DVB_EVERY_LEVEL uint32_t read(const void *src, std::size_t n)
{
    constexpr std::size_t lanes = 64;
    const uint32_t *p = static_cast<const uint32_t *>(src);
    const std::size_t words = n / 4;
    uint32_t sums[lanes] = {};
    std::size_t i = 0;
    for (; words - i >= lanes; i += lanes)
        for (std::size_t k = 0; k < lanes; k++)
            sums[k] += p[i + k];
    for (; i < words; i++)
        sums[0] += p[i];
    uint32_t sum = 0;
    for (const uint32_t lane : sums)
        sum += lane;
    return sum;
}

/* Runs of limited length, so that sums of the inputs' floats are exact and their order does not
 * matter.
 */
DVB_EVERY_LEVEL double sum_f4(const void *src, std::size_t n)
{
    constexpr std::size_t lanes = 64, piece = 64 * lanes;
    typedef float __attribute__((aligned(1), may_alias)) loose_float;
    const loose_float *p = static_cast<const loose_float *>(src);
    double sum = 0;
    for (std::size_t at = 0; at < n; at += piece) {
        const std::size_t end = std::min(at + piece, n);
        float sums[lanes] = {};
        std::size_t i = at;
        for (; end - i >= lanes; i += lanes)
            for (std::size_t k = 0; k < lanes; k++)
                sums[k] += p[i + k];
        for (; i < end; i++)
            sums[0] += p[i];
        float whole = 0;
        for (const float lane : sums)
            whole += lane;
        sum += static_cast<double>(whole);
    }
    return sum;
}

void set(void *dst, std::size_t n)
{
    std::memset(dst, 0, n);
}

#if defined(__x86_64__)
namespace
{

/* Stores of 16 bytes reach half the rate of those of 32, which reach that of whole lines. */
[[gnu::target("avx2")]] void set_lines(char *dst, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += 32)
        _mm256_stream_si256(reinterpret_cast<__m256i *>(dst + i), _mm256_setzero_si256());
}

void set_lines_of_any(char *dst, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i *>(dst + i), _mm_setzero_si128());
}

[[gnu::target("avx2")]] void copy_lines(char *dst, const char *src, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += 32)
        _mm256_stream_si256(reinterpret_cast<__m256i *>(dst + i),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i *>(src + i)));
}

void copy_lines_of_any(char *dst, const char *src, std::size_t n)
{
    for (std::size_t i = 0; i < n; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i *>(dst + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i *>(src + i)));
}

} // namespace

void set_stream(void *dst, std::size_t n)
{
    char *const p = static_cast<char *>(dst);
    const std::size_t whole = n / 64 * 64;
    if (__builtin_cpu_supports("avx2"))
        set_lines(p, whole);
    else
        set_lines_of_any(p, whole);
    _mm_sfence();
    std::memset(p + whole, 0, n - whole);
}

void repeat_stream(void *dst, std::size_t n, const void *src, std::size_t src_nbytes)
{
    const auto copy_some = __builtin_cpu_supports("avx2") ? copy_lines : copy_lines_of_any;
    for (std::size_t i = 0; i < n; i += src_nbytes)
        copy_some(static_cast<char *>(dst) + i, static_cast<const char *>(src),
                  std::min(src_nbytes, n - i));
    _mm_sfence();
}
#else
/* 64-bit ARM: memset clears whole lines (DC ZVA) by itself. */
void set_stream(void *dst, std::size_t n)
{
    std::memset(dst, 0, n);
}

void repeat_stream(void *dst, std::size_t n, const void *src, std::size_t src_nbytes)
{
    for (std::size_t i = 0; i < n; i += src_nbytes)
        std::memcpy(static_cast<char *>(dst) + i, src, std::min(src_nbytes, n - i));
}
#endif

void copy(void *dst, const void *src, std::size_t n)
{
    std::memcpy(dst, src, n);
}

namespace
{

/* A line of 64 bytes, as the words that it is read and written in. */
struct Line {
    uint64_t word[8];
};

inline void store(Line *dst, const Line &line)
{
    *dst = line;
}

#if defined(__x86_64__)
inline void store_stream(Line *dst, const Line &line)
{
    for (std::size_t k = 0; k < 8; k += 2)
        _mm_stream_si128(reinterpret_cast<__m128i *>(dst->word + k),
                         _mm_loadu_si128(reinterpret_cast<const __m128i *>(line.word + k)));
}
#else
inline void store_stream(Line *dst, const Line &line)
{
    *dst = line;
}
#endif

/* 64 items are as many lines as an item has bytes.  What is written is made of what was read. */
template <void Store(Line *, const Line &)>
[[gnu::always_inline]] inline void move_lines(void *dst, std::size_t dst_width, const void *src,
                                              std::size_t src_width, std::size_t n)
{
    Line *to = static_cast<Line *>(dst), line = {};
    const Line *from = static_cast<const Line *>(src);
    for (std::size_t i = 0; i < n; i += 64) {
        for (std::size_t k = 0; k < src_width; k++, from++)
            for (std::size_t j = 0; j < 8; j++)
                line.word[j] += from->word[j];
        for (std::size_t k = 0; k < dst_width; k++, to++)
            Store(to, line);
    }
}

} // namespace

DVB_EVERY_LEVEL void move(void *dst, std::size_t dst_width, const void *src, std::size_t src_width,
                          std::size_t n)
{
    move_lines<store>(dst, dst_width, src, src_width, n);
}

#if defined(__x86_64__)
namespace
{

/* As move_lines, by stores of 32 bytes. */
[[gnu::target("avx2")]] void move_wide(__m256i *to, std::size_t dst_width, const __m256i *from,
                                       std::size_t src_width, std::size_t n)
{
    __m256i low = _mm256_setzero_si256(), high = low;
    for (std::size_t i = 0; i < n; i += 64) {
        for (std::size_t k = 0; k < src_width; k++, from += 2) {
            low = _mm256_add_epi64(low, _mm256_loadu_si256(from));
            high = _mm256_add_epi64(high, _mm256_loadu_si256(from + 1));
        }
        for (std::size_t k = 0; k < dst_width; k++, to += 2) {
            _mm256_stream_si256(to, low);
            _mm256_stream_si256(to + 1, high);
        }
    }
}

} // namespace

void move_stream(void *dst, std::size_t dst_width, const void *src, std::size_t src_width,
                 std::size_t n)
{
    if (__builtin_cpu_supports("avx2"))
        move_wide(static_cast<__m256i *>(dst), dst_width, static_cast<const __m256i *>(src),
                  src_width, n);
    else
        move_lines<store_stream>(dst, dst_width, src, src_width, n);
}
#else
void move_stream(void *dst, std::size_t dst_width, const void *src, std::size_t src_width,
                 std::size_t n)
{
    move_lines<store_stream>(dst, dst_width, src, src_width, n);
}
#endif

DVB_EVERY_LEVEL uint64_t gather(const uint32_t *src, const uint32_t *index, std::size_t n)
{
    uint64_t sum = 0;
    for (std::size_t i = 0; i < n; i++)
        sum += src[index[i]];
    return sum;
}

/* --- Files ------------------------------------------------------------------------------------ */

namespace
{

[[noreturn]] void fail(const char *what)
{
    std::perror(what);
    std::exit(1);
}

int open_file(const std::string &path)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fail(path.c_str());
    return fd;
}

double sum_words(const void *src, std::size_t n)
{
    return read(src, 4 * n);
}

/* sum_of: the sum of n words of 4 bytes. */
double walk_mapped(const std::string &path, int64_t offset, std::size_t nbytes,
                   double sum_of(const void *src, std::size_t n))
{
    constexpr std::size_t window = std::size_t(2) << 20;
    const int fd = open_file(path);
    const std::size_t whole = static_cast<std::size_t>(lseek(fd, 0, SEEK_END));
    void *map = mmap(nullptr, whole, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        fail("mmap");
    char *data = static_cast<char *>(map);
    const std::size_t first = static_cast<std::size_t>(offset), last = first + nbytes;
    double sum = 0;
    for (std::size_t at = first / window * window; at < last; at += window) {
        const std::size_t from = std::max(at, first), to = std::min(at + window, last);
        if (madvise(data + at, std::min(window, whole - at), MADV_POPULATE_READ) != 0)
            fail("madvise");
        sum += sum_of(data + from, (to - from) / 4);
    }
    munmap(map, whole);
    close(fd);
    return sum;
}

} // namespace

double scan_mapped(const std::string &path, int64_t offset, std::size_t nbytes)
{
    return walk_mapped(path, offset, nbytes, sum_f4);
}

double read_mapped(const std::string &path, int64_t offset, std::size_t nbytes)
{
    return walk_mapped(path, offset, nbytes, sum_words);
}

double scan_pread(const std::string &path, int64_t offset, std::size_t nbytes)
{
    constexpr std::size_t piece = std::size_t(256) << 10;
    const std::unique_ptr<char[]> room(new char[piece]);
    const int fd = open_file(path);
    double sum = 0;
    for (std::size_t at = 0; at < nbytes; at += piece) {
        const std::size_t n = std::min(piece, nbytes - at);
        if (pread(fd, room.get(), n, offset + static_cast<int64_t>(at)) != static_cast<ssize_t>(n))
            fail("pread");
        sum += sum_f4(room.get(), n / 4);
    }
    close(fd);
    return sum;
}

/* --- Compressed blocks ------------------------------------------------------------------------ */

bool inflate(const std::vector<Deflated> &blocks, int threads)
{
    std::size_t most = 0;
    for (const Deflated &block : blocks)
        most = std::max(most, block.inflated);
    std::atomic<std::size_t> next(0);
    std::atomic<bool> is_sound(true);
    const auto work = [&] {
        libdeflate_decompressor *state = libdeflate_alloc_decompressor();
        const std::unique_ptr<char[]> room(new char[most]);
        for (std::size_t k = next++; k < blocks.size(); k = next++)
            if (libdeflate_deflate_decompress(state, blocks[k].data, blocks[k].stored, room.get(),
                                              blocks[k].inflated, nullptr) != LIBDEFLATE_SUCCESS)
                is_sound = false;
        libdeflate_free_decompressor(state);
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++)
        others.emplace_back(work);
    work();
    for (std::thread &other : others)
        other.join();
    return is_sound;
}

std::size_t deflate(const void *data, std::size_t n, std::size_t each, int threads)
{
    std::atomic<std::size_t> next(0), made(0);
    const auto work = [&] {
        libdeflate_compressor *state = libdeflate_alloc_compressor(6);
        const std::size_t cap = libdeflate_deflate_compress_bound(state, each);
        const std::unique_ptr<char[]> room(new char[cap]);
        for (std::size_t at = next.fetch_add(each); at < n; at = next.fetch_add(each))
            made += libdeflate_deflate_compress(state, static_cast<const char *>(data) + at,
                                                std::min(each, n - at), room.get(), cap);
        libdeflate_free_compressor(state);
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++)
        others.emplace_back(work);
    work();
    for (std::thread &other : others)
        other.join();
    return made;
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    std::perror(what);
    std::exit(1);
}

static void sync_and_close(int fd, bool sync)
{
    must(!sync || fsync(fd) == 0, "fsync");
    must(close(fd) == 0, "close");
}

void write_copied(const std::string &path, const void *data, std::size_t n, bool sync)
{
    static char buffer[1 << 20];
    const std::string other = path + ".other";
    const int fd = ::open(other.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    must(fd >= 0, other.c_str());
    for (std::size_t at = 0; at < n; at += sizeof buffer) {
        const std::size_t nbytes = std::min(sizeof buffer, n - at);
        std::memcpy(buffer, static_cast<const char *>(data) + at, nbytes);
        must(write(fd, buffer, nbytes) == static_cast<ssize_t>(nbytes), "write");
    }
    sync_and_close(fd, sync);
    must(std::rename(other.c_str(), path.c_str()) == 0, "rename");
    const int folder = ::open(path.substr(0, path.rfind('/')).c_str(), O_RDONLY | O_CLOEXEC);
    must(folder >= 0, "folder");
    sync_and_close(folder, sync);
}

} // namespace dvb
