/* SPDX-License-Identifier: MIT */
/* allocator.c: an allocator that counts, and fails on request. */
#include "support/allocator.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GARBAGE 0xA5
#define MAGIC UINT64_C(0x6C6976656C697665)

/* Precedes the memory. */
typedef struct header {
    uint64_t magic;
    void *start; /* of what malloc gave */
    size_t nbytes;
} header;

static header *header_of(void *memory)
{
    return (header *)(void *)((char *)memory - sizeof(header));
}

static void raise_highest(dvt_allocator *counted, int_fast64_t now)
{
    int_fast64_t highest = atomic_load(&counted->highest);
    while (highest < now && !atomic_compare_exchange_weak(&counted->highest, &highest, now)) {
    }
}

/* Any process and thread: the system appends one byte at a time. */
static void count_failure(void)
{
    const char *path = getenv("DV_FAILED_FILE");
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    if (write(fd, "x", 1) != 1)
        perror(path);
    close(fd);
}

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    dvt_allocator *counted = ctx;
    const bool is_large = counted->nbytes_most > 0 && nbytes > counted->nbytes_most;
    if (atomic_fetch_add(&counted->asked, 1) + 1 == counted->fail_at || is_large) {
        count_failure();
        return NULL;
    }
    if (nbytes == 0)
        return NULL;
    const size_t lead = alignment > sizeof(header) ? alignment : sizeof(header);
    char *start = malloc(lead + alignment + nbytes);
    if (!start)
        return NULL;
    const uintptr_t at = (uintptr_t)start + lead;
    char *memory = start + lead + (alignment - at % alignment) % alignment;
    *header_of(memory) = (header){MAGIC, start, nbytes};
    memset(memory, GARBAGE, nbytes);

    atomic_fetch_add(&counted->live, 1);
    const int_fast64_t now = atomic_fetch_add(&counted->nbytes, (int_fast64_t)nbytes);
    raise_highest(counted, now + (int_fast64_t)nbytes);
    return memory;
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    dvt_allocator *counted = ctx;
    header *h = header_of(memory);
    if (h->magic != MAGIC || h->nbytes != nbytes) {
        fprintf(stderr, "released %zu bytes that were not allocated so\n", nbytes);
        abort();
    }
    h->magic = 0;
    atomic_fetch_sub(&counted->live, 1);
    atomic_fetch_sub(&counted->nbytes, (int_fast64_t)nbytes);
    free(h->start);
}

int64_t dvt_fail_step(int64_t plain, int64_t sanitized)
{
    const char *asked = getenv("DV_FAIL_STEP");
    const int64_t step = asked ? strtoll(asked, NULL, 10) : 0;
#ifdef DVT_SANITIZED
    (void)plain;
    return step > 0 ? step : sanitized;
#else
    (void)sanitized;
    return step > 0 ? step : plain;
#endif
}

void dvt_allocator_init(dvt_allocator *counted, int64_t fail_at)
{
    memset(counted, 0, sizeof *counted);
    counted->allocator = (dv_allocator){allocate, release, counted};
    counted->fail_at = fail_at;
}
