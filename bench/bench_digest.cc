/* SPDX-License-Identifier: MIT */
/* bench_digest.cc: measures digests of bytes and columns; the limits are XXH3 itself, a read loop
 * and libcrypto's MD5. */
#include "harness.h"
#include "inputs.h"
#include "limit.h"
#include "report.h"
#include <dataview/digest.h>
#include <cstring>
#include <memory>
#define XXH_INLINE_ALL
#include <xxhash.h>
#ifdef DVB_HAS_LIBCRYPTO
#include <openssl/evp.h>
#endif

extern "C" {
#include "codec/md5.h"
}

namespace
{

void add_bytes(std::size_t n)
{
    const std::string size = "/" + dvb::size_name(double(n));
    const auto prepare = [=](bool beside_xxh3) -> dvb::Trial {
        const auto src = std::make_shared<dvb::Buffer>(n);
        const auto got = std::make_shared<dv_u128>();
        const dvb::Work read = {"read loop", double(n),
                                [=] { dvb::keep(double(dvb::read(src->data(), n))); }};
        const dvb::Work xxh3 = {"XXH3", double(n),
                                [=] { dvb::keep(double(XXH3_128bits(src->data(), n).low64)); }};
        return {{"", double(n), [=] { *got = dv_digest_16(src->data(), n, 0); }},
                {beside_xxh3 ? xxh3 : read},
                [=] {
                    const XXH128_hash_t want = XXH3_128bits(src->data(), n);
                    return got->lo == want.low64 && got->hi == want.high64;
                }};
    };
    dvb::add("digest_16/xxh3" + size, 1, [=] { return prepare(true); });
    dvb::add("digest_16/read" + size, 0, [=] { return prepare(false); });
}

#ifdef DVB_HAS_LIBCRYPTO
const double md5_goal = 0.9;
#else
const double md5_goal = 0; /* there is nothing to compare with but a read loop */
#endif

void add_md5(std::size_t n)
{
    dvb::add("md5/" + dvb::size_name(double(n)), md5_goal, [=]() -> dvb::Trial {
        const auto src = std::make_shared<dvb::Buffer>(n);
        const auto got = std::make_shared<dvi_md5_text>();
        const auto want = std::make_shared<dvi_md5_text>();
#ifdef DVB_HAS_LIBCRYPTO
        const dvb::Work peer = {"libcrypto", double(n), [=] {
                                    uint8_t digest[EVP_MAX_MD_SIZE];
                                    EVP_Digest(src->data(), n, digest, nullptr, EVP_md5(), nullptr);
                                    *want = dvi_md5_text_of(digest);
                                }};
#else
        const dvb::Work peer = {"read loop", double(n),
                                [=] { dvb::keep(double(dvb::read(src->data(), n))); }};
#endif
        return {{"", double(n),
                 [=] {
                     dvi_md5 *md5 = nullptr;
                     dvi_md5_create(&md5, nullptr, nullptr);
                     dvi_md5_add(md5, src->data(), n);
                     *got = dvi_md5_end(md5);
                     dvi_md5_free(&md5);
                 }},
                {peer},
                [=] {
#ifdef DVB_HAS_LIBCRYPTO
                    peer.run();
                    return std::strcmp(got->digits, want->digits) == 0;
#else
                    return std::strlen(got->digits) == 32;
#endif
                }};
    });
}

/* --- Columns, beside XXH3 of the bytes that their buffers have -------------------------------- */

dv_u128 digest_of(const dv_column_view *column)
{
    dv_digester *digester;
    dv_digester_create(&digester, nullptr, nullptr);
    dv_digester_add_column(digester, column);
    const dv_u128 result = dv_digester_result(digester);
    dv_digester_free(&digester);
    return result;
}

struct Column {
    std::vector<float> items;
    std::vector<int32_t> ends, indices;
    std::string utf8;
    dv_column_view inner = {}, view = {};
    const void *data = nullptr; /* most of its bytes */
    std::size_t nbytes = 0;
};

dv_buffer borrow(const void *data, std::size_t nbytes)
{
    dv_buffer buffer = {};
    buffer.data = data;
    buffer.nbytes = nbytes;
    return buffer;
}

void make_floats(Column &c, std::size_t nbytes)
{
    c.items = dvb::floats(nbytes / 4, 3);
    c.view.type = dv_type_of(DV_KIND_R4);
    c.view.layout = DV_LAYOUT_FIXED;
    c.view.rows = int64_t(c.items.size());
    c.view.as.fixed.values = borrow(c.items.data(), 4 * c.items.size());
    c.data = c.items.data();
    c.nbytes = 4 * c.items.size();
}

/* Dense rows of 100 slots. */
void make_vectors(Column &c, std::size_t nbytes)
{
    const int32_t width = 100;
    make_floats(c, nbytes / (4 * width) * 4 * width);
    c.inner = c.view;
    c.ends.assign(c.items.size() / width, -1);
    c.view.type = dv_type_vector(c.inner.type, width);
    c.view.layout = DV_LAYOUT_VECTOR;
    c.view.rows = int64_t(c.ends.size());
    c.view.as.vector = {};
    c.view.as.vector.length = width;
    c.view.as.vector.counts = borrow(c.ends.data(), 4 * c.ends.size());
    c.view.as.vector.items = &c.inner;
}

/* Texts of 20 bytes. */
void make_texts(Column &c, std::size_t nbytes)
{
    c.utf8 = dvb::ascii(nbytes, 4);
    for (std::size_t end = 20; end <= c.utf8.size(); end += 20)
        c.ends.push_back(int32_t(end));
    c.view.type = dv_type_of(DV_KIND_TX);
    c.view.layout = DV_LAYOUT_TEXT;
    c.view.rows = int64_t(c.ends.size());
    c.view.as.text = {};
    c.view.as.text.utf8 = borrow(c.utf8.data(), c.utf8.size());
    c.view.as.text.ends = borrow(c.ends.data(), 4 * c.ends.size());
    c.data = c.utf8.data();
    c.nbytes = c.utf8.size();
}

void add_column(const char *name, void (*make)(Column &, std::size_t), double goal)
{
    const std::size_t n = std::size_t(dvb::is_quick() ? 64 : 1024) << 10;
    dvb::add(std::string("digest_column/") + name + "/" + dvb::size_name(double(n)), goal,
             [=]() -> dvb::Trial {
                 const auto c = std::make_shared<Column>();
                 const auto got = std::make_shared<dv_u128>();
                 make(*c, n);
                 const dv_u128 want = digest_of(&c->view);
                 return {{"", double(c->nbytes), [=] { *got = digest_of(&c->view); }},
                         {{"XXH3 of its bytes", double(c->nbytes),
                           [=] { dvb::keep(double(XXH3_128bits(c->data, c->nbytes).low64)); }}},
                         [=] { return got->lo == want.lo && got->hi == want.hi; }};
             });
}

void add_suite()
{
    for (const std::size_t n : {std::size_t(256) << 10, dvb::beyond_cache()})
        add_bytes(n);
    add_md5(std::size_t(256) << 10);
    add_column("r4", make_floats, 1);
    add_column("vector_r4", make_vectors, 0);
    add_column("text", make_texts, 0);
}

const dvb::Suite suite("digest", add_suite);

} // namespace
