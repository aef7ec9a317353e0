/* SPDX-License-Identifier: MIT */
/* small_files.c: a folder of small files of every format. */
#include "support/small_files.h"
#include "support/produce.h"
#include "support/random_table.h"
#include <dataview/save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/* Below tests/golden. */
static const char *const golden[] = {
    "idv/vector-TX-raw.idv",
    "idv/vector-wide-sparse.idv",
    "idv/vector-R4-raw.idv",
    "idv/vector-DZ-raw.idv",
    "idv/vector-K1.idv",
    "idv/metadata-raw.idv",
    "idv/metadata-sparse-slotnames.idv",
    "idv/text-unicode-raw-rpb1.idv",
    "idv/scalar-BL-raw.idv",
    "idv-crafted/old-dvbool-vector.idv",
    "idv-crafted/old-key-min.idv",
    "idv-crafted/version-1113-slotnames.idv",
    "btable/article.btable",
    "btable/unicode-labels.btable",
    "btable/random-03.btable",
    "text/load/embed-basic.txt",
    "datadings/tiny.msgpack",
};

/* Texts, with the options by which they are read. */
static const struct {
    const char *name, *options, *content;
} texts[] = {
    {"quotes.csv",
     "sep=, quote+ multilines+ col=a:TX:0 col=b:R8:1 col=c:I4:2-4 col=d:DT:5 col=e:R4:1",
     "\"one, \"\"two\"\"\",1234567890.12345678901234567890,1,-22,333,2020-02-29T23:59:59Z\n"
     "plain,-0.000000000000000000000000000000123456789012345678901e-5,,12345678,9,1/2/2003\r\n"
     "\"goes\non\",1e400,7,8,9,\"Mon, 3 Feb 2020 4:05 PM\"\n"
     "\xC3\xA9t\xC3\xA9,+12.5,1,2,3,2020-01\n"},
    {"sparse.txt", "sparse+ col=L:R4:0 col=F:R4:1-20",
     "1\t20\t1:10\t4:40\t19:1\n0\t20\t0:1\t7:2.5\n2\t20\t3:0.5\n"},
    {"spaces.txt", "sep=space quote+ trim+ col=A:TX:0-3 col=K:U4[3]:4 col=B:BL:5 col=U:UG:6",
     "a  b \"c d\" e 1 true 0x00000000000000010000000000000002\n"
     "\"\" ? x \"y\"\"z\" 3 0 0xffffffffffffffff0000000000000000\n"},
};

#define LONG_NBYTES 4200 /* of a text that is copied before it is checked */

/* Messages without an index: a nested map, an array of texts, arrays of numpy and opaque values. */
static const char messages[] =
    "\x85\xA3key\xA1"
    "a\xA1m\x82\xA1x\x01\xA1y\x81\xA1z\xA4text\xA1t\x93\xA3one\xA0\xA5three"
    "\xA1n\x84\xC4\x02nd\xC3\xC4\x04type\xA3<U2\xC4\x05shape\x91\x02\xC4\x04"
    "data\xC4\x10"
    "a\0\0\0b\0\0\0\xE9\0\0\0\0\0\0\0\xA1o\x92\x01\xC4\x01z"
    "\x85\xA3key\xA1"
    "b\xA1m\x82\xA1x\x02\xA1y\x81\xA1z\xA2tt\xA1t\x92\xA1p\xA1q"
    "\xA1n\x84\xC4\x02nd\xC3\xC4\x04type\xA3<U2\xC4\x05shape\x91\x01\xC4\x04"
    "data\xC4\x08"
    "z\0\0\0\0\0\0\0\xA1o\x81\xA1k\xC0";

/* Files beside datadings/tiny.msgpack. */
static const char *const beside[] = {".filter", ".key_hashes", ".keys", ".md5", ".offsets"};

/* Random tables. */
static const struct {
    uint64_t seed;
    const char *name, *format, *text;
    dv_compression compression;
} tables[] = {
    {2, "raw.idv", "idv", NULL, DV_COMPRESSION_NONE},
    {3, "raw-3.idv", "idv", NULL, DV_COMPRESSION_NONE},
    {2, "deflate.idv", "idv", NULL, DV_COMPRESSION_DEFLATE},
    {3, "zlib.idv", "idv", NULL, DV_COMPRESSION_ZLIB},
    {2, "rows.txt", "text", NULL, DV_COMPRESSION_NONE},
    {3, "rows.csv", "text", "sep=,", DV_COMPRESSION_NONE},
    {2, "rows.msgpack", "datadings", NULL, DV_COMPRESSION_NONE},
    {3, "rows-3.msgpack", "datadings", NULL, DV_COMPRESSION_NONE},
};

static void add(dvt_small_files *files, const char *name)
{
    DVT_MUST(files->n < DVT_SMALL_FILES_MOST);
    files->name[files->n] = name;
    files->path[files->n++] = dvt_path_in(&files->folder, name);
}

static void write_new(dvt_small_files *files, const char *name, const void *data, size_t nbytes)
{
    add(files, name);
    dvt_file_write(&files->path[files->n - 1], data, nbytes);
}

static void write_texts(dvt_small_files *files)
{
    for (int i = 0; i < COUNT(texts); i++) {
        write_new(files, texts[i].name, texts[i].content, strlen(texts[i].content));
        files->text[files->n - 1] = texts[i].options;
    }
    char longer[LONG_NBYTES + 8];
    memset(longer, 'x', sizeof longer);
    memcpy(longer + LONG_NBYTES, ",1\ny,2\n", 8);
    write_new(files, "long.csv", longer, sizeof longer);
    files->text[files->n - 1] = "sep=, col=a:TX:0 col=b:I4:1";
}

static void copy(const dvt_small_files *files, const char *source, const char *name)
{
    size_t nbytes;
    char path[1024];
    snprintf(path, sizeof path, "%s/golden/%s", getenv("DV_TEST_ROOT"), source);
    uint8_t *data = dvt_file_read(path, &nbytes);
    const dvt_path to = dvt_path_in(&files->folder, name);
    dvt_file_write(&to, data, nbytes);
    free(data);
}

static void save_table(dvt_small_files *files, int i)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    dvt_random_table *random = dvt_random_table_create(tables[i].seed);
    dv_view *view = dvt_made_table_open(&random->table, NULL);
    add(files, tables[i].name);
    how.format = tables[i].format;
    how.text = tables[i].text;
    how.compression = tables[i].compression;
    how.rows_per_block = 4;
    how.sync = false;
    how.datadings = "key=rownumber";
    for (int bit = 0; bit < 7; bit++)
        how.allow_loss |= 1u << bit;
    const dv_status status = dv_save(view, files->path[files->n - 1].text, &how, &err);
    if (status != DV_OK)
        fprintf(stderr, "%s: %s\n", tables[i].name, err.message);
    DVT_MUST(status == DV_OK);
    dv_view_release(&view);
    dvt_random_table_free(random);
}

dvt_small_files dvt_small_files_create(void)
{
    dvt_small_files files = {.folder = dvt_folder_create()};
    for (int i = 0; i < COUNT(tables); i++)
        save_table(&files, i);
    for (int i = 0; i < COUNT(golden); i++) {
        add(&files, strrchr(golden[i], '/') + 1);
        copy(&files, golden[i], files.name[files.n - 1]);
    }
    for (int i = 0; i < COUNT(beside); i++) {
        char source[64];
        snprintf(source, sizeof source, "datadings/tiny.msgpack%s", beside[i]);
        copy(&files, source, strrchr(source, '/') + 1);
    }
    write_texts(&files);
    write_new(&files, "messages.msgpack", messages, sizeof messages - 1);
    files.datadings[files.n - 1] = "scan";
    return files;
}

void dvt_small_files_remove(dvt_small_files *files)
{
    dvt_folder_remove(&files->folder);
}

dv_open_options dvt_small_options(const dvt_small_files *files, int i)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.text = files->text[i];
    how.datadings = files->datadings[i];
    how.columns = 256;
    how.metadata_nbytes = how.metadata_toc_nbytes = how.block_nbytes = 1 << 18;
    how.cursor_nbytes = 1 << 20;
    how.rows_without_columns = 1 << 12;
    how.message_nbytes = 1 << 16;
    how.nesting = 64;
    return how;
}
