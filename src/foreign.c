/* SPDX-License-Identifier: MIT */
/* foreign.c: the list of files that hold no table that the library reads. */
#include "foreign.h"
#include <string.h>

/* More than the magic must hold, because a text could begin with it. */
typedef bool test_fn(const uint8_t *head, size_t n);

static bool is_any(const uint8_t *head, size_t n)
{
    (void)head;
    (void)n;
    return true;
}

/* Text has no bytes below the tab. */
static bool is_binary(const uint8_t *head, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (head[i] < '\t')
            return true;
    return false;
}

static bool contains(const uint8_t *head, size_t n, const char *word)
{
    return memmem(head, n, word, strlen(word)) != NULL;
}

static bool has_sheets(const uint8_t *head, size_t n)
{
    return contains(head, n, "[Content_Types].xml") || contains(head, n, "xl/");
}

static bool has_arrays(const uint8_t *head, size_t n)
{
    return contains(head, n, ".npy");
}

static bool has_model(const uint8_t *head, size_t n)
{
    return contains(head, n, "TransformerChain") || contains(head, n, "TrainingInfo/Version.txt");
}

static bool has_checkpoint(const uint8_t *head, size_t n)
{
    return contains(head, n, "/data.pkl");
}

/* A pickle of protocol 4 or 5 begins with a frame; older ones with one of some opcodes. */
static bool is_pickle(const uint8_t *head, size_t n)
{
    return n >= 11 && head[1] >= 4 && head[1] <= 5 && head[2] == 0x95 && head[9] == 0 &&
           head[10] == 0;
}

static bool is_old_pickle(const uint8_t *head, size_t n)
{
    return n >= 3 && head[1] >= 2 && head[1] <= 3 && memchr("}](cX", head[2], 5);
}

/* The length of a message, then its flatbuffer, which begins with the offset of its root. */
static bool is_message(const uint8_t *head, size_t n)
{
    return n >= 12 && head[4] % 8 == 0 && head[7] == 0 && head[8] % 4 == 0 && head[9] == 0 &&
           head[10] == 0 && head[11] == 0;
}

/* --- Text of other kinds ---------------------------------------------------------------------- */

/* The offset of the first byte that is neither white space nor a byte order mark. */
static size_t begin_of(const uint8_t *head, size_t n)
{
    size_t i = n >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < n && strchr(" \t\r\n", head[i]) && head[i])
        i++;
    return i;
}

static bool begins(const uint8_t *head, size_t n, const char *word)
{
    const size_t from = begin_of(head, n), length = strlen(word);
    for (size_t i = 0; i < length; i++)
        if (from + i >= n || (head[from + i] | 0x20) != (uint8_t)word[i])
            return false;
    return true;
}

static bool is_html(const uint8_t *head, size_t n)
{
    return begins(head, n, "<!doctype html") || begins(head, n, "<html");
}

static bool is_xml(const uint8_t *head, size_t n)
{
    return begins(head, n, "<?xml ");
}

/* { or [, and after white space what may follow in JSON. */
static bool is_json_after(const uint8_t *head, size_t n, char bracket, const char *nexts)
{
    const size_t at = begin_of(head, n);
    if (at >= n || head[at] != (uint8_t)bracket)
        return false;
    const size_t next = at + 1 + begin_of(head + at + 1, n - at - 1);
    return next < n && head[next] && strchr(nexts, head[next]);
}

/* An object that ends in its line, or does not end in what is at hand. */
static bool is_json_lines(const uint8_t *head, size_t n)
{
    const size_t at = begin_of(head, n);
    const uint8_t *end = at < n ? memchr(head + at, '\n', n - at) : NULL;
    const size_t length = end ? (size_t)(end - head) - at : n - at;
    return is_json_after(head, n, '{', "\"}") && length > 1 && head[at + 1] != '\n' &&
           (!end || memchr(head + at, '}', length));
}

static bool is_json(const uint8_t *head, size_t n)
{
    return is_json_after(head, n, '{', "\"}") || is_json_after(head, n, '[', "{[\"]");
}

/* Every second byte is zero, as in English. */
static bool is_utf16(const uint8_t *head, size_t n)
{
    size_t zeros[2] = {0, 0};
    const size_t pairs = (n < 64 ? n : 64) / 2;
    for (size_t i = 0; i < 2 * pairs; i++)
        zeros[i % 2] += head[i] == 0;
    return pairs >= 8 && zeros[0] + zeros[1] == pairs && (zeros[0] == 0 || zeros[1] == 0);
}

static bool has_zero(const uint8_t *head, size_t n)
{
    const bool has_mark =
        n >= 2 && (memcmp(head, "\xFF\xFE", 2) == 0 || memcmp(head, "\xFE\xFF", 2) == 0);
    return !has_mark && n > 0 && memchr(head, 0, n) != NULL;
}

/* --- The list --------------------------------------------------------------------------------- */

#define TO_IDV(call) "in Python: dv.write(" call ", 'OUT.idv')"
#define TO_CSV(call) "in Python: " call ".to_csv('OUT.csv', index=False)"
#define UNPACK(command) "unpack it: " command

/* The first that fits counts. */
static const struct {
    const char *magic;
    size_t nbytes, offset; /* of the magic */
    test_fn *test;
    bool is_sure;
    dvi_foreign what;
} list[] = {
#define MAGIC(text) text, sizeof text - 1
    {MAGIC("PAR1"),
     0,
     is_binary,
     true,
     {"a Parquet file", TO_IDV("pyarrow.parquet.read_table(FILE)")}},
    {MAGIC("PARE"), 0, is_binary, true, {"an encrypted Parquet file", "decrypt it with pyarrow"}},
    {MAGIC("ARROW1\0\0"),
     0,
     is_any,
     true,
     {"an Arrow or Feather file", TO_IDV("pyarrow.feather.read_table(FILE)")}},
    {MAGIC("FEA1"),
     0,
     is_binary,
     true,
     {"a Feather file of version 1", TO_IDV("pyarrow.feather.read_table(FILE)")}},
    {MAGIC("\xFF\xFF\xFF\xFF"),
     0,
     is_message,
     true,
     {"an Arrow stream", TO_IDV("pyarrow.ipc.open_stream(FILE).read_all()")}},
    {MAGIC("ORC"), 0, is_binary, true, {"an ORC file", TO_IDV("pyarrow.orc.read_table(FILE)")}},
    {MAGIC("Obj\x01"),
     0,
     is_any,
     true,
     {"an Avro file", "write it as CSV with the program it is from"}},
    {MAGIC("\x93NUMPY"),
     0,
     is_any,
     true,
     {"a NumPy array (.npy)",
      "in Python: numpy.savetxt('OUT.csv', numpy.load(FILE), delimiter=',')"}},
    {MAGIC("\x89HDF\r\n\x1A\n"),
     0,
     is_any,
     true,
     {"an HDF5 file", "write its table as CSV, with h5py or pandas"}},
    {MAGIC("CDF\x01"), 0, is_any, true, {"a NetCDF file", "write its table as CSV, with xarray"}},
    {MAGIC("CDF\x02"), 0, is_any, true, {"a NetCDF file", "write its table as CSV, with xarray"}},
    {MAGIC("DVPIPE\r\n"),
     0,
     is_any,
     true,
     {"a saved pipeline", "dataview pipe show FILE; in Python dv.Pipeline.load(FILE)"}},
    {MAGIC("SQLite format 3\0"),
     0,
     is_any,
     true,
     {"an SQLite database", "sqlite3 -header -csv FILE 'select * from TABLE' > OUT.csv"}},
    {MAGIC("DUCK"),
     8,
     is_binary,
     true,
     {"a DuckDB database", "duckdb FILE \"copy TABLE to 'OUT.csv'\""}},
    {MAGIC("\x80"),
     0,
     is_pickle,
     true,
     {"a Python pickle", "load it in Python, if you trust it, and write it as CSV"}},
    {MAGIC("PK\x03\x04"),
     0,
     has_arrays,
     true,
     {"NumPy arrays (.npz)", "numpy.load(FILE) reads it, numpy.savetxt writes an array as CSV"}},
    {MAGIC("PK\x03\x04"),
     0,
     has_checkpoint,
     true,
     {"a PyTorch file", "load it in Python, if you trust it, and write it as CSV"}},
    {MAGIC("PK\x03\x04"),
     0,
     has_sheets,
     true,
     {"an Excel workbook", "save the sheet as CSV, or " TO_CSV("pandas.read_excel(FILE)")}},
    {MAGIC("PK\x03\x04"),
     0,
     has_model,
     true,
     {"a model of ML.NET", "dataview pipe show FILE; in Python dv.Pipeline.load(FILE)"}},
    {MAGIC("PK\x03\x04"), 0, is_any, true, {"a zip archive", UNPACK("unzip FILE")}},
    {MAGIC("PK\x05\x06"), 0, is_any, true, {"an empty zip archive", ""}},
    {MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
     0,
     is_any,
     true,
     {"an old Office file, perhaps .xls", "save the sheet as CSV"}},
    {MAGIC("\x1F\x8B"), 0, is_any, true, {"a gzip file", UNPACK("gzip -d FILE")}},
    {MAGIC("\x28\xB5\x2F\xFD"), 0, is_any, true, {"a zstd file", UNPACK("zstd -d FILE")}},
    {MAGIC("BZh"), 0, is_binary, true, {"a bzip2 file", UNPACK("bzip2 -d FILE")}},
    {MAGIC("\xFD\x37zXZ\0"), 0, is_any, true, {"an xz file", UNPACK("xz -d FILE")}},
    {MAGIC("\x04\x22\x4D\x18"), 0, is_any, true, {"an lz4 file", UNPACK("lz4 -d FILE")}},
    {MAGIC("7z\xBC\xAF\x27\x1C"), 0, is_any, true, {"a 7-Zip archive", UNPACK("7z x FILE")}},
    {MAGIC("\x1F\x9D"), 0, is_any, true, {"a file of compress (.Z)", UNPACK("gzip -d FILE")}},
    {MAGIC("ustar"), 257, is_binary, true, {"a tar archive", UNPACK("tar -xf FILE")}},
    {MAGIC("\xFF\xD8\xFF"),
     0,
     is_binary,
     true,
     {"a JPEG picture", "the step image takes a table of such paths: docs/images.md"}},
    {MAGIC("\x89PNG\r\n\x1A\n"),
     0,
     is_any,
     true,
     {"a PNG picture", "the step image takes a table of such paths: docs/images.md"}},
    {MAGIC("%PDF-"), 0, is_any, true, {"a PDF document", "export its table as CSV"}},
    {MAGIC(""),
     0,
     is_html,
     true,
     {"a web page (HTML)", "perhaps an error or a login that was saved instead of the file"}},
    {MAGIC(""), 0, is_xml, true, {"an XML file", "write its table as CSV"}},
    {MAGIC("\xFF\xFE\0\0"),
     0,
     is_any,
     true,
     {"text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > OUT.csv"}},
    {MAGIC("\0\0\xFE\xFF"),
     0,
     is_any,
     true,
     {"text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > OUT.csv"}},
    {MAGIC(""),
     0,
     is_utf16,
     true,
     {"UTF-16 text without a byte order mark",
      "iconv -f UTF-16LE (or BE) -t UTF-8 FILE > OUT.csv"}},
    {MAGIC("\x80"),
     0,
     is_old_pickle,
     false,
     {"a Python pickle", "load it in Python, if you trust it, and write it as CSV"}},
    {MAGIC(""), 0, is_json_lines, false, {"JSON lines", TO_IDV("pyarrow.json.read_json(FILE)")}},
    {MAGIC(""), 0, is_json, false, {"JSON", TO_CSV("pandas.read_json(FILE)")}},
    {MAGIC(""), 0, has_zero, false, {"binary data of an unknown kind", ""}},
};

const dvi_foreign *dvi_foreign_find(const uint8_t *head, size_t n, bool is_sure)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].is_sure >= is_sure && n >= list[i].offset + list[i].nbytes &&
            memcmp(head + list[i].offset, list[i].magic, list[i].nbytes) == 0 &&
            list[i].test(head, n))
            return &list[i].what;
    return NULL;
}
