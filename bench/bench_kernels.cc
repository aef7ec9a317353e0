/* SPDX-License-Identifier: MIT */
/* bench_kernels.cc: measures each kernel of DVI_KERNEL_LIST at each level, over scalar.
 *
 * The limit of kernels that write is memcpy, that of the others a read loop, with the same traffic:
 * bytes read plus bytes written. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <cstring>
#include <memory>

namespace
{

/* What a row works on, made for about `traffic` bytes. */
struct Work {
    std::size_t n = 0, na = 0;    /* na: of the n */
    double reads = 0, writes = 0; /* bytes */
    dv_sparse rows = {};
    std::vector<int32_t> counts, words; /* words: ends or indices */
    std::string bytes;                  /* text, packed bits, ticks */
    std::unique_ptr<dvb::Buffer> dst, want;
};

/* A kernel of one shape, called as its input wants it; the number of good items, or 0. */
using Call = std::function<std::size_t(const dvi_kernel_table *, Work &)>;

/* --- Input by shape ------------------------------------------------------------------------- */

void need_output(Work &w, std::size_t nbytes)
{
    w.writes = double(nbytes);
    w.dst = std::make_unique<dvb::Buffer>(nbytes);
    w.want = std::make_unique<dvb::Buffer>(nbytes);
}

/* Ends of texts of 16 bytes. */
void make_ends(Work &w, std::size_t traffic)
{
    w.n = traffic / 4;
    for (std::size_t i = 1; i <= w.n; i++)
        w.words.push_back(int32_t(16 * i));
    w.reads = double(4 * w.n);
}

/* Text of characters of 1 to 4 bytes, with an end after each 8 of them, in UTF-16 units. */
void make_mapped_ends(Work &w, std::size_t traffic)
{
    w.bytes = dvb::mixed(traffic * 5 / 7, 9);
    std::size_t units = 0, characters = 0;
    for (const char c : w.bytes) {
        const bool is_lead = (c & 0xC0) != 0x80;
        if (is_lead && ++characters % 8 == 0)
            w.words.push_back(int32_t(units));
        units += std::size_t(is_lead) + std::size_t((c & 0xF8) == 0xF0);
    }
    w.n = w.words.size();
    w.reads = double(w.bytes.size() + 4 * w.n);
    need_output(w, 4 * w.n);
}

/* Rows of 1,000 slots with 0 to 19 items. */
std::size_t make_counts(Work &w, std::size_t n)
{
    dvb::Draws draws(10);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; i++) {
        w.counts.push_back(int32_t(draws.below(20)));
        sum += std::size_t(w.counts.back());
    }
    w.rows = {n, 1000, nullptr, w.counts.data(), nullptr, nullptr};
    return sum;
}

void make_checked_counts(Work &w, std::size_t traffic)
{
    w.n = traffic / 4;
    make_counts(w, w.n);
    w.reads = double(4 * w.n);
}

void make_offsets(Work &w, std::size_t traffic)
{
    w.n = traffic / 20;
    make_counts(w, w.n);
    w.reads = double(4 * w.n);
    need_output(w, 16 * (w.n + 1));
    std::memset(w.dst->data(), 0, w.dst->size());
    std::memset(w.want->data(), 0, w.want->size());
}

/* As many indices as the rows want, some 50 slots apart. */
void make_indices(Work &w, std::size_t traffic)
{
    dvb::Draws draws(11);
    const std::size_t n = traffic / 42;
    w.n = make_counts(w, n);
    for (const int32_t count : w.counts)
        for (int32_t k = 0; k < count; k++)
            w.words.push_back(50 * k + int32_t(draws.below(50)));
    w.rows.indices = w.words.data();
    w.reads = double(4 * (n + w.n));
}

/* Pairs of bits that are no 3, which are also good single bits. */
void make_bits(Work &w, std::size_t traffic, std::size_t bits)
{
    static const unsigned char good[] = {0x00, 0x01, 0x12, 0x24, 0x41, 0x86, 0x98, 0xA2};
    dvb::Draws draws(12);
    w.n = traffic * 8 / (8 + bits) / 8 * 8;
    for (std::size_t i = 0; i < w.n * bits / 8; i++)
        w.bytes += char(good[draws.below(8)]);
    w.reads = double(w.bytes.size());
    need_output(w, w.n);
}

void make_ticks(Work &w, std::size_t traffic)
{
    dvb::Draws draws(13);
    w.n = traffic / 8;
    w.bytes.resize(8 * w.n);
    for (std::size_t i = 0; i < w.n; i++) {
        const int64_t ticks = draws.below(16) ? int64_t(draws.below(uint64_t(1) << 61)) : INT64_MIN;
        std::memcpy(&w.bytes[8 * i], &ticks, 8);
    }
    w.reads = double(w.bytes.size());
}

/* Numbers of any width: bytes from a seed, so that some fit and some do not. */
void make_numbers(Work &w, std::size_t traffic, std::size_t src_width, std::size_t dst_width)
{
    dvb::Draws draws(14);
    w.n = traffic / (src_width + dst_width);
    w.bytes.resize(src_width * w.n);
    for (char &c : w.bytes)
        c = char(draws.next());
    w.reads = double(w.bytes.size());
    need_output(w, dst_width * w.n);
}

/* A rule like that of reals: it does not see the sign, and only all other bits together are NA. */
dvi_na na_of(std::size_t width)
{
    const uint64_t sign = uint64_t(1) << (8 * width - 1);
    return {sign - 1, 0, sign - 2};
}

/* One of this many items is NA; 0: none. */
void make_items(Work &w, std::size_t traffic, std::size_t width, std::size_t na_in)
{
    dvb::Draws draws(14);
    w.n = traffic / width;
    w.bytes.assign(width * w.n, '\x3F');
    for (std::size_t i = 0; na_in > 0 && i < w.n; i++)
        if (draws.below(na_in) == 0) {
            w.bytes.replace(width * i, width, width, '\xFF');
            w.na++;
        }
    w.reads = double(w.bytes.size());
}

/* n bytes that are 0 or 1. */
void make_booleans(Work &w, std::size_t traffic)
{
    dvb::Draws draws(15);
    w.n = traffic * 8 / 9 / 64 * 64;
    for (std::size_t i = 0; i < w.n; i++)
        w.bytes += char(draws.below(2));
    w.reads = double(w.n);
    need_output(w, w.n / 8);
}

/* A permutation of 0..n-1. */
void make_order(Work &w, std::size_t n)
{
    dvb::Draws draws(15);
    w.n = n;
    for (std::size_t i = 0; i < n; i++)
        w.words.push_back(int32_t(draws.below(n)));
}

/* Items of a width to take in that order. */
void make_gathered(Work &w, std::size_t traffic, std::size_t width)
{
    make_order(w, traffic / (2 * width + 4));
    w.bytes.assign(width * w.n, '\x3F');
    w.reads = double((width + 4) * w.n);
    need_output(w, width * w.n);
}

/* Texts of 0 to 31 bytes, whose ends are in `counts`; w.na: the bytes of all that are taken. */
void make_gathered_texts(Work &w, std::size_t traffic)
{
    dvb::Draws draws(16);
    make_order(w, traffic / 40);
    std::size_t end = 0;
    for (std::size_t i = 0; i < w.n; i++)
        w.counts.push_back(int32_t(end += draws.below(32)));
    w.bytes = dvb::ascii(end, 17);
    for (const int32_t row : w.words)
        w.na += std::size_t(w.counts[row] - (row ? w.counts[row - 1] : 0));
    w.reads = double(w.na + 8 * w.n);
    need_output(w, w.na);
}

/* --- Rows ----------------------------------------------------------------------------------- */

/* Results must equal those of scalar, bit for bit, and all items be valid. */
bool is_right(const Call &call, const std::shared_ptr<Work> &w, dv_level level)
{
    std::swap(w->dst, w->want);
    const std::size_t want = call(dvi_kernels_at(DV_LEVEL_SCALAR), *w);
    std::swap(w->dst, w->want);
    const std::size_t got = call(dvi_kernels_at(level), *w);
    const bool is_equal =
        !w->dst || std::memcmp(w->dst->data(), w->want->data(), w->dst->size()) == 0;
    return is_equal && want == w->n && got == w->n;
}

dvb::Work limit_of(const std::shared_ptr<Work> &w)
{
    const std::size_t nbytes = std::size_t(w->reads + w->writes);
    if (w->writes == 0) {
        auto src = std::make_shared<dvb::Buffer>(nbytes / 4 * 4);
        return {"read loop", double(src->size()),
                [=] { dvb::keep(double(dvb::read(src->data(), src->size()))); }};
    }
    auto src = std::make_shared<dvb::Buffer>(nbytes / 2);
    auto dst = std::make_shared<dvb::Buffer>(nbytes / 2);
    return {"memcpy", double(2 * src->size()),
            [=] { dvb::copy(dst->data(), src->data(), src->size()); }};
}

void add_row(const std::string &kernel, dv_level level, std::size_t size, double goal,
             const std::function<void(Work &, std::size_t)> &make, const Call &call)
{
    const std::string name =
        kernel + "/" + dv_level_name(level) + "/" + dvb::size_name(double(size));
    dvb::add(name, goal, [=]() -> dvb::Trial {
        auto w = std::make_shared<Work>();
        make(*w, size);
        const double traffic = w->reads + w->writes;
        const auto run_at = [=](dv_level at) {
            return [=] { dvb::keep(double(call(dvi_kernels_at(at), *w))); };
        };
        dvb::Trial trial = {
            {"", traffic, run_at(level)}, {limit_of(w)}, [=] { return is_right(call, w, level); }};
        if (level != DV_LEVEL_SCALAR)
            trial.base = {{"scalar", traffic, run_at(DV_LEVEL_SCALAR)}};
        return trial;
    });
}

/* goal: beyond the cache, for the level that users get */
void add_rows(const std::string &kernel, const std::function<void(Work &, std::size_t)> &make,
              const Call &call, double goal = 0)
{
    const std::size_t large = std::size_t(dvb::is_quick() ? 1 : 64) << 20;
    for (const std::size_t size : {std::size_t(32) << 10, std::size_t(256) << 10, large})
        for (const dv_level level : dvb::levels())
            add_row(kernel, level, size, size == large ? dvb::goal_at(level, goal) : 0, make, call);
}

/* --- One function per shape: what it is called with ----------------------------------------- */

template <class S, class Member> void add_UTF8(const std::string &, Member)
{
    /* bench_utf8.cc */
}

template <class S, class Member> void add_DENSIFY(const std::string &, Member)
{
    /* bench_densify.cc */
}

template <class S, class Member> void add_DENSIFY_AS(const std::string &, Member)
{
    /* bench_densify.cc */
}

template <class S, class Member> void add_PAIRS(const std::string &, Member)
{
    /* bench_btable.cc */
}

template <class S, class Member> void add_TRANSPOSE(const std::string &, Member)
{
    /* bench_dense.cc */
}

template <class S, class Member> void add_ROWS(const std::string &, Member)
{
    /* bench_dense.cc */
}

/* As cursors use it: the ends are checked and copied. */
template <class S, class Member> void add_ENDS(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        make_ends(w, traffic / 2);
        need_output(w, 4 * w.n);
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        int32_t last;
        return (k->*kernel)(reinterpret_cast<int32_t *>(w.dst->data()), w.words.data(), w.n, 0,
                            &last);
    });
}

template <class S, class Member> void add_MAP_ENDS(const std::string &name, Member kernel)
{
    add_rows(name, make_mapped_ends, [=](const dvi_kernel_table *k, Work &w) {
        return (k->*kernel)(reinterpret_cast<int32_t *>(w.dst->data()), w.bytes.data(),
                            w.bytes.size(), w.words.data(), w.n);
    });
}

template <class S, class Member> void add_COUNTS(const std::string &name, Member kernel)
{
    add_rows(name, make_checked_counts, [=](const dvi_kernel_table *k, Work &w) {
        int64_t sums[2];
        return (k->*kernel)(&w.rows, 1, sums);
    });
}

template <class S, class Member> void add_OFFSETS(const std::string &name, Member kernel)
{
    add_rows(name, make_offsets, [=](const dvi_kernel_table *k, Work &w) {
        int64_t *indices = reinterpret_cast<int64_t *>(w.dst->data());
        (k->*kernel)(indices, indices + w.n + 1, &w.rows);
        return w.n;
    });
}

/* Rows of 0 to 19 entries. */
template <class S, class Member> void add_STARTS(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        w.n = traffic / (4 + sizeof(S));
        make_counts(w, w.n);
        w.bytes.resize((w.n + 1) * sizeof(S));
        S offset = 0;
        for (std::size_t i = 0; i <= w.n; i++) {
            std::memcpy(&w.bytes[i * sizeof(S)], &offset, sizeof offset);
            offset += i < w.n ? w.counts[i] : 0;
        }
        w.reads = double(w.bytes.size());
        need_output(w, 4 * w.n);
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        int32_t *counts = reinterpret_cast<int32_t *>(w.dst->data());
        return (k->*kernel)(counts, w.bytes.data(), w.n, INT32_MAX, 1000);
    });
}

template <class S, class Member> void add_INDICES(const std::string &name, Member kernel)
{
    add_rows(name, make_indices,
             [=](const dvi_kernel_table *k, Work &w) { return (k->*kernel)(&w.rows, w.n); });
}

template <class S, class Member> void add_EXPAND(const std::string &name, Member kernel)
{
    const std::size_t bits = name == "pairs_expand" ? 2 : 1;
    add_rows(
        name, [=](Work &w, std::size_t traffic) { make_bits(w, traffic, bits); },
        [=](const dvi_kernel_table *k, Work &w) {
            return (k->*kernel)(reinterpret_cast<int8_t *>(w.dst->data()), w.bytes.data(), w.n);
        });
}

template <class S, class Member> void add_PACK(const std::string &name, Member kernel)
{
    add_rows(name, make_booleans, [=](const dvi_kernel_table *k, Work &w) {
        uint8_t *dst = reinterpret_cast<uint8_t *>(w.dst->data());
        return (k->*kernel)(dst, w.bytes.data(), w.n) + w.n;
    });
}

template <class S, class Member> void add_SPARSIFY(const std::string &, Member)
{
    /* bench_sparsify.cc */
}

template <class S, class Member> void add_RANGE(const std::string &name, Member kernel)
{
    add_rows(name, make_ticks,
             [=](const dvi_kernel_table *k, Work &w) { return (k->*kernel)(w.bytes.data(), w.n); });
}

template <class D> using Map = void (*dvi_kernel_table::*)(D *, const void *, std::size_t);

template <class S, class D> void add_MAP(const std::string &name, Map<D> kernel)
{
    add_rows(
        name, [=](Work &w, std::size_t traffic) { make_numbers(w, traffic, sizeof(S), sizeof(D)); },
        [=](const dvi_kernel_table *k, Work &w) {
            (k->*kernel)(reinterpret_cast<D *>(w.dst->data()), w.bytes.data(), w.n);
            return w.n;
        });
}

/* The input of the search for the first NA has none. */
template <class S, class Member> void add_NA(const std::string &name, Member kernel)
{
    const bool counts = name.find("count") != std::string::npos;
    add_rows(
        name,
        [=](Work &w, std::size_t traffic) { make_items(w, traffic, sizeof(S), counts ? 16 : 0); },
        [=](const dvi_kernel_table *k, Work &w) {
            const dvi_na na = na_of(sizeof(S));
            return (k->*kernel)(w.bytes.data(), w.n, &na) + (counts ? w.n - w.na : 0);
        },
        0.95);
}

template <class S, class Member> void add_NA_MASK(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        const std::size_t bits = 8 * sizeof(S);
        make_items(w, traffic * bits / (bits + 1) / 64 * 64, sizeof(S), 16);
        need_output(w, (w.n + 7) / 8);
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        const dvi_na na = na_of(sizeof(S));
        uint8_t *dst = reinterpret_cast<uint8_t *>(w.dst->data());
        return (k->*kernel)(dst, w.bytes.data(), w.n, &na, 0) + w.n - w.na;
    });
}

template <class S, class Member> void add_NA_REPLACE(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        make_items(w, traffic / 2, sizeof(S), 16);
        need_output(w, w.bytes.size());
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        const dvi_na na = na_of(sizeof(S));
        (k->*kernel)(reinterpret_cast<S *>(w.dst->data()), w.bytes.data(), w.n, &na, S(1));
        return w.n;
    });
}

template <class S, class D>
void add_GATHER(const std::string &name,
                void (*dvi_kernel_table::*kernel)(D *, const void *, const void *, size_t))
{
    add_rows(
        name, [=](Work &w, std::size_t traffic) { make_gathered(w, traffic, sizeof(S)); },
        [=](const dvi_kernel_table *k, Work &w) {
            (k->*kernel)(reinterpret_cast<D *>(w.dst->data()), w.bytes.data(), w.words.data(), w.n);
            return w.n;
        });
}

template <class S, class Member> void add_GATHER_ENDS(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        make_gathered_texts(w, traffic * 10 / 3);
        w.reads = double(8 * w.n);
        need_output(w, 4 * w.n);
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        int32_t last;
        return (k->*kernel)(reinterpret_cast<int32_t *>(w.dst->data()), w.counts.data(), 0,
                            w.words.data(), w.n, 0, &last);
    });
}

template <class S, class Member> void add_GATHER_TEXT(const std::string &name, Member kernel)
{
    add_rows(name, make_gathered_texts, [=](const dvi_kernel_table *k, Work &w) {
        (k->*kernel)(reinterpret_cast<uint8_t *>(w.dst->data()), w.na, w.bytes.data(),
                     w.bytes.size(), w.counts.data(), 0, w.words.data(), w.n);
        return w.n;
    });
}

template <class S, class Member> void add_MOVE_ENDS(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        make_ends(w, traffic / 2);
        need_output(w, 4 * w.n);
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        (k->*kernel)(reinterpret_cast<int32_t *>(w.dst->data()), w.words.data(), w.n, 8);
        return w.n;
    });
}

/* Numbers of 1 to 9 digits, 10 in a line. */
void make_fields(Work &w, std::size_t traffic)
{
    dvb::Draws draws(24);
    while (w.bytes.size() + 4 * w.n + 10 < traffic) {
        w.bytes += std::to_string(draws.below(1000000000) >> draws.below(30));
        w.bytes += ++w.n % 10 ? ',' : '\n';
    }
    w.reads = double(w.bytes.size());
    need_output(w, 4 * w.n);
}

template <class S, class Member> void add_FIND(const std::string &name, Member kernel)
{
    add_rows(name, make_fields, [=](const dvi_kernel_table *k, Work &w) {
        dvi_ascii_set set = {};
        for (const char c : {',', '"', '\n', '\r'})
            set.members[c & 15] |= uint8_t(1 << (c >> 4));
        uint32_t *dst = reinterpret_cast<uint32_t *>(w.dst->data());
        return (k->*kernel)(dst, w.n, w.bytes.data(), w.bytes.size(), &set);
    });
}

#define ELSEWHERE(shape) /* bench_SHAPE.cc and bench_image.cc measure these */                     \
    template <class S, class M> void add_##shape(const std::string &, M)                           \
    {                                                                                              \
    }
ELSEWHERE(MIX)
ELSEWHERE(BLEND)
ELSEWHERE(PLANES)
ELSEWHERE(HASH)
ELSEWHERE(AFFINE)
ELSEWHERE(BINS)

template <class S, class Member> void add_CELLS(const std::string &name, Member kernel)
{
    const auto make = [=](Work &w, std::size_t traffic) {
        w.n = traffic / sizeof(S);
        need_output(w, sizeof(S) * w.n);
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        const dvi_rectangle rectangle = {1 << 14, 1 << 14, {1, 2, 3, 4, 5, 6}};
        (k->*kernel)(reinterpret_cast<S *>(w.dst->data()), 0, 1, w.n, &rectangle);
        return w.n;
    });
}

/* As R4 or R8, whose NA is above infinity. */
template <class S, class D>
void add_MURMUR(const std::string &name,
                void (*dvi_kernel_table::*kernel)(D *, const void *, std::size_t, const void *,
                                                  const dvi_murmur *))
{
    add_rows(
        name, [=](Work &w, std::size_t traffic) { make_numbers(w, traffic, sizeof(S), sizeof(D)); },
        [=](const dvi_kernel_table *k, Work &w) {
            const uint32_t width = sizeof(S) < 8 ? 4 : 8; /* texts have none */
            const dvi_murmur how = {1, INT32_MAX, width, true, false, na_of(width)};
            (k->*kernel)(reinterpret_cast<D *>(w.dst->data()), w.bytes.data(), w.n, nullptr, &how);
            return w.n;
        });
}

/* What a kernel finds out is kept; is_right has it checked by scalar's. */
template <class S, class D>
void add_MINMAX(const std::string &name,
                void (*dvi_kernel_table::*kernel)(const void *, size_t, D *))
{
    const auto make = [=](Work &w, std::size_t traffic) {
        make_items(w, traffic, sizeof(S), 16);
        w.dst = std::make_unique<dvb::Buffer>(2 * sizeof(D));
        w.want = std::make_unique<dvb::Buffer>(2 * sizeof(D));
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        (k->*kernel)(w.bytes.data(), w.n, reinterpret_cast<D *>(w.dst->data()));
        return w.n;
    });
}

template <class S, class D>
void add_SUM(const std::string &name, D (*dvi_kernel_table::*kernel)(const void *, size_t))
{
    const auto make = [=](Work &w, std::size_t traffic) {
        make_items(w, traffic, sizeof(S), 16);
        w.dst = std::make_unique<dvb::Buffer>(sizeof(D));
        w.want = std::make_unique<dvb::Buffer>(sizeof(D));
    };
    add_rows(name, make, [=](const dvi_kernel_table *k, Work &w) {
        *reinterpret_cast<D *>(w.dst->data()) = (k->*kernel)(w.bytes.data(), w.n);
        return w.n;
    });
}

template <class S, class Member> void add_SUM_REAL(const std::string &name, Member kernel)
{
    add_SUM<S>(name, kernel);
}

#define DVB_ADD(level, shape, name, D, S, contract) add_##shape<S>(#name, &dvi_kernel_table::name);

void add_suite()
{
    DVI_KERNEL_LIST(DVB_ADD, _)
}

const dvb::Suite suite("kernels", add_suite);

} // namespace
