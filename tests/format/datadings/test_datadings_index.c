/* SPDX-License-Identifier: MIT */
/* test_datadings_index.c: side files have the bytes that the format page lists (datadings:7). */
#include "format/datadings/index/datadings_index.h"
#include "support/allocator.h"
#include "support/faults.h"
#include "support/reference_hash.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NBYTES ((int64_t)16 << 20)

/* The files written from an index, and their digests. */
typedef struct made {
    dv_buffer side[DVI_DATADINGS_SIDES];
    dvi_md5_text md5[DVI_DATADINGS_SIDES];
    dv_status status;
} made;

static dv_status write_side(dvi_datadings_index *index, dvi_datadings_side side, made *m,
                            const dv_allocator *allocator)
{
    dvi_md5_queue *queue = NULL;
    dvi_writer *writer;
    dv_status status = dvi_writer_create_memory(&writer, MOST_NBYTES, "", allocator, NULL);
    if (status == DV_OK)
        status = dvi_md5_queue_create(&queue, 1, allocator, NULL);
    if (status == DV_OK)
        status = dvi_datadings_index_write(index, side, writer, queue, &m->md5[side], NULL);
    if (status == DV_OK)
        dvi_writer_take(writer, &m->side[side]);
    dvi_writer_close(&writer);
    dvi_md5_queue_free(&queue);
    return status;
}

static void made_free(made *m)
{
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        dv_buffer_release(&m->side[side]);
}

static made write_all(dvi_datadings_index *index, const dv_allocator *allocator)
{
    made m = {.status = DV_OK};
    for (int side = 0; side < DVI_DATADINGS_SIDES && m.status == DV_OK; side++)
        m.status = write_side(index, (dvi_datadings_side)side, &m, allocator);
    return m;
}

static dv_status add(dvi_datadings_index *index, const char *key, int64_t nbytes)
{
    return dvi_datadings_index_add(index, dv_text_of(key), nbytes, NULL);
}

/* Hash keys that are all different. */
static dv_status hash(dvi_datadings_index *index)
{
    dvi_datadings_duplicate duplicate;
    const dv_status status = dvi_datadings_index_hash(index, 1, &duplicate, NULL);
    cr_expect_eq(duplicate.row, -1);
    return status;
}

static dvi_datadings_index *index_create(void)
{
    dvi_datadings_index *index;
    cr_assert_eq(dvi_datadings_index_create(&index, NULL, NULL), DV_OK);
    return index;
}

static void expect_md5(const made *m, const char *const digits[DVI_DATADINGS_SIDES])
{
    cr_assert_eq(m->status, DV_OK);
    for (int side = 0; side < DVI_DATADINGS_SIDES; side++)
        cr_expect_str_eq(m->md5[side].digits, digits[side], "%s",
                         dvi_datadings_suffix((dvi_datadings_side)side));
}

static void expect_bytes(const made *m, dvi_datadings_side side, const char *bytes, size_t n)
{
    cr_assert_eq(m->side[side].nbytes, n, "%s", dvi_datadings_suffix(side));
    cr_expect_eq(memcmp(m->side[side].data, bytes, n), 0, "%s", dvi_datadings_suffix(side));
}
#define EXPECT_BYTES(m, side, text) expect_bytes(m, DVI_DATADINGS_##side, text, sizeof text - 1)

Test(datadings_index, of_the_worked_example)
{
    static const char *const digits[] = {
        "da002f25a471125c45aa2318f9223b77", "51d10fe55657c83af780683279b03f83",
        "9186f1d6c566a9f886be753ae93b78f0", "90a980986cd3248a4edd5335c2a124ee"};
    dvi_datadings_index *index = index_create();
    cr_assert_eq(add(index, "a", 26), DV_OK);
    cr_assert_eq(add(index, "b/1", 84), DV_OK);
    cr_assert_eq(add(index, "\xC3\xBC", 92), DV_OK);
    cr_assert_eq(hash(index), DV_OK);
    made m = write_all(index, NULL);
    EXPECT_BYTES(&m, OFFSETS,
                 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x1a\0\0\0\0\0\0\0\x6e\0\0\0\0\0\0\0\xca");
    EXPECT_BYTES(&m, KEYS, "\x93\xa1\x61\xa3\x62\x2f\x31\xa2\xc3\xbc");
    EXPECT_BYTES(&m, HASHES,
                 "\x65\x2e\x53\x0e\xde\xe5\x89\x3b\x95\x3f\xfc\x3d\x13\x68\xba\x74"
                 "\x2f\xdb\xa4\x97\xa9\xb2\xd8\xa5\x96\x6c\x47\x9b\xa8\x69\x6f\x06");
    EXPECT_BYTES(
        &m, FILTER,
        "SIMPBLOO\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\x03\x3f\xd5\x55\x55\x55\x55\x55\x55\xe9");
    expect_md5(&m, digits);
    made_free(&m);
    dvi_datadings_index_free(&index);
    cr_expect_null(index);
    dvi_datadings_index_free(&index);
}

Test(datadings_index, md5_lines_of_the_worked_example)
{
    static const char lines[] = "18e40a37666336555c24832ebfb45b13  tiny.msgpack\n"
                                "da002f25a471125c45aa2318f9223b77  tiny.msgpack.offsets\n"
                                "51d10fe55657c83af780683279b03f83  tiny.msgpack.keys\n"
                                "9186f1d6c566a9f886be753ae93b78f0  tiny.msgpack.key_hashes\n"
                                "90a980986cd3248a4edd5335c2a124ee  tiny.msgpack.filter\n";
    static const dvi_md5_text data = {"18e40a37666336555c24832ebfb45b13"},
                              md5[] = {{"da002f25a471125c45aa2318f9223b77"},
                                       {"51d10fe55657c83af780683279b03f83"},
                                       {"9186f1d6c566a9f886be753ae93b78f0"},
                                       {"90a980986cd3248a4edd5335c2a124ee"}};
    dvi_writer *writer;
    dv_buffer got;
    cr_assert_eq(dvi_writer_create_memory(&writer, MOST_NBYTES, "", NULL, NULL), DV_OK);
    cr_expect_eq(dvi_datadings_write_md5(writer, "tiny.msgpack", &data, md5, NULL), DV_OK);
    dvi_writer_take(writer, &got);
    cr_assert_eq(got.nbytes, sizeof lines - 1);
    cr_expect_eq(memcmp(got.data, lines, got.nbytes), 0);
    dv_buffer_release(&got);
    dvi_writer_close(&writer);
}

Test(datadings_index, of_no_sample)
{
    static const char *const digits[] = {
        "7dea362b3fac8e00956a4952a3d4f474", "bc9abf1be59ffce180251d4cce755fe2",
        "76252e4b6195e3aa8ff7ca13296d62af", "0a1c236042f280d44febe7d5fcd0be58"};
    dvi_datadings_index *index = index_create();
    made m = write_all(index, NULL);
    EXPECT_BYTES(&m, OFFSETS, "\0\0\0\0\0\0\0\0");
    EXPECT_BYTES(&m, KEYS, "\x90");
    EXPECT_BYTES(&m, HASHES, "\x65\x2e\x53\x0e\xde\xe5\x89\x3b");
    EXPECT_BYTES(&m, FILTER, "SIMPBLOO\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\x02\x3f\xe0\0\0\0\0\0\0\0");
    expect_md5(&m, digits);
    made_free(&m);
    dvi_datadings_index_free(&index);
}

Test(datadings_index, of_one_sample)
{
    dvi_datadings_index *index = index_create();
    cr_assert_eq(add(index, "only", 10), DV_OK);
    cr_assert_eq(hash(index), DV_OK);
    made m = write_all(index, NULL);
    EXPECT_BYTES(&m, OFFSETS, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0a");
    EXPECT_BYTES(&m, KEYS, "\x91\xa4only");
    EXPECT_BYTES(&m, HASHES, "\x65\x2e\x53\x0e\xde\xe5\x89\x3b\x69\x58\x9e\x2d\x8d\x71\x31\x1b");
    EXPECT_BYTES(&m, FILTER,
                 "SIMPBLOO\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\x02\x3f\xe0\0\0\0\0\0\0\x25");
    made_free(&m);
    dvi_datadings_index_free(&index);
}

/* The size of {key: "k<i>", v: i}. */
static int64_t message_nbytes(int i, const char *key)
{
    return 1 + 4 + 1 + (int64_t)strlen(key) + 2 + (i < 128 ? 1 : i < 256 ? 2 : 3);
}

static dv_status add_numbered(dvi_datadings_index *index, int n)
{
    char key[16];
    dv_status status = DV_OK;
    for (int i = 0; i < n && status == DV_OK; i++) {
        snprintf(key, sizeof key, "k%d", i);
        status = add(index, key, message_nbytes(i, key));
    }
    return status == DV_OK ? hash(index) : status;
}

Test(datadings_index, of_a_thousand_samples)
{
    static const char *const digits[] = {
        "477bb3967f5175b832eeb57b29223600", "12fcb72e845109aa4c4f7669648d9d09",
        "944b728a6a7d940a03bdaadb7bd150ce", "73fb68fb7adbea47ca1c74ac579eed4c"};
    dvi_datadings_index *index = index_create();
    cr_assert_eq(add_numbered(index, 1000), DV_OK);
    made m = write_all(index, NULL);
    expect_md5(&m, digits);
    made_free(&m);
    m = write_all(index, NULL); /* the same again */
    expect_md5(&m, digits);
    made_free(&m);
    dvi_datadings_index_free(&index);
}

/* The head of .keys has its shortest form. */
Test(datadings_index, keys_have_the_shortest_head)
{
    static const struct {
        int n;
        const char *head;
        size_t nbytes;
    } heads[] = {{15, "\x9f", 1},
                 {16, "\xdc\x00\x10", 3},
                 {65535, "\xdc\xff\xff", 3},
                 {65536, "\xdd\x00\x01\x00\x00", 5}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        dvi_datadings_index *index = index_create();
        made m = {.status = DV_OK};
        cr_assert_eq(add_numbered(index, heads[i].n), DV_OK);
        cr_assert_eq(write_side(index, DVI_DATADINGS_KEYS, &m, NULL), DV_OK);
        cr_expect_eq(memcmp(m.side[DVI_DATADINGS_KEYS].data, heads[i].head, heads[i].nbytes), 0,
                     "%d keys", heads[i].n);
        cr_expect_eq(((const uint8_t *)m.side[DVI_DATADINGS_KEYS].data)[heads[i].nbytes], 0xA2);
        made_free(&m);
        dvi_datadings_index_free(&index);
    }
}

/* The head of each key, long or empty, has its shortest form. */
Test(datadings_index, each_key_has_the_shortest_head)
{
    static const struct {
        int64_t n;
        const char *head;
        size_t nbytes;
    } heads[] = {{0, "\xa0", 1},
                 {31, "\xbf", 1},
                 {32, "\xd9\x20", 2},
                 {255, "\xd9\xff", 2},
                 {256, "\xda\x01\x00", 3},
                 {65535, "\xda\xff\xff", 3},
                 {65536, "\xdb\x00\x01\x00\x00", 5}};
    static char x[65536];
    memset(x, 'x', sizeof x);
    dvi_datadings_index *index = index_create();
    made m = {.status = DV_OK};
    dvi_datadings_duplicate duplicate;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cr_assert_eq(dvi_datadings_index_add(index, (dv_text){x, heads[i].n}, 1, NULL), DV_OK);
    cr_assert_eq(hash(index), DV_OK);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        cr_assert_eq(dvi_datadings_index_add(index, (dv_text){x, heads[i].n}, 1, NULL), DV_OK);
        cr_assert_eq(dvi_datadings_index_hash(index, 1, &duplicate, NULL), DV_OK);
        cr_expect_eq(duplicate.before, (int64_t)i);
    }
    cr_assert_eq(write_side(index, DVI_DATADINGS_KEYS, &m, NULL), DV_OK);
    const uint8_t *p = (const uint8_t *)m.side[DVI_DATADINGS_KEYS].data + 1;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        cr_expect_eq(memcmp(p, heads[i].head, heads[i].nbytes), 0, "key %zu", i);
        p += heads[i].nbytes;
        cr_expect_eq(memcmp(p, x, (size_t)heads[i].n), 0, "key %zu", i);
        p += heads[i].n;
    }
    made_free(&m);
    dvi_datadings_index_free(&index);
}

Test(datadings_index, duplicate_key_is_returned)
{
    dvi_datadings_index *index = index_create();
    dvi_datadings_duplicate duplicate;
    cr_assert_eq(add_numbered(index, 100), DV_OK);
    cr_assert_eq(add(index, "twin of none", 7), DV_OK);
    cr_assert_eq(add(index, "k42", 7), DV_OK);
    cr_assert_eq(add(index, "after it", 7), DV_OK);
    cr_assert_eq(dvi_datadings_index_hash(index, 4, &duplicate, NULL), DV_OK);
    cr_expect_eq(duplicate.row, -1, "too few");
    cr_assert_eq(dvi_datadings_index_hash(index, 3, &duplicate, NULL), DV_OK);
    cr_expect_eq(duplicate.row, 101);
    cr_expect_eq(duplicate.before, 42);
    cr_expect(dv_text_equal(duplicate.key, dv_text_of("k42")));
    cr_assert_eq(hash(index), DV_OK, "it is removed");
    made m = {.status = DV_OK};
    cr_assert_eq(write_side(index, DVI_DATADINGS_OFFSETS, &m, NULL), DV_OK);
    cr_expect_eq(m.side[DVI_DATADINGS_OFFSETS].nbytes,
                 8 * 102); /* with the sample after it removed, too */
    made_free(&m);
    dvi_datadings_index_free(&index);
}

Test(datadings_index, key_too_long_is_refused)
{
    dvi_datadings_index *index = index_create();
    dv_error err = DV_ERROR_INIT;
    const dv_text key = {"", INT64_C(1) << 32};
    cr_expect_eq(dvi_datadings_index_add(index, key, 7, &err), DV_ERR_UNSUPPORTED);
    cr_expect_str_eq(err.rule, "datadings:9");
    dvi_datadings_index_free(&index);
}

/* Use an index from create to free. */
static dv_status gather_and_write(const dv_allocator *allocator)
{
    dvi_datadings_index *index;
    made m = {.status = dvi_datadings_index_create(&index, allocator, NULL)};
    if (m.status == DV_OK)
        m.status = add_numbered(index, 40);
    if (m.status == DV_OK)
        m = write_all(index, allocator);
    made_free(&m);
    dvi_datadings_index_free(&index);
    return m.status;
}

Test(datadings_index, any_allocation_may_fail)
{
    dvt_allocator counted;
    int64_t k = 0;
    dv_status status;
    do {
        dvt_allocator_init(&counted, ++k);
        status = gather_and_write(&counted.allocator);
        cr_assert_eq(counted.live, 0, "allocation %d", (int)k);
        cr_assert_eq(status, counted.asked < k ? DV_OK : DV_ERR_MEMORY);
    } while (status != DV_OK);
    cr_expect_gt(k, 12);
}

/* The first salt with which 16 keys have 16 different hashes of 6 bits. */
static int32_t first_salt(void)
{
    for (int32_t t = 0; t < DVI_KEY_SALTS; t++) {
        const dvi_key_salt salt = dvi_key_salt_of(t);
        uint64_t seen = 0;
        for (int i = 0; i < 16; i++) {
            char key[16];
            snprintf(key, sizeof key, "k%d", i);
            seen |= UINT64_C(1) << (dvt_key_hash(&salt, dv_text_of(key)) & 63);
        }
        if (__builtin_popcountll(seen) == 16)
            return t;
    }
    return -1;
}

/* Different keys with the same hash are no duplicates: another salt separates them. */
Test(datadings_index, salt_is_the_first_without_collisions)
{
    const int32_t t = first_salt();
    const dvi_key_salt salt = dvi_key_salt_of(t);
    dvi_datadings_index *index = index_create();
    made m = {.status = DV_OK};
    cr_assert_gt(t, 0);
    dvt_faults_start_at("dvi_key_probes", 1, DVT_FAULT_FROM, 0);
    cr_expect_eq(add_numbered(index, 16), DV_OK);
    cr_expect_eq(write_side(index, DVI_DATADINGS_HASHES, &m, NULL), DV_OK);
    dvt_faults_stop();
    cr_expect_eq(memcmp(m.side[DVI_DATADINGS_HASHES].data, salt.bytes, 8), 0, "salt %d", t);
    made_free(&m);
    dvi_datadings_index_free(&index);
}

Test(datadings_index, keys_that_collide_with_every_salt_are_refused)
{
    dvi_datadings_index *index = index_create();
    dvt_faults_start_at("dvi_key_probes", 1, DVT_FAULT_FROM, 0);
    cr_expect_eq(add_numbered(index, 65), DV_ERR_UNSUPPORTED);
    dvt_faults_stop();
    dvi_datadings_index_free(&index);
}
