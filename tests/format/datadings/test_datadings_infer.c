/* SPDX-License-Identifier: MIT */
/* test_datadings_infer.c: columns inferred from samples, and their values. Checks the table of
 * datadings:12 line by line: each pair of kinds, each limit of numbers, each form of numpy. */
#include "support/allocator.h"
#include "support/messages.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <stdlib.h>
#include <string.h>

static dv_open_options options_of(const char *text)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.datadings = text;
    return options;
}

/* The end of the message at `p`, in the notation of messages. */
static const char *message_end(const char *p)
{
    bool is_quoted = false;
    for (int depth = 0; *p && (depth > 0 || is_quoted || *p != ' '); p++) {
        is_quoted ^= *p == '"';
        depth += is_quoted ? 0 : (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    }
    return p;
}

/* Write messages as a file. */
static dvt_path write_shard(const dvt_path *folder, const char *name, const char *text, size_t n)
{
    dvt_lines bytes = {0};
    char *messages = strndup(text, n);
    const dvt_path path = dvt_path_in(folder, name);
    dvt_messages_add(&bytes, messages);
    dvt_file_write(&path, bytes.data, bytes.nbytes);
    dvt_lines_free(&bytes);
    free(messages);
    return path;
}

/* Check that files which divide the messages are read as one that has all of them. */
static void expect_shards(const char *messages, const char *schema, const char *rows)
{
    dv_open_options how = options_of("scan");
    dvt_path folder = dvt_folder_create();
    how.format = "datadings";
    for (const char *at = message_end(messages); *at; at = message_end(at + 1)) {
        const dvt_path a = write_shard(&folder, "a", messages, (size_t)(at - messages));
        const dvt_path b = write_shard(&folder, "b", at + 1, strlen(at + 1));
        const char *const paths[] = {a.text, b.text};
        dvt_lines found = {0}, values = {0};
        dv_error err = DV_ERROR_INIT;
        dv_view *view;
        cr_assert_eq(dv_open_many(&view, paths, 2, &how, &err), DV_OK, "%s", err.message);
        dvt_messages_schema(&found, view);
        cr_expect_str_eq(found.data ? found.data : "", schema, "%s: %s", messages, found.data);
        cr_expect_eq(dvt_messages_rows(&values, view, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_str_eq(values.data ? values.data : "", rows, "%s: %s", messages, values.data);
        dv_view_release(&view);
        dvt_lines_free(&found);
        dvt_lines_free(&values);
    }
    dvt_folder_remove(&folder);
}

/* Check schema and rows, read in several ways. */
static void expect_table(const char *messages, const char *options, const char *schema,
                         const char *rows)
{
    static const int64_t batch_rows[] = {0, 1, 3, 64};
    for (int way = 0; way < 8; way++) {
        dvt_lines bytes = {0}, found = {0}, values = {0};
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = options_of(options);
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        how.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
        cursor.batch_rows = batch_rows[way / 2];
        dvt_messages_add(&bytes, messages);
        dv_view *view = dvt_messages_open(&bytes, &how, &err);
        cr_assert_not_null(view, "%s: %s", messages, err.message);
        dvt_messages_schema(&found, view);
        cr_expect_str_eq(found.data ? found.data : "", schema, "%s: %s", messages, found.data);
        cr_expect_eq(dvt_messages_rows(&values, view, &cursor, &err), DV_OK, "%s", err.message);
        cr_expect_str_eq(values.data ? values.data : "", rows, "%s: %s", messages, values.data);
        dv_view_release(&view);
        dvt_lines_free(&bytes);
        dvt_lines_free(&found);
        dvt_lines_free(&values);
    }
}

/* A line of the table: messages, the inferred columns, and their rows. */
typedef struct table {
    const char *name, *messages, *schema, *rows;
} table;

static void expect_tables(const table *tables, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        expect_table(tables[i].messages, NULL, tables[i].schema, tables[i].rows);
        expect_shards(tables[i].messages, tables[i].schema, tables[i].rows);
    }
}

#define TABLES(name, ...)                                                                          \
    Test(datadings_infer, name)                                                                    \
    {                                                                                              \
        static const table tables[] = {__VA_ARGS__};                                               \
        expect_tables(tables, sizeof tables / sizeof *tables);                                     \
    }

/* --- Scalars ---------------------------------------------------------------------------------- */

TABLES(scalars,
       {"bool_and_nil", "{a:t} {a:f} {a:n} {}", "a BL", "[true]\n[false]\n[null]\n[null]\n"},
       {"integers", "{a:1} {a:-5} {a:9223372036854775807} {a:-9223372036854775807} {a:n}", "a I8",
        "[1]\n[-5]\n[9223372036854775807]\n[-9223372036854775807]\n[null]\n"},
       {"large_integers", "{a:1} {a:18446744073709551615} {}", "a U8",
        "[1]\n[18446744073709551615]\n[0]\n"},
       {"signs_beyond_i8", "{a:-1} {a:9223372036854775808}", "a BY?",
        "[\"by:ff\"]\n[\"by:cf8000000000000000\"]\n"},
       {"least_of_all", "{a:-9223372036854775808}", "a BY?", "[\"by:d38000000000000000\"]\n"},
       {"float32", "{a:1.5f} {a:-2.5f} {}", "a R4",
        "[\"r4:3fc00000\"]\n[\"r4:c0200000\"]\n[\"r4:ffc00000\"]\n"},
       {"float32_and_64", "{a:1.5f} {a:0.1}", "a R8",
        "[\"r8:3ff8000000000000\"]\n[\"r8:3fb999999999999a\"]\n"},
       {"float64_keeps_its_bits", "{a:!CB7FF0000000000001} {a:!CBFFF8000000001234}", "a R8",
        "[\"r8:7ff0000000000001\"]\n[\"r8:fff8000000001234\"]\n"},
       {"float32_keeps_its_bits", "{a:!CA7F800001} {a:!CAFFC00012}", "a R4",
        "[\"r4:7f800001\"]\n[\"r4:ffc00012\"]\n"},
       {"integers_and_float32", "{a:1} {a:2.5f} {a:-9007199254740992}", "a R8",
        "[\"r8:3ff0000000000000\"]\n[\"r8:4004000000000000\"]\n[\"r8:c340000000000000\"]\n"},
       {"exact_integers_and_floats", "{a:9007199254740992} {a:2.5}", "a R8",
        "[\"r8:4340000000000000\"]\n[\"r8:4004000000000000\"]\n"},
       {"inexact_integers_and_floats", "{a:9007199254740993} {a:2.5}", "a BY?",
        "[\"by:cf0020000000000001\"]\n[\"by:cb4004000000000000\"]\n"},
       {"inexact_negative_and_floats", "{a:-9007199254740993} {a:2.5}", "a BY?",
        "[\"by:d3ffdfffffffffffff\"]\n[\"by:cb4004000000000000\"]\n"},
       {"text", "{a:\"x\"} {a:\"\"} {a:n}", "a TX", "[\"x\"]\n[\"\"]\n[null]\n"},
       {"bytes", "{a:#FFD8} {a:#} {a:n}", "a BY", "[\"by:ffd8\"]\n[\"by:\"]\n[\"by:\"]\n"},
       {"text_and_bytes", "{a:\"x\"} {a:#FF}", "a BY?", "[\"by:a178\"]\n[\"by:c401ff\"]\n"},
       {"bool_is_no_integer", "{a:t} {a:1}", "a BY?", "[\"by:c3\"]\n[\"by:01\"]\n"},
       {"extension", "{a:!D60500000001}", "a BY?", "[\"by:d60500000001\"]\n"},
       {"nil_alone", "{a:n,b:1} {b:2}", "a BY?, b I8", "[\"by:c0\",1]\n[\"by:\",2]\n"},
       {"forms_that_are_not_shortest",
        "{a:!CF0000000000000005,b:!DB0000000178} {a:!D3FFFFFFFFFFFFFFFF}", "a I8, b TX",
        "[5,\"x\"]\n[-1,null]\n"})

/* --- Arrays ----------------------------------------------------------------------------------- */

TABLES(
    arrays,
    {"arrays_of_one_length", "{a:[1,2]} {a:[3,4]} {}", "a V<I8,2>",
     "[{\"len\":2,\"dense\":[1,2]}]\n[{\"len\":2,\"dense\":[3,4]}]\n"
     "[{\"len\":2,\"idx\":[],\"val\":[]}]\n"},
    {"arrays_of_lengths", "{a:[1,2]} {a:[]} {a:[3]} {}", "a V<I8,*>",
     "[{\"len\":2,\"dense\":[1,2]}]\n[{\"len\":0,\"dense\":[]}]\n[{\"len\":1,\"dense\":[3]}]\n"
     "[{\"len\":0,\"dense\":[]}]\n"},
    {"arrays_that_are_empty", "{a:[]} {a:[]}", "a BY?", "[\"by:90\"]\n[\"by:90\"]\n"},
    {"arrays_join_their_items", "{a:[1,2]} {a:[0.5,1.5f]}", "a V<R8,2>",
     "[{\"len\":2,\"dense\":[\"r8:3ff0000000000000\",\"r8:4000000000000000\"]}]\n"
     "[{\"len\":2,\"dense\":[\"r8:3fe0000000000000\",\"r8:3ff8000000000000\"]}]\n"},
    {"arrays_of_text", "{a:[\"x\",n]} {a:[\"\",\"yz\"]}", "a V<TX,2>",
     "[{\"len\":2,\"dense\":[\"x\",null]}]\n[{\"len\":2,\"dense\":[\"\",\"yz\"]}]\n"},
    {"arrays_of_bytes", "{a:[#01,#]} {a:[#0203]}", "a V<BY,*>",
     "[{\"len\":2,\"dense\":[\"by:01\",\"by:\"]}]\n[{\"len\":1,\"dense\":[\"by:0203\"]}]\n"},
    {"arrays_with_gaps", "{a:[1,n],b:[t,n],c:[n,0.5]}", "a V<I8,2>, b V<BL,2>, c V<R8,2>",
     "[{\"len\":2,\"dense\":[1,null]},{\"len\":2,\"dense\":[true,null]},"
     "{\"len\":2,\"dense\":[\"r8:fff8000000000000\",\"r8:3fe0000000000000\"]}]\n"},
    {"gaps_where_none_can_be", "{a:[#01,n],b:[18446744073709551615,n]}", "a BY?, b BY?",
     "[\"by:92c40101c0\",\"by:92cfffffffffffffffffc0\"]\n"},
    {"mixed_arrays", "{a:[1,\"x\"],b:[[1],[2]],c:[{x:1}]}", "a BY?, b BY?, c BY?",
     "[\"by:9201a178\",\"by:9291019102\",\"by:9181a17801\"]\n"},
    {"array_and_scalar", "{a:[1]} {a:1}", "a BY?", "[\"by:9101\"]\n[\"by:01\"]\n"},
    {"arrays_of_numpy_scalars", "{a:[@<i2#0100,@<i2#FEFF],b:[@<f4#0000803F]} {b:[@<f4#00000040]}",
     "a V<I2,2>, b V<R4,1>",
     "[{\"len\":2,\"dense\":[1,-2]},{\"len\":1,\"dense\":[\"r4:3f800000\"]}]\n"
     "[{\"len\":2,\"idx\":[],\"val\":[]},{\"len\":1,\"dense\":[\"r4:40000000\"]}]\n"},
    {"arrays_of_odd_numpy", "{a:[~1j~],b:[@<i2[1]#0100]}", "a BY?, b BY?",
     "[\"by:9182c407636f6d706c6578c3c40464617461a2316a\","
     "\"by:9185c4026e64c3c40474797065a33c6932c4046b696e64c400c40573686170659101c40464617461c402010"
     "0\"]\n"})

/* --- numpy ------------------------------------------------------------------------------------ */

TABLES(
    numpy,
    {"numpy_items",
     "{a:@|b1[2]#0001,b:@|i1[1]#80,c:@>i2[1]#FFFE,d:@<i4[1]#01000000,e:@>i8[1]#0000000000000002,"
     "f:@|u1[1]#FF,g:@>u2[1]#0102,h:@>u4[1]#01020304,i:@<u8[1]#FFFFFFFFFFFFFFFF}",
     "a V<BL,2>, b V<I1,1>, c V<I2,1>, d V<I4,1>, e V<I8,1>, f V<U1,1>, g V<U2,1>, h V<U4,1>, "
     "i V<U8,1>",
     "[{\"len\":2,\"dense\":[false,true]},{\"len\":1,\"dense\":[null]},{\"len\":1,\"dense\":[-2]},"
     "{\"len\":1,\"dense\":[1]},{\"len\":1,\"dense\":[2]},{\"len\":1,\"dense\":[255]},"
     "{\"len\":1,\"dense\":[258]},{\"len\":1,\"dense\":[16909060]},"
     "{\"len\":1,\"dense\":[18446744073709551615]}]\n"},
    {"numpy_reals",
     "{a:@<f2[6]#003C00C00100007C007EFF7B,b:@>f2[1]#3C00,c:@>f4[1]#3F800000,d:@<f8[1]#"
     "000000000000E03F,"
     "e:@=f4[1]#0000803F,f:@f4[1]#0000803F}",
     "a V<R4,6>, b V<R4,1>, c V<R4,1>, d V<R8,1>, e V<R4,1>, f V<R4,1>",
     "[{\"len\":6,\"dense\":[\"r4:3f800000\",\"r4:c0000000\",\"r4:33800000\",\"r4:7f800000\","
     "\"r4:7fc00000\",\"r4:477fe000\"]},{\"len\":1,\"dense\":[\"r4:3f800000\"]},"
     "{\"len\":1,\"dense\":[\"r4:3f800000\"]},{\"len\":1,\"dense\":[\"r8:3fe0000000000000\"]},"
     "{\"len\":1,\"dense\":[\"r4:3f800000\"]},{\"len\":1,\"dense\":[\"r4:3f800000\"]}]\n"},
    {"numpy_text",
     "{a:@<U2[2]#41000000FC0000004200000000000000,b:@>U1[1]#0001F600,c:@|S3[2]#616200630065,"
     "d:@<U3#78000000F600000000000000,e:@|S2#6100}",
     "a V<TX,2>, b V<TX,1>, c V<BY,2>, d TX, e BY",
     "[{\"len\":2,\"dense\":[\"A\xC3\xBC\",\"B\"]},{\"len\":1,\"dense\":[\"\xF0\x9F\x98\x80\"]},"
     "{\"len\":2,\"dense\":[\"by:6162\",\"by:630065\"]},\"x\xC3\xB6\",\"by:61\"]\n"},
    {"numpy_times",
     "{a:@<M8[ms][2]#E8030000000000000000000000000080,b:@<m8[s]#0500000000000000,"
     "c:@>M8[D][1]#0000000000000001,d:@<m8[100ns]#0300000000000000,e:@<m8[2W]#0100000000000000}",
     "a V<DT,2>, b TS, c V<DT,1>, d TS, e TS",
     "[{\"len\":2,\"dense\":[\"dt:621355968010000000\",null]},\"ts:50000000\","
     "{\"len\":1,\"dense\":[\"dt:621356832000000000\"]},\"ts:3\",\"ts:12096000000000\"]\n"},
    {"numpy_of_no_column",
     "{a:@<M8[ns]#0500000000000000,b:@<c8#0000803F00000040,c:@<m8#0500000000000000}",
     "a BY?, b BY?, c BY?",
     "[\"by:83c4026e64c2c40474797065a73c4d385b6e735dc40464617461c4080500000000000000\","
     "\"by:83c4026e64c2c40474797065a33c6338c40464617461c4080000803f00000040\","
     "\"by:83c4026e64c2c40474797065a33c6d38c40464617461c4080500000000000000\"]\n"},
    {"numpy_scalars", "{a:@<i2#0100,b:@|b1#01,c:@<f4#0000803F} {a:@<i2#FEFF,b:@|b1#00}",
     "a I2, b BL, c R4", "[1,true,\"r4:3f800000\"]\n[-2,false,\"r4:ffc00000\"]\n"},
    {"numpy_and_plain_scalars", "{a:@<i2#0100,b:@<f4#0000803F} {a:5,b:0.5} {a:@>u4#FFFFFFFF}",
     "a I8, b R8",
     "[1,\"r8:3ff0000000000000\"]\n[5,\"r8:3fe0000000000000\"]\n"
     "[4294967295,\"r8:fff8000000000000\"]\n"},
    {"numpy_other_scalars",
     "{a:@<f8#000000000000E03F,b:@<M8[D]#0100000000000000,c:[@<c8#0000000000000000]}",
     "a R8, b DT, c BY?",
     "[\"r8:3fe0000000000000\",\"dt:621356832000000000\","
     "\"by:9183c4026e64c2c40474797065a33c6338c40464617461c4080000000000000000\"]\n"},
    {"numpy_rank_0_is_a_scalar", "{a:@<i8[]#0700000000000000} {a:@<i8#0800000000000000}", "a I8",
     "[7]\n[8]\n"},
    {"numpy_dims", "{a:@|u1[2,2]#01020304,b:@|u1[1,2]#0102} {a:@|u1[2,1]#0506,b:@|u1[1,2]#0304} {}",
     "a V<U1,2,*>, b V<U1,1,2>",
     "[{\"len\":4,\"dense\":[1,2,3,4]},{\"len\":2,\"dense\":[1,2]}]\n"
     "[{\"len\":2,\"dense\":[5,6]},{\"len\":2,\"dense\":[3,4]}]\n"
     "[{\"len\":0,\"dense\":[]},{\"len\":2,\"idx\":[],\"val\":[]}]\n"},
    {"times_beyond_the_range", "{a:@<M8[s][1]#0000000000000000} {a:@<M8[s][1]#FFFFFFFFFFFFFF7F}",
     "a BY?",
     "[\"by:85c4026e64c3c40474797065a63c4d385b735dc4046b696e64c400c4057368617065"
     "9101c40464617461c4080000000000000000\"]\n"
     "[\"by:85c4026e64c3c40474797065a63c4d385b735dc4046b696e64c400c4057368617065"
     "9101c40464617461c408ffffffffffffff7f\"]\n"},
    {"a_time_before_year_1", "{a:@<M8[D]#0000000000000080} {a:@<M8[D]#00000000000000FF}", "a BY?",
     "[\"by:83c4026e64c2c40474797065a63c4d385b445dc40464617461c4080000000000000080\"]\n"
     "[\"by:83c4026e64c2c40474797065a63c4d385b445dc40464617461c40800000000000000ff\"]\n"},
    {"a_text_that_is_no_unicode", "{a:@<U1[1]#41000000} {a:@<U1[1]#00D80000}", "a BY?",
     "[\"by:85c4026e64c3c40474797065a33c5531c4046b696e64c400c4057368617065"
     "9101c40464617461c40441000000\"]\n"
     "[\"by:85c4026e64c3c40474797065a33c5531c4046b696e64c400c4057368617065"
     "9101c40464617461c40400d80000\"]\n"},
    {"numpy_ranks", "{a:@|u1[2,2]#01020304} {a:@|u1[3]#050607}", "a V<U1,*>",
     "[{\"len\":4,\"dense\":[1,2,3,4]}]\n[{\"len\":3,\"dense\":[5,6,7]}]\n"},
    {"numpy_empty", "{a:@|u1[0,3]#} {a:@|u1[1,3]#010203}", "a V<U1,*>",
     "[{\"len\":0,\"dense\":[]}]\n[{\"len\":3,\"dense\":[1,2,3]}]\n"},
    {"numpy_kinds", "{a:@|u1[1]#01} {a:@|i1[1]#01}", "a BY?",
     "[\"by:85c4026e64c3c40474797065a37c7531c4046b696e64c400c40573686170659101c40464617461c40101\"]"
     "\n"
     "[\"by:85c4026e64c3c40474797065a37c6931c4046b696e64c400c40573686170659101c40464617461c40101\"]"
     "\n"},
    {"numpy_and_array", "{a:@|u1[1]#01} {a:[1]}", "a BY?",
     "[\"by:85c4026e64c3c40474797065a37c7531c4046b696e64c400c40573686170659101c40464617461c40101\"]"
     "\n"
     "[\"by:9101\"]\n"},
    {"complex_numbers", "{a:~1-2j~} {a:~1j~} {}", "a V<R8,2>",
     "[{\"len\":2,\"dense\":[\"r8:3ff0000000000000\",\"r8:c000000000000000\"]}]\n"
     "[{\"len\":2,\"dense\":[\"r8:0000000000000000\",\"r8:3ff0000000000000\"]}]\n"
     "[{\"len\":2,\"idx\":[],\"val\":[]}]\n"},
    /* kind V: a structure; kind O: a pickle, never unpickled; `nd` as str: an ordinary map */
    {"numpy_structures",
     "{a:{#6E64:t,#74797065:[[\"id\",\"<u4\"],[\"v\",\"<f4\",[1]]],#6B696E64:#56,#7368617065:[1],"
     "#64617461:#0000000000000000}}",
     "a BY?",
     "[\"by:"
     "85c4026e64c3c404747970659292a26964a33c753493a176a33c66349101c4046b696e64c40156c4057368617"
     "0659101c40464617461c4080000000000000000\"]\n"},
    {"numpy_objects",
     "{a:{#6E64:t,#74797065:\"|O\",#6B696E64:#4F,#7368617065:[1],#64617461:#8004}}", "a BY?",
     "[\"by:"
     "85c4026e64c3c40474797065a27c4fc4046b696e64c4014fc40573686170659101c40464617461c4028004\"]"
     "\n"},
    {"words_are_not_numpy", "{a:{nd:t,type:\"<f4\",data:#00}}", "a.nd BL, a.type TX, a.data BY",
     "[true,\"<f4\",\"by:00\"]\n"},
    {"numpy_without_its_entries", "{a:{#6E64:t,#64617461:#00}} {a:{#636F6D706C6578:t}}", "a BY?",
     "[\"by:82c4026e64c3c40464617461c40100\"]\n[\"by:81c407636f6d706c6578c3\"]\n"})

/* --- Keys and maps ---------------------------------------------------------------------------- */

TABLES(keys_and_maps,
       {"key_comes_first", "{b:1,a:2} {c:3,key:\"k\"}", "key TX, b I8, a I8, c I8",
        "[null,1,2,null]\n[\"k\",null,null,3]\n"},
       {"maps_are_their_leaves", "{a:{b:1,c:{d:\"x\"}},k:2} {a:n} {a:{c:{e:2}}} {}",
        "a.b I8, a.c.d TX, a.c.e I8, k I8",
        "[1,\"x\",null,2]\n[null,null,null,null]\n[null,null,2,null]\n[null,null,null,null]\n"},
       {"map_and_value", "{a:{b:1}} {a:5}", "a BY?", "[\"by:81a16201\"]\n[\"by:05\"]\n"},
       {"map_with_other_keys", "{a:{1:2},b:{x:1}} {b:{t:2}}", "a BY?, b.x I8, b.t I8",
        "[\"by:810102\",1,null]\n[\"by:\",null,2]\n"},
       {"map_that_is_empty", "{a:{},b:1}", "b I8", "[1]\n"},
       {"last_of_equal_keys_counts", "{a:1,a:\"x\",b:{c:1},b:{d:2}}", "a TX, b.d I8",
        "[\"x\",2]\n"},
       {"last_of_equal_keys_counts_later", "{a:1} {a:2,b:7,a:3} {a:\"no\",a:4}", "a I8, b I8",
        "[1,null]\n[3,7]\n[4,null]\n"},
       {"keys_that_are_no_columns", "{\"\":1,5:2,#61:3,x:4}", "x I8", "[4]\n"},
       {"other_orders", "{a:1,b:2,c:3} {c:6,b:5,a:4} {b:8,c:9,a:7} {c:6,a:4,b:5}",
        "a I8, b I8, c I8", "[1,2,3]\n[4,5,6]\n[7,8,9]\n[4,5,6]\n"},
       {"equal_names_of_columns", "{a.b:1,a:{b:2}}", "a.b I8, a.b I8", "[2]\n"},
       {"many_keys", "{a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1,j:1,k:1} {k:2,z:5,a:3}",
        "a I8, b I8, c I8, d I8, e I8, f I8, g I8, h I8, i I8, j I8, k I8, z I8",
        "[1,1,1,1,1,1,1,1,1,1,1,null]\n[3,null,null,null,null,null,null,null,null,null,2,5]\n"},
       {"no_samples", "", "key TX", ""}, {"messages_without_keys", "{} {}", "", "[]\n[]\n"})

/* The keys of 64 nested maps are columns; a map nested deeper is opaque. */
Test(datadings_infer, nested_maps)
{
    char text[1000] = "", path[1000] = "";
    for (int i = 0; i < 64; i++) {
        strcat(text, "{a:");
        strcat(path, i > 0 ? ".a" : "a");
    }
    strcat(text, "7");
    for (int i = 0; i < 64; i++)
        strcat(text, "}");
    strcat(path, " I8");
    expect_table(text, NULL, path, "[7]\n");
    char deeper[1100] = "{a:";
    strcat(deeper, text);
    strcat(deeper, "}");
    path[127] = 0;
    strcat(path, " BY?");
    expect_table(deeper, NULL, path, "[\"by:81a16107\"]\n");
}

/* --- Options ---------------------------------------------------------------------------------- */

Test(datadings_infer, reads_the_first_samples_and_the_last)
{
    expect_table("{a:1} {b:2} {c:3}", "infer=1", "a I8, c I8", "[1,null]\n[null,null]\n[null,3]\n");
    expect_table("{a:1} {b:2} {c:3}", "infer=2", "a I8, b I8, c I8",
                 "[1,null,null]\n[null,2,null]\n[null,null,3]\n");
    expect_table("{a:1} {b:2} {c:3} {d:4}", "infer=all", "a I8, b I8, c I8, d I8",
                 "[1,null,null,null]\n[null,2,null,null]\n[null,null,3,null]\n"
                 "[null,null,null,4]\n");
}

Test(datadings_infer, columns_of_the_options)
{
    expect_table("{a:5,b:{c:1},d.e:7}", "col=b.c:U1 col={d\\.e:I2}", "b.c U1, d.e I2", "[1,7]\n");
    expect_table("{a:5,b:2.5}", "col=a:R4 col=zz:TX", "a R4, zz TX", "[\"r4:40a00000\",null]\n");
    expect_table("{a:5,b:{c:1}}", "col=b:opaque", "b BY?", "[\"by:81a16301\"]\n");
    expect_table("{a:5,b:@<i8[2]#00000000000000000100000000000000}",
                 "col=a:U4[0-9] col=b:V<TS,2> col=c:U1[0-3]", "a U4[0-9], b V<TS,2>, c U1[0-3]",
                 "[5,{\"len\":2,\"dense\":[\"ts:0\",\"ts:1\"]},0]\n");
    expect_table("{a:@|u1[2,3]#010203040506}", "col=a:V<U1,*>", "a V<U1,*>",
                 "[{\"len\":6,\"dense\":[1,2,3,4,5,6]}]\n");
    expect_table("{a:@|u1[2,3]#010203040506}", "col=a:V<U1,2,*>", "a V<U1,2,*>",
                 "[{\"len\":6,\"dense\":[1,2,3,4,5,6]}]\n");
    expect_table("{a:3,b:-3,c:1,d:@<u2#0300,e:5}", "col=a:DT col=b:TS col=c:R8 col=d:I1 col=e:I4",
                 "a DT, b TS, c R8, d I1, e I4",
                 "[\"dt:3\",\"ts:-3\",\"r8:3ff0000000000000\",3,5]\n");
}

static void expect_refused(const char *options, const char *says)
{
    dvt_lines bytes = {0};
    dv_error err = DV_ERROR_INIT;
    const dv_open_options how = options_of(options);
    dvt_messages_add(&bytes, "{a:1}");
    cr_expect_null(dvt_messages_open(&bytes, &how, &err), "%s", options);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%s: %s", options, err.message);
    cr_expect(strstr(err.message, says), "%s: %s", options, err.message);
    dvt_lines_free(&bytes);
}

Test(datadings_infer, options_are_refused)
{
    expect_refused("odd", "unknown option odd");
    expect_refused("infer=0", "a number of samples");
    expect_refused("infer=x", "a number of samples");
    expect_refused("infer", "a number of samples");
    expect_refused("infer=2 infer=3", "twice");
    expect_refused("mismatch=maybe", "error or na");
    expect_refused("scan=3", "a flag");
    expect_refused("col=a", "a name and a type");
    expect_refused("col", "a name and a type");
    expect_refused("col=:R4", "a name and a type");
    expect_refused("col=a:ZZ", "a type after the colon");
    expect_refused("col=a:DZ", "a type after the colon");
    expect_refused("col=a:UG", "a type after the colon");
    expect_refused("col=a:V<U4[0-3],2>", "a type after the colon");
    expect_refused("col=a..b:R4", "an empty key");
    expect_refused("col=a.:R4", "an empty key");
    expect_refused("col=a:R4 col=a:R8", "is given twice");
    expect_refused("col=a.b:R4 col=a:R8", "contains another column");
    expect_refused("col=a:R4 col=a.b:R8", "leads into another column");
    expect_refused("col=a:R4 infer=2", "exclude");
    expect_refused("raw col=a:R4", "raw");
    expect_refused("raw mismatch=na", "raw");
    expect_refused("{", "no name=value");
}

static void expect_limit(const char *messages, const dv_open_options *how, const char *option)
{
    dvt_lines bytes = {0};
    dv_error err = DV_ERROR_INIT;
    dvt_messages_add(&bytes, messages);
    cr_expect_null(dvt_messages_open(&bytes, how, &err), "%s", messages);
    cr_expect_eq(err.status, DV_ERR_LIMIT, "%s", err.message);
    cr_expect_str_eq(err.rule, option, "%s", err.message);
    dvt_lines_free(&bytes);
}

Test(datadings_infer, limits)
{
    dv_open_options how = options_of(NULL);
    how.columns = 2;
    expect_table("{a:1,b:2}", NULL, "a I8, b I8", "[1,2]\n");
    expect_limit("{a:1,b:2,c:3}", &how, "columns");
    how = options_of(NULL);
    how.metadata_toc_nbytes = 4;
    expect_limit("{ab:1,abc:2}", &how, "metadata_toc_nbytes");
    how = options_of("col=a:I8");
    how.nesting = 2;
    expect_limit("{a:[[1]]}", &how, "nesting");
    how = options_of(NULL);
    how.message_nbytes = 3;
    expect_limit("{a:1} {a:1}", &how, "message_nbytes");
    how = options_of(NULL);
    how.cursor_nbytes = 30;
    expect_limit("{a:1} {a:1}", &how, "cursor_nbytes");
}

/* --- Facts ------------------------------------------------------------------------------------ */

Test(datadings_infer, facts_have_the_number_of_samples_read)
{
    static const struct {
        const char *options;
        int64_t inferred;
    } cases[] = {{NULL, 3}, {"infer=1", 2}, {"col=a:I8", 0}, {"raw", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dvt_lines bytes = {0};
        dv_facts *facts;
        dv_error err = DV_ERROR_INIT;
        const dv_open_options how = options_of(cases[i].options);
        dvt_messages_add(&bytes, "{a:1} {a:2} {a:3}");
        dv_view *view = dvt_messages_open(&bytes, &how, &err);
        cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
        cr_expect_eq(facts->inferred_rows, cases[i].inferred);
        cr_expect_eq(facts->rows, 3);
        cr_expect_eq(facts->file_nbytes, (int64_t)bytes.nbytes);
        dv_facts_free(&facts);
        dv_view_release(&view);
        dvt_lines_free(&bytes);
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

static const char everything[] =
    "{key:\"k\",a:{b:1,c:[\"x\",n]},d:@<f4[2]#0000803F00000040,e:~1j~,f:#00,g:[1,2],h:{1:2},"
    "i:@<U1[1]#41000000,l:1,m:1,n:1,o:1,p:1} {key:\"l\"} {key:\"m\",a:{c:[]},g:[1]}";

static dv_status read_all(const dvt_lines *bytes, const dv_open_options *how, uint64_t *hash_out)
{
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    dv_facts *facts = NULL;
    dv_view *view = dvt_messages_open(bytes, how, &err);
    if (view && dvt_messages_rows(&rows, view, NULL, &err) == DV_OK)
        dv_inspect(&facts, view, &err);
    dv_facts_free(&facts);
    dv_view_release(&view);
    *hash_out = err.status == DV_OK ? dvt_lines_hash(&rows) : 0;
    dvt_lines_free(&rows);
    return err.status;
}

Test(datadings_infer, each_allocation_may_fail)
{
    static const char *const options[] = {NULL, "raw", "strict", "col=a.c:V<TX,*> col=h:opaque"};
    dvt_lines bytes = {0};
    dvt_messages_add(&bytes, everything);
    for (int way = 0; way < 8; way++) {
        dv_open_options how = options_of(options[way / 2]);
        uint64_t truth, hash;
        how.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
        cr_assert_eq(read_all(&bytes, &how, &truth), DV_OK);
        for (int64_t k = 1;; k += DVT_FAIL_STEP) {
            dvt_allocator counted;
            dvt_allocator_init(&counted, k);
            how.allocator = &counted.allocator;
            const dv_status status = read_all(&bytes, &how, &hash);
            const bool is_done = counted.asked < k;
            cr_expect_eq(counted.live, 0);
            cr_assert_eq(status, is_done ? DV_OK : DV_ERR_MEMORY, "%lld", (long long)k);
            if (is_done)
                cr_expect_eq(hash, truth);
            if (is_done)
                break;
        }
    }
    dvt_lines_free(&bytes);
}
