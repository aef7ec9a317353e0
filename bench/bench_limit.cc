/* SPDX-License-Identifier: MIT */
/* bench_limit.cc: measures the plain loops that are the limits, within the caches and beyond. Their
 * limit is the read loop over the same number of bytes. */
#include "harness.h"
#include "inputs.h"
#include "limit.h"
#include "report.h"
#include <algorithm>
#include <cstring>
#include <memory>

namespace
{

/* Bytes to read, bytes to write, positions in random order, and the result of a loop. */
struct Room {
    explicit Room(std::size_t n) : src(n), dst(n)
    {
    }
    const uint32_t *words() const
    {
        return reinterpret_cast<const uint32_t *>(src.data());
    }
    dvb::Buffer src, dst;
    std::vector<uint32_t> places;
    uint64_t sum = 0;
};

/* Enough of them, but not for minutes: each may be a miss of every cache. */
std::size_t places_of(std::size_t n)
{
    return std::min(n / 4, std::size_t(1) << 20);
}

using Loop = void (*)(Room &room);
using Check = bool (*)(const Room &room);

void add_row(const std::string &name, std::size_t n, double traffic, Loop loop, Check check)
{
    dvb::add(name + "/" + dvb::size_name(double(n)), 0, [=]() -> dvb::Trial {
        auto room = std::make_shared<Room>(n);
        dvb::Draws draws(14);
        for (std::size_t i = 0; i < places_of(n); i++)
            room->places.push_back(uint32_t(draws.below(n / 4)));
        return {
            {"", traffic, [=] { loop(*room); }},
            {{"read loop", double(n), [=] { dvb::keep(double(dvb::read(room->src.data(), n))); }}},
            [=] { return check(*room); }};
    });
}

/* Every byte of a fresh Buffer is 1; of large sums the low half is enough. */
bool is_sum_of_ones(const Room &room)
{
    return uint32_t(room.sum) == uint32_t(0x01010101 * (room.src.size() / 4));
}

bool is_gathered(const Room &room)
{
    return room.sum == uint64_t(0x01010101) * room.places.size();
}

bool is_zero(const Room &room)
{
    const char *p = room.dst.data();
    return p[0] == 0 && std::memcmp(p, p + 1, room.dst.size() - 1) == 0;
}

bool is_copy(const Room &room)
{
    return std::memcmp(room.dst.data(), room.src.data(), room.src.size()) == 0;
}

void add_rows(std::size_t n)
{
    const double once = double(n);
    add_row(
        "read", n, once, [](Room &r) { r.sum = dvb::read(r.src.data(), r.src.size()); },
        is_sum_of_ones);
    add_row(
        "memset", n, once, [](Room &r) { dvb::set(r.dst.data(), r.dst.size()); }, is_zero);
    add_row(
        "set_past_cache", n, once, [](Room &r) { dvb::set_stream(r.dst.data(), r.dst.size()); },
        is_zero);
    add_row(
        "memcpy", n, 2 * once, [](Room &r) { dvb::copy(r.dst.data(), r.src.data(), r.src.size()); },
        is_copy);
    add_row(
        "gather_4", n, double(8 * places_of(n)),
        [](Room &r) { r.sum = dvb::gather(r.words(), r.places.data(), r.places.size()); },
        is_gathered);
}

void add_suite()
{
    add_rows(std::size_t(32) << 10);
    add_rows(dvb::beyond_cache());
}

const dvb::Suite suite("limit", add_suite);

} // namespace
