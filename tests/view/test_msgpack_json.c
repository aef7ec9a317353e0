/* SPDX-License-Identifier: MIT */
/* test_msgpack_json.c: values of msgpack as JSON (msgpack.h). */
#include "support/messages.h"
#include "support/test.h"
#include <dataview/msgpack.h>
#include <string.h>

static void expect_json(const char *text, const char *json)
{
    dvt_lines bytes = {0}, found = {0};
    dv_error err = DV_ERROR_INIT;
    const dv_sink sink = dvt_lines_sink(&found);
    dvt_messages_add(&bytes, text);
    cr_expect_eq(dv_msgpack_write_json(bytes.data, bytes.nbytes, &sink, &err), DV_OK, "%s: %s",
                 text, err.message);
    cr_expect_str_eq(found.data, json, "%s: %s", text, found.data);
    dvt_lines_free(&bytes);
    dvt_lines_free(&found);
}

Test(msgpack_json, values)
{
    expect_json("", "null");
    expect_json("[n,t,f,1,-5,18446744073709551615]", "[null,true,false,1,-5,18446744073709551615]");
    expect_json("[0.1,0.1f,!CB7FF0000000000000,!CB8000000000000000,!CB7FF8000000000000]",
                "[0.1,0.1,\"Infinity\",-0.0,null]");
    expect_json("[\"\\u00e9\",#FF00,!D5056162,!D6FF00000001]",
                "[\"\\\\u00e9\",{\"$bytes\":\"ff00\"},{\"$ext\":[5,\"6162\"]},{\"$time\":[1,0]}]");
    expect_json("{a:{b:[]},\"\":1}", "{\"a\":{\"b\":[]},\"\":1}");
}

/* Keys that are no texts never meet one that is. */
Test(msgpack_json, keys)
{
    expect_json("{1:0,\"1\":1,\"$1\":2,!C0:3,!C3:4,2.5:5,#FF:6,-7:8,!CB7FF0000000000000:9}",
                "{\"$1\":0,\"1\":1,\"$$1\":2,\"$null\":3,\"$true\":4,\"$2.5\":5,\"$bytes:ff\":6,"
                "\"$-7\":8,\"$Infinity\":9}");
}

Test(msgpack_json, arrays_of_numpy)
{
    expect_json("@<f4[2,1]#0000803F00000040", "[[1],[2]]");
    expect_json("@>i2#0102", "258");
    expect_json("[@|b1[2]#0100,@<u8[1]#FFFFFFFFFFFFFFFF]", "[[true,false],[18446744073709551615]]");
    expect_json("@<c8[1]#0000803F000000C0", "[{\"$complex\":[1,-2]}]");
    expect_json("~1-2j~", "{\"$complex\":[1,-2]}");
    expect_json("@|S3[2]#616200000000", "[{\"$bytes\":\"6162\"},{\"$bytes\":\"\"}]");
    expect_json("@<U2[1]#6100000000000000", "[\"a\"]");
    expect_json("@<M8[ns]#0500000000000000", "{\"$datetime64\":[5,\"ns\"]}");
    expect_json("@<f4[0]#", "[]");
    expect_json("@<f4[0,3]#", "{\"$array\":[0,3]}");
    expect_json(
        "@<f4[9]#00", /* no array: fewer bytes than items */
        "{\"$bytes:6e64\":true,\"$bytes:74797065\":\"<f4\",\"$bytes:6b696e64\":{\"$bytes\":\"\"},"
        "\"$bytes:7368617065\":[9],\"$bytes:64617461\":{\"$bytes\":\"00\"}}");
}

static bool stop(void *ctx, const char *data, size_t nbytes)
{
    (void)data, (void)nbytes;
    return --*(int *)ctx >= 0;
}

/* Nothing is written of what is broken; a sink that stops ends the writing. */
Test(msgpack_json, fails)
{
    dvt_lines found = {0};
    dv_error err = DV_ERROR_INIT;
    const dv_sink sink = dvt_lines_sink(&found);
    cr_expect_eq(dv_msgpack_write_json("\x92\x01\xC1", 3, &sink, &err), DV_ERR_CORRUPT);
    cr_expect_eq(dv_msgpack_write_json("\x01\x02", 2, &sink, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(err.rule, "datadings:8.25");
    cr_expect_eq(found.nbytes, 0);
    for (int calls = 0; calls < 12; calls++) {
        int left = calls;
        const dv_sink stopping = {stop, &left};
        const dv_status status =
            dv_msgpack_write_json("\x92\x81\xA1k\x01\x92\xC0\xC3", 8, &stopping, &err);
        cr_expect_eq(status, DV_ERR_STOPPED, "%d", calls);
    }
}
