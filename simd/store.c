/* SPDX-License-Identifier: MIT */
/* store.c: finds the form of stores that is the fastest on this machine. */
#include "simd/store.h"
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <time.h>
#include <unistd.h>

#define CACHE_DEFAULT ((size_t)32 << 20) /* if it is unknown, as in some virtual machines */
#define ROUNDS 2

/* --- Size of the cache ------------------------------------------------------------------------ */

#if defined(__x86_64__)
#include <cpuid.h>

/* Return the size of the largest cache that a leaf of CPUID lists.  The CPU is queried before the C
 * library: on AMD, some versions of the library return the sum of all L3 caches, but a core uses
 * one of them. */
static size_t largest_of(uint32_t leaf)
{
    size_t largest = 0;
    uint32_t eax, ebx, ecx, edx;
    for (uint32_t i = 0; __get_cpuid_count(leaf, i, &eax, &ebx, &ecx, &edx) && eax % 32 != 0; i++) {
        const size_t ways = (ebx >> 22) + 1, partitions = (ebx >> 12 & 0x3FF) + 1;
        const size_t nbytes = ways * partitions * ((ebx & 0xFFF) + 1) * ((size_t)ecx + 1);
        largest = nbytes > largest ? nbytes : largest;
    }
    return largest;
}

static size_t query_cpu_cache(void)
{
    const size_t intel = largest_of(4);
    return intel > 0 ? intel : largest_of(0x8000001D);
}
#else
static size_t query_cpu_cache(void)
{
    return 0;
}
#endif

size_t dvi_store_cache_nbytes(void)
{
    const size_t cpu = query_cpu_cache();
    if (cpu > 0)
        return cpu;
    long library = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE /* only in glibc */
    library = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return library > 0 ? (size_t)library : CACHE_DEFAULT;
}

/* --- Choice of a form ------------------------------------------------------------------------- */

dvi_store dvi_store_form(size_t nbytes, size_t cache, int form)
{
    if (nbytes <= cache)
        return DVI_STORE_CACHED;
    return form == DVI_STORE_UNKNOWN ? DVI_STORE_STREAM : (dvi_store)form;
}

size_t dvi_store_sample(size_t nbytes, size_t cache)
{
    const size_t most = DVI_STORE_SAMPLE_MAX;
    const size_t sample = cache < most / 2 ? 2 * cache : most;
    return nbytes > cache && nbytes >= sample ? sample : 0;
}

/* If rows have many items, all forms take about as long.  That is no reason to give up streaming
 * for the rest of the process, so another form must save at least a sixteenth of the time. */
dvi_store dvi_store_choose(const int64_t ns[DVI_STORES])
{
    dvi_store best = DVI_STORE_STREAM;
    int64_t limit = ns[best] - ns[best] / 16;
    for (int form = 0; form < DVI_STORES; form++)
        if (ns[form] < limit) {
            best = (dvi_store)form;
            limit = ns[form];
        }
    return best;
}

/* --- Measurement ------------------------------------------------------------------------------ */

/* A matrix, and the rows to write there. */
typedef struct task {
    const dvi_densify_kernel *kernel;
    uint8_t *dst;
    size_t stride, width;
    dv_sparse rows;
} task;

static void write_rows(const task *t, dvi_store form)
{
    t->kernel->run(dvi_kernels(), t->dst, t->stride, t->width, &t->rows, form);
}

static int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Write the rows in every form, and return the best.  The first pass is not timed: it includes page
 * faults, and fills the cache with lines that the next pass has to write back. */
static dvi_store measure(const task *t)
{
    int64_t best[DVI_STORES];
    for (int form = 0; form < DVI_STORES; form++)
        best[form] = INT64_MAX;
    write_rows(t, DVI_STORE_CACHED);
    for (int i = 0; i < ROUNDS * DVI_STORES; i++) {
        const int form = i % DVI_STORES;
        const int64_t start = clock_ns();
        write_rows(t, (dvi_store)form);
        const int64_t ns = clock_ns() - start;
        best[form] = ns < best[form] ? ns : best[form];
    }
    return dvi_store_choose(best);
}

/* Write the rows of the first `sample` bytes and measure with them; *t keeps the others. */
static dvi_store measure_first(task *t, size_t sample)
{
    const size_t row_nbytes = t->width * t->kernel->item_nbytes, n = (sample - 1) / row_nbytes + 1;
    task first = *t;
    int64_t sums[2];
    first.rows.n = n < t->rows.n ? n : t->rows.n;
    dvi_kernels()->counts_check(&first.rows, 0, sums);
    const dvi_store form = measure(&first);

    t->dst += first.rows.n * t->stride * t->kernel->item_nbytes;
    t->rows = dvi_sparse_from(&t->rows, first.rows.n, (size_t)sums[0],
                              (size_t)sums[1] * t->kernel->stored_nbytes);
    return form;
}

/* cache and form are independent numbers, so relaxed order suffices. */
static size_t cache_of(dvi_store_state *store)
{
    size_t cache = atomic_load_explicit(&store->cache, memory_order_relaxed);
    if (cache == 0) {
        cache = dvi_store_cache_nbytes();
        atomic_store_explicit(&store->cache, cache, memory_order_relaxed);
    }
    return cache;
}

void dvi_store_densify(dvi_store_state *store, const dvi_densify_kernel *kernel, void *dst,
                       size_t stride, size_t width, const dv_sparse *rows)
{
    task t = {kernel, dst, stride, width, *rows};
    const size_t nbytes = rows->n * width * kernel->item_nbytes, cache = cache_of(store);
    int form = atomic_load_explicit(&store->form, memory_order_relaxed);
    const size_t sample = form == DVI_STORE_UNKNOWN ? dvi_store_sample(nbytes, cache) : 0;
    if (sample > 0) {
        form = (int)measure_first(&t, sample);
        atomic_store_explicit(&store->form, form, memory_order_relaxed);
    }
    write_rows(&t, dvi_store_form(nbytes, cache, form));
}

/* The state of the process. */
static dvi_store_state here = DVI_STORE_STATE_INIT;

void dvi_densify(const dvi_densify_kernel *kernel, void *dst, size_t stride, size_t width,
                 const dv_sparse *rows)
{
    dvi_store_densify(&here, kernel, dst, stride, width, rows);
}

dvi_store dvi_densify_form(size_t nbytes)
{
    return dvi_store_form(nbytes, cache_of(&here),
                          atomic_load_explicit(&here.form, memory_order_relaxed));
}

bool dvi_store_is_large(size_t nbytes)
{
    return nbytes > cache_of(&here) / 2;
}

/* On other architectures these stores are ordered like all others. */
void dvi_store_finish(void)
{
#if defined(__x86_64__)
    __asm__ volatile("sfence" ::: "memory");
#endif
}

void dvi_store_pretend(size_t cache)
{
    atomic_store_explicit(&here.cache, cache, memory_order_relaxed);
}
