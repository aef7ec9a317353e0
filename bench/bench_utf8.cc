/* SPDX-License-Identifier: MIT */
/* bench_utf8.cc: measures validating UTF-8 and counting its units.
 *
 * The limit for ASCII is a read loop; that for characters of 1 to 4 bytes is the validator of
 * simdjson, which does not count. */
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "limit.h"
#include "report.h"
#include <memory>
#ifdef DVB_HAS_SIMDJSON
#include <simdjson.h>
#endif

namespace
{

struct Text {
    std::string bytes;
    std::size_t valid = 0, units = 0; /* what the kernel said */
};

/* UTF-16 units of valid text, counted the slow way. */
std::size_t count_units(const std::string &text)
{
    std::size_t units = 0;
    for (const char c : text)
        units += std::size_t((c & 0xC0) != 0x80) + std::size_t((c & 0xF8) == 0xF0);
    return units;
}

using Peer = void (*)(const std::string &text);

void add_row(const std::string &what, dv_level level, std::size_t n, double goal,
             std::string (*make)(std::size_t, uint64_t), const std::string &peer_name, Peer peer)
{
    const std::string name =
        "utf8_units/" + what + "/" + dv_level_name(level) + "/" + dvb::size_name(double(n));
    dvb::add(name, dvb::goal_at(level, goal), [=]() -> dvb::Trial {
        auto text = std::make_shared<Text>();
        text->bytes = make(n, 6);
        const std::string &s = text->bytes;
        const auto run_at = [=](dv_level at) {
            return [=] { text->valid = dvi_kernels_at(at)->utf8_units(s.data(), n, &text->units); };
        };
        dvb::Trial trial = {
            {"", double(n), run_at(level)},
            {{peer_name, double(n), [=] { peer(s); }}},
            [=] { return text->valid == n && text->units == count_units(s); },
        };
        if (level != DV_LEVEL_SCALAR)
            trial.base = {{"scalar", double(n), run_at(DV_LEVEL_SCALAR)}};
        return trial;
    });
}

void read_all(const std::string &text)
{
    dvb::keep(double(dvb::read(text.data(), text.size())));
}

#ifdef DVB_HAS_SIMDJSON
void validate(const std::string &text)
{
    dvb::keep(double(simdjson::validate_utf8(text)));
}
#endif

void add_mixed(dv_level level, std::size_t n)
{
#ifdef DVB_HAS_SIMDJSON
    add_row("mixed", level, n, 1.0, dvb::mixed, "simdjson", validate);
#else
    dvb::skip(std::string("utf8_units/mixed/") + dv_level_name(level) + "/" +
                  dvb::size_name(double(n)),
              "simdjson");
#endif
}

void add_suite()
{
    for (const std::size_t n : {std::size_t(64) << 10, dvb::beyond_cache()})
        for (const dv_level level : dvb::levels()) {
            add_row("ascii", level, n, 0.5, dvb::ascii, "read loop", read_all);
            add_mixed(level, n);
        }
}

const dvb::Suite suite("utf8", add_suite);

} // namespace
