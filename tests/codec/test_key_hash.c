/* SPDX-License-Identifier: MIT */
/* test_key_hash.c: keys have the hashes listed in the specification (datadings:2.3). */
#include "codec/key_hash.h"
#include "support/page.h"
#include "support/reference_hash.h"
#include "support/test.h"
#include <string.h>

/* A key: `times` times the same text. */
typedef struct vector {
    const char *text;
    size_t times;
    uint64_t hash;
    dvi_key_probe probe;
} vector;

#define U(hex) UINT64_C(0x##hex)

static const vector vectors[] = {
    {"", 1, U(f8078c18cdbe676b), {U(69217a3079908094), U(e11121d042354a7c)}},
    {"a", 1, U(953ffc3d1368ba74), {U(4a0d129873403037), U(c2cd9b9048203687)}},
    {"x", 63, U(f18edb26aa7563e1), {U(b50445cd4b286a6d), U(e121a47cff94a42c)}},
    {"x", 64, U(728a18a74cb10a69), {U(c13eb20b85b1d6a7), U(2d52af717429fc54)}},
    {"x", 65, U(73887fd2c71bd9a6), {U(77f538c970521d7f), U(5b94c5e8c88b8ce3)}},
    {"x", 128, U(38a001db5fea6926), {U(0b81df8f2e8616dc), U(992bff767a30f204)}},
    {"x", 200, U(8d7497ad017259be), {U(1b4e3b53c353aa90), U(e148efe4699c5f60)}},
    {"\xC3\xBC", 1, U(966c479ba8696f06), {U(b32687ad4d21f6b8), U(d82e40fb25aaec25)}},
    {"\xF0\x9F\x98\x80", 1, U(e730e3171dd87809), {U(5fa0cc72c04f74a3), U(10bd932960dc8ab8)}},
    {"only", 1, U(69589e2d8d71311b), {U(0), U(0)}}, /* of datadings:7, which has no probes of it */
};
enum { VECTORS = sizeof vectors / sizeof *vectors };

/* The key, right before a guard page. */
static dv_text key_of(const vector *v)
{
    const size_t n = strlen(v->text);
    uint8_t *at = dvt_page_end(dvt_shared_page(0), n * v->times);
    for (size_t i = 0; i < v->times; i++)
        memcpy(at + i * n, v->text, n);
    return (dv_text){(const char *)at, (int64_t)(n * v->times)};
}

static dvi_key_probe probe_of(const dvi_key_salt *salt, dv_text key)
{
    dvi_key_probe probe;
    dvi_key_probes(&probe, salt, &key, 1);
    return probe;
}

static uint64_t hash_of(const dvi_key_salt *salt, dv_text key)
{
    return probe_of(salt, key).first;
}

Test(key_hash, is_that_of_the_vectors)
{
    const dvi_key_salt salt = dvi_key_salt_of(0);
    for (size_t i = 0; i < VECTORS; i++) {
        const dv_text key = key_of(&vectors[i]);
        cr_expect_eq(hash_of(&salt, key), vectors[i].hash, "vector %zu", i);
        cr_expect_eq(dvt_key_hash(&salt, key), vectors[i].hash, "vector %zu", i);
    }
}

Test(key_hash, probe_is_that_of_the_vectors)
{
    for (size_t i = 0; i + 1 < VECTORS; i++) {
        const dv_text key = key_of(&vectors[i]);
        const dvi_key_probe probe = probe_of(NULL, key), other = dvt_key_probe_of(key);
        cr_expect_eq(probe.first, vectors[i].probe.first, "vector %zu", i);
        cr_expect_eq(probe.step, vectors[i].probe.step, "vector %zu", i);
        cr_expect_eq(other.first, vectors[i].probe.first, "vector %zu", i);
        cr_expect_eq(other.step, vectors[i].probe.step, "vector %zu", i);
    }
}

Test(key_hash, salts_are_those_of_the_specification)
{
    static const char *const salts[] = {
        "\x65\x2e\x53\x0e\xde\xe5\x89\x3b", "\x62\x58\x51\xe3\x87\x6e\x6e\x6d",
        "\xcd\x7a\xec\x45\x9f\xb9\xc9\xfd", "\x7a\xa7\xf8\x02\xdd\x1e\xb5\xd0"};
    for (int32_t t = 0; t < 4; t++) {
        const dvi_key_salt salt = dvi_key_salt_of(t);
        cr_expect_eq(memcmp(salt.bytes, salts[t], sizeof salt.bytes), 0, "salt %d", t);
    }
    /* The number is text: of two digits, its probe's first half. */
    const dvi_key_salt salt = dvi_key_salt_of(42);
    const dvi_key_probe probe = dvt_key_probe_of(dv_text_of("42"));
    for (int i = 0; i < 8; i++)
        cr_expect_eq(salt.bytes[i], (uint8_t)(probe.first >> (56 - 8 * i)));
}

Test(key_hash, salt_is_in_the_parameter_block)
{
    const dv_text key = dv_text_of("a");
    const dvi_key_salt none = {{0}}, salt = dvi_key_salt_of(1);
    cr_expect_eq(hash_of(&none, key), probe_of(NULL, key).first);
    cr_expect_neq(hash_of(&salt, key), vectors[1].hash);
}

Test(key_hash, empty_text_is_a_key)
{
    const dvi_key_salt salt = dvi_key_salt_of(0);
    cr_expect_eq(hash_of(&salt, (dv_text){NULL, 0}), vectors[0].hash);
}

/* Many keys in one call, compared with the reference implementation. */
Test(key_hash, of_many_is_that_of_each)
{
    enum { KEYS = 300 };
    static char bytes[KEYS];
    const dvi_key_salt salt = dvi_key_salt_of(7);
    dv_text keys[KEYS];
    dvi_key_probe salted[KEYS], plain[KEYS];
    for (size_t i = 0; i < KEYS; i++) {
        bytes[i] = (char)(37 * i + i / 7);
        keys[i] = (dv_text){bytes, (int64_t)(i * 89 % KEYS)}; /* each length once */
    }
    dvi_key_probes(salted, &salt, keys, KEYS);
    dvi_key_probes(plain, NULL, keys, KEYS);
    for (size_t i = 0; i < KEYS; i++) {
        const dvi_key_probe probe = dvt_key_probe_of(keys[i]);
        cr_expect_eq(salted[i].first, dvt_key_hash(&salt, keys[i]), "key %zu", i);
        cr_expect_eq(plain[i].first, probe.first, "key %zu", i);
        cr_expect_eq(plain[i].step, probe.step, "key %zu", i);
    }
}
