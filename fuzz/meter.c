/* SPDX-License-Identifier: MIT */
/* meter.c: an allocator that counts, limits and fails. */
#include "meter.h"
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
    void *memory = NULL;
    if (posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, nbytes) != 0)
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
    free(memory);
}

dv_allocator dvt_meter_allocator(dvt_meter *meter)
{
    return (dv_allocator){allocate, release, meter};
}
