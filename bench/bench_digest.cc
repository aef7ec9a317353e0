/* SPDX-License-Identifier: MIT */
/* bench_digest.cc: how fast are bytes and columns digested, beside XXH3 itself and a read loop? */
#include "harness.h"
#include "inputs.h"
#include "limit.h"
#include "report.h"
#include <dataview/digest.h>
#include <cstring>
#include <memory>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace
{

void add_bytes(std::size_t n)
{
    const std::string size = "/" + dvb::size_name(double(n));
    const auto prepare = [=](bool beside_xxh3) -> dvb::Trial {
        const auto src = std::make_shared<dvb::Buffer>(n);
        const auto got = std::make_shared<dv_u16>();
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

/* --- Columns, beside XXH3 of the bytes that their buffers have -------------------------------- */

dv_u16 digest_of(const dv_column_view *column)
{
    dv_digester *digester;
    dv_digester_create(&digester, nullptr, nullptr);
    dv_digester_add_column(digester, column);
    const dv_u16 result = dv_digester_result(digester);
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
                 const auto got = std::make_shared<dv_u16>();
                 make(*c, n);
                 const dv_u16 want = digest_of(&c->view);
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
    add_column("r4", make_floats, 1);
    add_column("vector_r4", make_vectors, 0);
    add_column("text", make_texts, 0);
}

const dvb::Suite suite("digest", add_suite);

} // namespace
