/* SPDX-License-Identifier: MIT */
/* heap_peak.cc: counts what the heap has, in the place of the C library's functions, which do the
 * work.  While nothing is counted a call costs one more branch. */
#include "heap_peak.h"
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <malloc.h>

extern "C" {
void *__libc_malloc(std::size_t nbytes);
void *__libc_calloc(std::size_t n, std::size_t nbytes);
void *__libc_realloc(void *memory, std::size_t nbytes);
void *__libc_memalign(std::size_t alignment, std::size_t nbytes);
void __libc_free(void *memory);
}

namespace
{

std::atomic<bool> counts{false};
std::atomic<long long> held{0}, most{0}; /* bytes since counting began */

bool is_counting()
{
    return __builtin_expect(counts.load(std::memory_order_relaxed), false);
}

void change(long long nbytes)
{
    const long long now = held.fetch_add(nbytes) + nbytes;
    long long before = most.load();
    while (now > before && !most.compare_exchange_weak(before, now)) {
    }
}

long long size_of(void *memory)
{
    return static_cast<long long>(malloc_usable_size(memory));
}

void *counted(void *memory)
{
    if (is_counting() && memory)
        change(size_of(memory));
    return memory;
}

} // namespace

/* Whatever else allocates in the C library calls these. */
extern "C" {

void *malloc(std::size_t nbytes) noexcept
{
    return counted(__libc_malloc(nbytes));
}

void *calloc(std::size_t n, std::size_t nbytes) noexcept
{
    return counted(__libc_calloc(n, nbytes));
}

void *realloc(void *memory, std::size_t nbytes) noexcept
{
    if (!is_counting())
        return __libc_realloc(memory, nbytes);
    const long long before = size_of(memory);
    void *grown = __libc_realloc(memory, nbytes);
    if (grown || nbytes == 0)
        change((grown ? size_of(grown) : 0) - before);
    return grown;
}

void *memalign(std::size_t alignment, std::size_t nbytes) noexcept
{
    return counted(__libc_memalign(alignment, nbytes));
}

void *aligned_alloc(std::size_t alignment, std::size_t nbytes) noexcept
{
    return counted(__libc_memalign(alignment, nbytes));
}

int posix_memalign(void **memory_out, std::size_t alignment, std::size_t nbytes) noexcept
{
    void *memory = __libc_memalign(alignment, nbytes);
    if (!memory)
        return ENOMEM;
    *memory_out = counted(memory);
    return 0;
}

void free(void *memory) noexcept
{
    if (is_counting() && memory)
        change(-size_of(memory));
    __libc_free(memory);
}
}

namespace dvb
{

double heap_peak_of(const std::function<void()> &run)
{
    held = 0;
    most = 0;
    counts = true;
    run();
    counts = false;
    return static_cast<double>(most.load());
}

} // namespace dvb
