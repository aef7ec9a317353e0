/* SPDX-License-Identifier: MIT */
/* meter.c: an allocator that counts, limits and fails. */
#include "meter.h"
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvt_check(bool holds, const char *property, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
    abort();
}

/* --- Large blocks ----------------------------------------------------------------------------- */

enum { LARGE_NBYTES = 32 << 10, KEPT_NBYTES = 2 << 20, KEPT = 32 };

/* Released blocks of LARGE_NBYTES to KEPT_NBYTES. Reusing them spares page faults, which took half
 * of the time of some targets. */
static struct {
    pthread_mutex_t lock;
    struct {
        void *memory;
        size_t nbytes;
    } block[KEPT];
    size_t next;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A block of exactly this size, or NULL. */
static void *take_kept(size_t nbytes, size_t alignment)
{
    void *memory = NULL;
    pthread_mutex_lock(&kept.lock);
    for (size_t i = 0; i < KEPT && !memory && nbytes >= LARGE_NBYTES; i++)
        if (kept.block[i].memory && kept.block[i].nbytes == nbytes &&
            (uintptr_t)kept.block[i].memory % alignment == 0) {
            memory = kept.block[i].memory;
            kept.block[i].memory = NULL;
        }
    pthread_mutex_unlock(&kept.lock);
    if (memory)
        ASAN_UNPOISON_MEMORY_REGION(memory, nbytes);
    return memory;
}

/* Keep the block in place of the oldest one, which is freed. */
static void keep_or_free(void *memory, size_t nbytes)
{
    void *oldest = memory;
    if (nbytes >= LARGE_NBYTES && nbytes <= KEPT_NBYTES) {
        ASAN_POISON_MEMORY_REGION(memory, nbytes);
        pthread_mutex_lock(&kept.lock);
        for (size_t i = 0; i < KEPT; i++)
            DVT_CHECK(kept.block[i].memory != memory); /* released twice */
        oldest = kept.block[kept.next].memory;
        if (oldest)
            ASAN_UNPOISON_MEMORY_REGION(oldest, kept.block[kept.next].nbytes);
        kept.block[kept.next].memory = memory;
        kept.block[kept.next].nbytes = nbytes;
        kept.next = (kept.next + 1) % KEPT;
        pthread_mutex_unlock(&kept.lock);
    }
    free(oldest);
}

/* --- The allocator ---------------------------------------------------------------------------- */

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    dvt_meter *meter = ctx;
    const long long number = atomic_fetch_add(&meter->asked, 1) + 1;
    DVT_CHECK(nbytes > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    const long long since = number - atomic_load(&meter->fail_at);
    if (since >= 0 && since < atomic_load(&meter->fail_count))
        return NULL;
    if (meter->most_nbytes > 0) {
        DVT_CHECK(nbytes <= (size_t)meter->most_nbytes);
        DVT_CHECK(atomic_load(&meter->live_nbytes) + (long long)nbytes <= meter->most_nbytes);
    }
    void *memory = take_kept(nbytes, alignment);
    if (!memory &&
        posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, nbytes) != 0)
        return NULL;
    memset(memory, (int)(0xA5 ^ (number & 0x7F)),
           nbytes); /* so that two reads of unset memory differ */
    const long long live =
        atomic_fetch_add(&meter->live_nbytes, (long long)nbytes) + (long long)nbytes;
    long long highest = atomic_load(&meter->highest_nbytes);
    while (highest < live &&
           !atomic_compare_exchange_weak(&meter->highest_nbytes, &highest, live)) {
    }
    return memory;
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    dvt_meter *meter = ctx;
    const long long before = atomic_fetch_sub(&meter->live_nbytes, (long long)nbytes);
    DVT_CHECK(memory != NULL && before >= (long long)nbytes);
    keep_or_free(memory, nbytes);
}

dv_allocator dvt_meter_allocator(dvt_meter *meter)
{
    return (dv_allocator){allocate, release, meter};
}
