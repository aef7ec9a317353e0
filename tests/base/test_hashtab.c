/* SPDX-License-Identifier: MIT */
/* test_hashtab.c: every text that was put is found, and no other. */
#include "base/compiler.h"
#include "base/hashtab.h"
#include "support/allocator.h"
#include "support/page.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEYS 5000

/* KEYS distinct texts of various lengths; some are prefixes of others, some contain NUL. */
static dv_text key_of(int32_t number)
{
    static char texts[KEYS][24];
    char *text = texts[number];
    int n = snprintf(text, sizeof texts[0], "%d", number);
    for (int pad = number % 9; pad > 0; pad--)
        text[n++] = pad % 2 ? 'x' : '\0';
    return (dv_text){text, n};
}

/* Replaces that of the C library: a system that has just started has no random bytes yet. */
static bool is_without_random;

ssize_t getrandom(void *dst, size_t nbytes, unsigned flags)
{
    if (is_without_random)
        return -1;
    DVI_WRITTEN(dst, nbytes);
    return syscall(SYS_getrandom, dst, nbytes, flags);
}

static dvi_hashtab filled(dvt_allocator *counted, int32_t keys)
{
    dvi_hashtab table;
    dvi_hashtab_init(&table, &counted->allocator);
    for (int32_t k = 0; k < keys; k++) {
        int32_t before = 7;
        cr_assert_eq(dvi_hashtab_put(&table, key_of(k), k, &before, NULL), DV_OK);
        cr_assert_eq(before, -1, "key %d", k);
    }
    return table;
}

Test(hashtab, finds_all_keys_put)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_hashtab table = filled(&counted, KEYS / 2);
    for (int32_t k = 0; k < KEYS; k++)
        cr_assert_eq(dvi_hashtab_get(&table, key_of(k)), k < KEYS / 2 ? k : -1, "key %d", k);
    cr_expect_eq(table.used, KEYS / 2);
    cr_expect_eq(counted.live, 1);
    dvi_hashtab_free(&table);
    cr_expect_eq(counted.live, 0);
}

Test(hashtab, putting_again_returns_the_previous_number)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_hashtab table = filled(&counted, 300);
    for (int32_t k = 0; k < 300; k++) {
        int32_t before;
        cr_assert_eq(dvi_hashtab_put(&table, key_of(k), 1000 + k, &before, NULL), DV_OK);
        cr_assert_eq(before, k);
        cr_assert_eq(dvi_hashtab_get(&table, key_of(k)), 1000 + k);
    }
    cr_expect_eq(table.used, 300);
    dvi_hashtab_free(&table);
}

Test(hashtab, an_empty_table_finds_nothing)
{
    dvi_hashtab table;
    dvi_hashtab_init(&table, NULL);
    cr_expect_eq(dvi_hashtab_get(&table, key_of(0)), -1);
    dvi_hashtab_free(&table);
    cr_expect_eq(dvi_hashtab_get(&table, key_of(0)), -1);
    dvi_hashtab_free(&table);
}

/* The empty text with a NULL pointer left its slot free: it was counted but never found. */
Test(hashtab, the_empty_text_is_a_key)
{
    dvi_hashtab table;
    dvi_hashtab_init(&table, NULL);
    int32_t before;
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){NULL, 0}), -1);
    cr_expect_eq(dvi_hashtab_put(&table, (dv_text){NULL, 0}, 4, &before, NULL), DV_OK);
    cr_expect_eq(before, -1);
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){NULL, 0}), 4);
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){"x", 0}), 4);
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){"x", 1}), -1);
    cr_expect_eq(dvi_hashtab_put(&table, (dv_text){"", 0}, 5, &before, NULL), DV_OK);
    cr_expect_eq(before, 4);
    cr_expect_eq(table.used, 1);
    dvi_hashtab_free(&table);
}

Test(hashtab, na_is_not_the_empty_text)
{
    dvi_hashtab table;
    dvi_hashtab_init(&table, NULL);
    int32_t before;
    cr_expect_eq(dvi_hashtab_put(&table, (dv_text){"", 0}, 1, &before, NULL), DV_OK);
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){NULL, -1}), -1);
    cr_expect_eq(dvi_hashtab_put(&table, (dv_text){NULL, -1}, 2, &before, NULL), DV_OK);
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){NULL, -1}), 2);
    cr_expect_eq(dvi_hashtab_get(&table, (dv_text){"", 0}), 1);
    dvi_hashtab_free(&table);
}

Test(hashtab, reads_no_byte_after_a_key)
{
    dvi_hashtab table;
    dvi_hashtab_init(&table, NULL);
    char bytes[40];
    memset(bytes, 'k', sizeof bytes);
    int32_t before;
    for (int32_t n = 0; n < 40; n++)
        cr_assert_eq(dvi_hashtab_put(&table, (dv_text){bytes, n}, n, &before, NULL), DV_OK);
    for (int32_t n = 0; n < 40; n++) {
        const uint8_t *end = dvt_page_copy_end(dvt_shared_page(0), bytes, (size_t)n);
        cr_assert_eq(dvi_hashtab_get(&table, (dv_text){(const char *)end, n}), n);
    }
    dvi_hashtab_free(&table);
}

/* Two tables put the same keys in different slots, so colliding names cannot be prepared. */
Test(hashtab, tables_differ_by_their_seed)
{
    dvi_hashtab table[2];
    for (int without = 0; without < 2; without++) {
        is_without_random = without;
        for (int i = 0; i < 2; i++) {
            int32_t before;
            dvi_hashtab_init(&table[i], NULL);
            cr_assert_eq(dvi_hashtab_put(&table[i], dv_text_of("a"), 1, &before, NULL), DV_OK);
        }
        is_without_random = false;
        cr_expect_neq(table[0].seed, table[1].seed);
        dvi_hashtab_free(&table[0]);
        dvi_hashtab_free(&table[1]);
    }
}

Test(hashtab, survives_every_failed_allocation)
{
    for (int64_t k = 1;; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        dvi_hashtab table;
        dvi_hashtab_init(&table, &counted.allocator);
        int32_t put = 0, before;
        dv_error err = DV_ERROR_INIT;
        while (put < 200 && dvi_hashtab_put(&table, key_of(put), put, &before, &err) == DV_OK)
            put++;
        for (int32_t i = 0; i < 200; i++)
            cr_assert_eq(dvi_hashtab_get(&table, key_of(i)), i < put ? i : -1);
        if (put < 200) /* repeat the failed call */
            cr_assert_eq(dvi_hashtab_put(&table, key_of(put), put, &before, NULL), DV_OK);
        cr_expect_eq(err.status, put < 200 ? DV_ERR_MEMORY : DV_OK);
        dvi_hashtab_free(&table);
        cr_assert_eq(counted.live, 0);
        if (put == 200) {
            cr_expect_gt(k, 3);
            break;
        }
    }
}
