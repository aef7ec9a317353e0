/* SPDX-License-Identifier: MIT */
/* bench_hash.cc: measures hashing many keys.  The limit is libb2, which hashes them one by one. */
#include "simd/kernel.h"
#include "harness.h"
#include "inputs.h"
#include "levels.h"
#include "report.h"
#include <blake2.h>
#include <cstring>
#include <memory>

namespace
{

const std::size_t keys_n = 1024;

struct Keys {
    std::string bytes;
    std::vector<dv_text> keys;
    std::vector<uint64_t> got, want;
};

std::shared_ptr<Keys> make(std::size_t nbytes)
{
    auto k = std::make_shared<Keys>();
    k->bytes = dvb::ascii(keys_n * nbytes, 18);
    k->got.resize(2 * keys_n);
    k->want.resize(2 * keys_n);
    for (std::size_t i = 0; i < keys_n; i++)
        k->keys.push_back({k->bytes.data() + i * nbytes, int64_t(nbytes)});
    return k;
}

const char salt[] = "SaltSalt";

void hash_one_by_one(Keys &k)
{
    for (std::size_t i = 0; i < keys_n; i++) {
        uint8_t digest[32];
        uint64_t numbers[2];
        blake2s_param param = {};
        blake2s_state state;
        param.digest_length = sizeof digest;
        param.fanout = param.depth = 1;
        std::memcpy(param.salt, salt, sizeof param.salt);
        blake2s_init_param(&state, &param);
        blake2s_update(&state, reinterpret_cast<const uint8_t *>(k.keys[i].data),
                       std::size_t(k.keys[i].nbytes));
        blake2s_final(&state, digest, sizeof digest);
        std::memcpy(numbers, digest, sizeof numbers);
        k.want[2 * i] = __builtin_bswap64(numbers[0]);
        k.want[2 * i + 1] = __builtin_bswap64(numbers[1]);
    }
}

/* goal: for the level that users get */
void add_row(dv_level level, std::size_t nbytes, double goal)
{
    const std::string name =
        std::string("keys_hash/") + dv_level_name(level) + "/" + std::to_string(nbytes) + "B keys";
    dvb::add(name, dvb::goal_at(level, goal), [=]() -> dvb::Trial {
        const auto k = make(nbytes);
        const double traffic = double(keys_n * nbytes);
        const auto run_at = [=](dv_level at) {
            return
                [=] { dvi_kernels_at(at)->keys_hash(k->got.data(), k->keys.data(), keys_n, salt); };
        };
        dvb::Trial trial = {
            {"", traffic, run_at(level)}, {{"libb2", traffic, [=] { hash_one_by_one(*k); }}}, [=] {
                hash_one_by_one(*k);
                return k->got == k->want;
            }};
        if (level != DV_LEVEL_SCALAR)
            trial.base = {{"scalar", traffic, run_at(DV_LEVEL_SCALAR)}};
        return trial;
    });
}

void add_suite()
{
    for (const std::size_t nbytes : {8, 24, 64, 200})
        for (const dv_level level : dvb::levels())
            add_row(level, nbytes, 3);
}

const dvb::Suite suite("hash", add_suite);

} // namespace
