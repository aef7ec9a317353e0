/* SPDX-License-Identifier: MIT */
/* bench_btable.cc: measures reading a BTable into CSR arrays.
 *
 * The limits are bare loops that trust the file: they read counts, swap the bytes of pairs and
 * check nothing. Sizes are those of the file. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "report.h"
#include <dataview/csr.h>
#include <dataview/open.h>
#include <cstring>
#include <memory>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace
{

void put_be(std::string &dst, uint64_t number, int nbytes)
{
    for (int i = nbytes - 1; i >= 0; i--)
        dst += char(number >> (8 * i));
}

/* Each slot of each row is filled once in 15 times: 105 slots for 7 pairs, 500 for 33. */
struct Table {
    Table(std::size_t nbytes, uint32_t slots_, uint64_t seed) : slots(slots_)
    {
        dvb::Draws draws(seed);
        put_be(bytes, 0, 4);
        put_be(bytes, slots - 1, 4); /* labels: separators alone */
        for (uint32_t i = 0; i + 1 < slots; i++)
            put_be(bytes, 0x1F, 2);
        start = bytes.size();
        bytes.reserve(nbytes + start + 16 * slots);
        while (bytes.size() - start < nbytes)
            add_row(draws);
        indptr = std::make_unique<dvb::Buffer>(8 * (rows + 1));
        indices = std::make_unique<dvb::Buffer>(4 * items);
        data = std::make_unique<dvb::Buffer>(8 * items);
    }
    void add_row(dvb::Draws &draws)
    {
        const std::size_t at = bytes.size();
        uint32_t n = 0;
        put_be(bytes, 0, 4);
        for (uint32_t slot = 0; slot < slots; slot++)
            if (draws.below(15) == 0) {
                const double value = double(draws.below(100000)) / 7;
                uint64_t bits;
                std::memcpy(&bits, &value, sizeof bits);
                put_be(bytes, slot, 4);
                put_be(bytes, bits, 8);
                n++;
            }
        for (int i = 0; i < 4; i++)
            bytes[at + std::size_t(i)] = char(n >> (24 - 8 * i));
        rows++;
        items += n;
    }
    const unsigned char *row_bytes() const
    {
        return reinterpret_cast<const unsigned char *>(bytes.data()) + start;
    }
    double nbytes() const
    {
        return double(bytes.size() - start);
    }
    uint32_t slots;
    std::string bytes;
    std::size_t start = 0, rows = 0, items = 0;
    std::unique_ptr<dvb::Buffer> indptr, indices, data;
};

/* --- Bare loops ----------------------------------------------------------------------------- */

inline uint32_t load_be(const unsigned char *p)
{
    uint32_t v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_bswap32(v);
}

inline void turn_pair(const unsigned char *p, int32_t *index, uint64_t *item)
{
    uint64_t v;
    std::memcpy(&v, p + 4, sizeof v);
    *index = int32_t(load_be(p));
    *item = __builtin_bswap64(v);
}

template <class Pairs> void bare(Table &t, Pairs pairs)
{
    int64_t *starts = reinterpret_cast<int64_t *>(t.indptr->data());
    int32_t *index = reinterpret_cast<int32_t *>(t.indices->data());
    uint64_t *item = reinterpret_cast<uint64_t *>(t.data->data());
    const unsigned char *p = t.row_bytes(), *const end = p + std::size_t(t.nbytes());
    int64_t at = 0;
    for (std::size_t row = 0; row < t.rows; row++) {
        const std::size_t n = load_be(p);
        p += 4;
        pairs(p, end, index + at, item + at, n);
        p += 12 * n;
        starts[row] = at;
        at += int64_t(n);
    }
    starts[t.rows] = at;
}

void bare_loop(Table &t)
{
    bare(t, [](const unsigned char *p, const unsigned char *, int32_t *index, uint64_t *item,
               std::size_t n) {
        for (std::size_t k = 0; k < n; k++)
            turn_pair(p + 12 * k, index + k, item + k);
    });
}

#ifdef __x86_64__
/* Four pairs at a time where that many bytes are left, by byte shuffles. */
__attribute__((target("avx2"))) inline void four_pairs(const unsigned char *p, int32_t *index,
                                                       uint64_t *item)
{
    const __m128i *q = reinterpret_cast<const __m128i *>(p);
    const __m128i a = _mm_loadu_si128(q), b = _mm_loadu_si128(q + 1), c = _mm_loadu_si128(q + 2);
    const char no = -1;
    const __m128i ia = _mm_setr_epi8(3, 2, 1, 0, 15, 14, 13, 12, no, no, no, no, no, no, no, no);
    const __m128i ib = _mm_setr_epi8(no, no, no, no, no, no, no, no, 11, 10, 9, 8, no, no, no, no);
    const __m128i ic = _mm_setr_epi8(no, no, no, no, no, no, no, no, no, no, no, no, 7, 6, 5, 4);
    const __m128i la = _mm_setr_epi8(11, 10, 9, 8, 7, 6, 5, 4, no, no, no, no, no, no, no, no);
    const __m128i lb = _mm_setr_epi8(no, no, no, no, no, no, no, no, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m128i hb =
        _mm_setr_epi8(no, no, no, no, 15, 14, 13, 12, no, no, no, no, no, no, no, no);
    const __m128i hc = _mm_setr_epi8(3, 2, 1, 0, no, no, no, no, 15, 14, 13, 12, 11, 10, 9, 8);
    const __m128i ab = _mm_or_si128(_mm_shuffle_epi8(a, ia), _mm_shuffle_epi8(b, ib));
    const __m128i low = _mm_or_si128(_mm_shuffle_epi8(a, la), _mm_shuffle_epi8(b, lb));
    const __m128i high = _mm_or_si128(_mm_shuffle_epi8(b, hb), _mm_shuffle_epi8(c, hc));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(index), _mm_or_si128(ab, _mm_shuffle_epi8(c, ic)));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(item), low);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(item + 2), high);
}

__attribute__((target("avx2"))) void bare_vectors(Table &t)
{
    int64_t *starts = reinterpret_cast<int64_t *>(t.indptr->data());
    int32_t *index = reinterpret_cast<int32_t *>(t.indices->data());
    uint64_t *item = reinterpret_cast<uint64_t *>(t.data->data());
    const unsigned char *p = t.row_bytes(), *const end = p + std::size_t(t.nbytes());
    std::size_t at = 0;
    for (std::size_t row = 0; row < t.rows; row++) {
        const std::size_t n = load_be(p);
        const bool is_inside = std::size_t(end - p) > 12 * n + 64 && t.items - at > n + 4;
        p += 4;
        std::size_t k = 0;
        for (; is_inside ? k < n : n - k >= 4; k += 4)
            four_pairs(p + 12 * k, index + at + k, item + at + k);
        for (; k < n; k++)
            turn_pair(p + 12 * k, index + at + k, item + at + k);
        p += 12 * n;
        starts[row] = int64_t(at);
        at += n;
    }
    starts[t.rows] = int64_t(at);
}
#endif

std::vector<dvb::Work> bare_loops(const std::shared_ptr<Table> &t)
{
    std::vector<dvb::Work> loops = {{"bare loop", t->nbytes(), [=] { bare_loop(*t); }}};
#ifdef __x86_64__
    if (dvi_kernels_at(DV_LEVEL_AVX2))
        loops.push_back({"bare vectors", t->nbytes(), [=] { bare_vectors(*t); }});
#endif
    return loops;
}

/* --- Rows ----------------------------------------------------------------------------------- */

bool is_right(Table &t)
{
    const std::string starts(t.indptr->data(), t.indptr->size());
    const std::string indices(t.indices->data(), t.indices->size());
    const std::string data(t.data->data(), t.data->size());
    bare_loop(t);
    return starts == std::string(t.indptr->data(), starts.size()) &&
           indices == std::string(t.indices->data(), indices.size()) &&
           data == std::string(t.data->data(), data.size());
}

/* Arrays of the caller's from an open view. */
void add_csr(const std::string &name, double goal, uint32_t slots, std::size_t nbytes, int threads)
{
    dvb::add(name + "/" + dvb::size_name(double(nbytes)), goal, [=]() -> dvb::Trial {
        auto t = std::make_shared<Table>(nbytes, slots, 21);
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.format = "btable";
        dv_view *opened = nullptr;
        dv_open_memory(&opened, t->bytes.data(), t->bytes.size(), nullptr, nullptr, "table", &how,
                       nullptr);
        const std::shared_ptr<dv_view> view(opened, [t](dv_view *v) { dv_view_release(&v); });
        const auto fill = [=] {
            dv_csr csr;
            dv_csr_options options = DV_CSR_OPTIONS_INIT;
            options.threads = threads;
            const dv_csr_room room = {t->indptr->data(),
                                      reinterpret_cast<int32_t *>(t->indices->data()),
                                      t->data->data(), int64_t(t->rows), int64_t(t->items)};
            dvb::keep(double(dv_csr_fill(&csr, &room, view.get(), &options, nullptr)));
        };
        return {{"", t->nbytes(), fill}, bare_loops(t), [=] { return is_right(*t); }};
    });
}

/* The kernel alone, at each level, beside scalar. */
void add_kernel(dv_level level, uint32_t slots, const std::string &pairs, std::size_t nbytes,
                double goal)
{
    const std::string name = "pairs_split_8/" + pairs + "/" + dv_level_name(level) + "/";
    dvb::add(name + dvb::size_name(double(nbytes)), goal, [=]() -> dvb::Trial {
        auto t = std::make_shared<Table>(nbytes, slots, 22);
        auto counts = std::make_shared<std::vector<int32_t>>(t->rows);
        const auto run_at = [=](dv_level at) {
            return [=] {
                dvi_pairs_end end;
                const dvi_pairs rows = {t->row_bytes(), std::size_t(t->nbytes()), t->rows,
                                        t->items,       int32_t(t->slots),        -1};
                dvb::keep(double(dvi_kernels_at(at)->pairs_split_8(
                    counts->data(), reinterpret_cast<int32_t *>(t->indices->data()),
                    reinterpret_cast<double *>(t->data->data()), &rows, &end)));
            };
        };
        const auto is_whole = [=] {
            dvi_pairs_end end;
            const dvi_pairs rows = {t->row_bytes(), std::size_t(t->nbytes()), t->rows,
                                    t->items,       int32_t(t->slots),        -1};
            return dvi_kernels_at(level)->pairs_split_8(
                       counts->data(), reinterpret_cast<int32_t *>(t->indices->data()),
                       reinterpret_cast<double *>(t->data->data()), &rows, &end) == t->rows;
        };
        return {{"", t->nbytes(), run_at(level)},
                {{"scalar", t->nbytes(), run_at(DV_LEVEL_SCALAR)}},
                is_whole};
    });
}

void add_suite()
{
    const std::size_t large = dvb::is_quick() ? std::size_t(4) << 20 : dvb::beyond_cache();
    const std::size_t small = std::size_t(128) << 10;
    add_csr("btable_csr/33/1", 0.95, 500, large, 1);
    add_csr("btable_csr/33/2", 0, 500, large, 2);
    add_csr("btable_csr/7/1", 0, 105, large, 1);
    add_csr("btable_csr/7/1", 0, 105, small, 1);
    for (const dv_level level : dvb::levels()) {
        const double goal = level == DV_LEVEL_SCALAR ? 0 : dvb::goal_at(level, 1.5);
        add_kernel(level, 105, "7", small, goal);
        add_kernel(level, 30, "2", small, 0);
        add_kernel(level, 500, "33", small, 0);
        add_kernel(level, 105, "7", large, 0);
    }
}

const dvb::Suite suite("btable", add_suite);

} // namespace
