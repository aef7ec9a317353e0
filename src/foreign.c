/* SPDX-License-Identifier: MIT */
/* foreign.c: the list of files that hold no table that the library reads. */
#include "foreign.h"
#include "codec/parse.h"
#include "format/text/read/text_lines.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MESSAGE_PATH ((size_t)80) /* bytes of paths for which a message has room */

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

static bool has_zero(const uint8_t *head, size_t n)
{
    return n > 0 && memchr(head, 0, n) && !dvi_text_lines_is_wide(head, n);
}

static bool is_number(const uint8_t *text, size_t n)
{
    double value;
    return n > 0 && dvi_parse_r8(&value, (const char *)text, n, n, '.');
}

/* index:value, where the index is beyond *last and becomes it; or qid:number. */
static bool is_item(const uint8_t *item, size_t n, int64_t *last)
{
    const uint8_t *colon = memchr(item, ':', n);
    const size_t before = colon ? (size_t)(colon - item) : 0;
    int64_t index = 0;
    if (before == 0 || before > 9 || !is_number(colon + 1, n - before - 1))
        return false;
    if (before == 3 && memcmp(item, "qid", 3) == 0)
        return *last < 0;
    for (size_t i = 0; i < before; i++) {
        if (item[i] < '0' || item[i] > '9')
            return false;
        index = 10 * index + (item[i] - '0');
    }
    const bool is_next = index > *last;
    *last = index;
    return is_next;
}

/* A label, then items in order, perhaps a remark.  *items_out: how many. */
static bool is_svmlight_line(const uint8_t *line, size_t n, int *items_out)
{
    int64_t last = -1;
    int words = 0;
    const uint8_t *remark = memchr(line, '#', n);
    n = remark ? (size_t)(remark - line) : n;
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && line[end] != ' ' && line[end] != '\t' && line[end] != '\r';)
            end++;
        if (end == at)
            continue;
        if (words++ == 0 ? !is_number(line + at, end - at) : !is_item(line + at, end - at, &last))
            return false;
    }
    *items_out = words - 1;
    return words > 0;
}

/* All lines at hand are, and most have items.  The last one may be cut off. */
static bool is_svmlight(const uint8_t *head, size_t n)
{
    int lines = 0, full = 0, items = 0;
    for (size_t at = 0; at < n;) {
        const uint8_t *end = memchr(head + at, '\n', n - at);
        const bool is_cut = !end && lines > 0;
        const size_t length = end ? (size_t)(end - head) - at : n - at;
        if (!is_cut && !is_svmlight_line(head + at, length, &items))
            return false;
        lines += !is_cut;
        full += !is_cut && items > 0;
        at += length + 1;
    }
    return full > 0 && 2 * full >= lines;
}

static bool is_object(const uint8_t *line, size_t n)
{
    while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' '))
        n--;
    return n > 1 && line[n - 1] == '}' && is_json_after(line, n, '{', "\"}") &&
           (n == 2 || memmem(line, n, "\":", 2) || memmem(line, n, "\" :", 3));
}

/* Each line at hand is an object, but for one that is cut off. */
static bool are_json_objects(const uint8_t *head, size_t n)
{
    int objects = 0;
    for (size_t at = begin_of(head, n); at < n;) {
        const uint8_t *end = memchr(head + at, '\n', n - at);
        const size_t length = end ? (size_t)(end - head) - at : n - at;
        const bool is_one = is_object(head + at, length);
        if (!is_one && (end || objects == 0) && length > 0)
            return false;
        objects += is_one;
        at += length + 1;
    }
    return objects > 0;
}

/* --- The list --------------------------------------------------------------------------------- */

#define TO_IDV(call) "in Python: dv.write(" call ", 'OUT.idv')"
#define TO_CSV(call) "in Python: " call ".to_csv('OUT.csv', index=False)"
#define SVMLIGHT                                                                                   \
    "--text 'sep=space size=N col=Label:R4:0 col=Features:R4:1-*' reads it; N: more than any "     \
    "index"
#define UNPACK(command) "unpack it: " command

/* The first that fits counts. */
static const struct {
    const char *magic;
    size_t nbytes, offset; /* where the magic is */
    test_fn *test;
    dvi_foreign what;
} list[] = {
#define MAGIC(text) text, sizeof text - 1
    {MAGIC("PAR1"),
     0,
     is_binary,
     {"a Parquet file", TO_IDV("pyarrow.parquet.read_table(FILE)"), DVI_FOREIGN_SURE}},
    {MAGIC("PARE"),
     0,
     is_binary,
     {"an encrypted Parquet file", "decrypt it with pyarrow", DVI_FOREIGN_SURE}},
    {MAGIC("ARROW1\0\0"),
     0,
     is_any,
     {"an Arrow or Feather file", TO_IDV("pyarrow.feather.read_table(FILE)"), DVI_FOREIGN_SURE}},
    {MAGIC("FEA1"),
     0,
     is_binary,
     {"a Feather file of version 1", TO_IDV("pyarrow.feather.read_table(FILE)"), DVI_FOREIGN_SURE}},
    {MAGIC("\xFF\xFF\xFF\xFF"),
     0,
     is_message,
     {"an Arrow stream", TO_IDV("pyarrow.ipc.open_stream(FILE).read_all()"), DVI_FOREIGN_SURE}},
    {MAGIC("ORC"),
     0,
     is_binary,
     {"an ORC file", TO_IDV("pyarrow.orc.read_table(FILE)"), DVI_FOREIGN_SURE}},
    {MAGIC("Obj\x01"),
     0,
     is_any,
     {"an Avro file", "write it as CSV with the program it is from", DVI_FOREIGN_SURE}},
    {MAGIC("\x93NUMPY"),
     0,
     is_any,
     {"a NumPy array (.npy)",
      "in Python: numpy.savetxt('OUT.csv', numpy.load(FILE), delimiter=',')", DVI_FOREIGN_SURE}},
    {MAGIC("\x89HDF\r\n\x1A\n"),
     0,
     is_any,
     {"an HDF5 file", "write its table as CSV, with h5py or pandas", DVI_FOREIGN_SURE}},
    {MAGIC("CDF\x01"),
     0,
     is_any,
     {"a NetCDF file", "write its table as CSV, with xarray", DVI_FOREIGN_SURE}},
    {MAGIC("CDF\x02"),
     0,
     is_any,
     {"a NetCDF file", "write its table as CSV, with xarray", DVI_FOREIGN_SURE}},
    {MAGIC("DVPIPE\r\n"),
     0,
     is_any,
     {"a saved pipeline", "dataview pipe show FILE; in Python dv.Pipeline.load(FILE)",
      DVI_FOREIGN_SURE}},
    {MAGIC("SQLite format 3\0"),
     0,
     is_any,
     {"an SQLite database", "sqlite3 -header -csv FILE 'select * from TABLE' > OUT.csv",
      DVI_FOREIGN_SURE}},
    {MAGIC("DUCK"),
     8,
     is_binary,
     {"a DuckDB database", "duckdb FILE \"copy TABLE to 'OUT.csv'\"", DVI_FOREIGN_SURE}},
    {MAGIC("\x80"),
     0,
     is_pickle,
     {"a Python pickle", "load it in Python, if you trust it, and write it as CSV",
      DVI_FOREIGN_SURE}},
    {MAGIC("PK\x03\x04"),
     0,
     has_arrays,
     {"NumPy arrays (.npz)", "numpy.load(FILE) reads it, numpy.savetxt writes an array as CSV",
      DVI_FOREIGN_SURE}},
    {MAGIC("PK\x03\x04"),
     0,
     has_checkpoint,
     {"a PyTorch file", "load it in Python, if you trust it, and write it as CSV",
      DVI_FOREIGN_SURE}},
    {MAGIC("PK\x03\x04"),
     0,
     has_sheets,
     {"an Excel workbook", "save the sheet as CSV, or " TO_CSV("pandas.read_excel(FILE)"),
      DVI_FOREIGN_SURE}},
    {MAGIC("PK\x03\x04"),
     0,
     has_model,
     {"a model of ML.NET", "dataview pipe show FILE; in Python dv.Pipeline.load(FILE)",
      DVI_FOREIGN_SURE}},
    {MAGIC("PK\x03\x04"), 0, is_any, {"a zip archive", UNPACK("unzip FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("PK\x05\x06"), 0, is_any, {"an empty zip archive", "", DVI_FOREIGN_SURE}},
    {MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
     0,
     is_any,
     {"an old Office file, perhaps .xls", "save the sheet as CSV", DVI_FOREIGN_SURE}},
    {MAGIC("\x1F\x8B"), 0, is_any, {"a gzip file", UNPACK("gzip -d FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("\x28\xB5\x2F\xFD"),
     0,
     is_any,
     {"a zstd file", UNPACK("zstd -d FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("BZh"), 0, is_binary, {"a bzip2 file", UNPACK("bzip2 -d FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("\xFD\x37zXZ\0"), 0, is_any, {"an xz file", UNPACK("xz -d FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("\x04\x22\x4D\x18"),
     0,
     is_any,
     {"an lz4 file", UNPACK("lz4 -d FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("7z\xBC\xAF\x27\x1C"),
     0,
     is_any,
     {"a 7-Zip archive", UNPACK("7z x FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("\x1F\x9D"),
     0,
     is_any,
     {"a file of compress (.Z)", UNPACK("gzip -d FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("ustar"), 257, is_binary, {"a tar archive", UNPACK("tar -xf FILE"), DVI_FOREIGN_SURE}},
    {MAGIC("\xFF\xD8\xFF"),
     0,
     is_binary,
     {"a JPEG picture", "the step image takes a table of such paths: docs/images.md",
      DVI_FOREIGN_SURE}},
    {MAGIC("\x89PNG\r\n\x1A\n"),
     0,
     is_any,
     {"a PNG picture", "the step image takes a table of such paths: docs/images.md",
      DVI_FOREIGN_SURE}},
    {MAGIC("%PDF-"), 0, is_any, {"a PDF document", "export its table as CSV", DVI_FOREIGN_SURE}},
    {MAGIC(""),
     0,
     is_html,
     {"a web page (HTML)", "perhaps an error or a login that was saved instead of the file",
      DVI_FOREIGN_SURE}},
    {MAGIC(""), 0, is_xml, {"an XML file", "write its table as CSV", DVI_FOREIGN_SURE}},
    {MAGIC("\x80"),
     0,
     is_old_pickle,
     {"a Python pickle", "load it in Python, if you trust it, and write it as CSV",
      DVI_FOREIGN_ALIKE}},
    {MAGIC("version https://git-lfs.github.com/spec/"),
     0,
     is_any,
     {"a pointer of Git LFS in place of the file", "git lfs pull, in its repository, fetches it",
      DVI_FOREIGN_SURE}},
    {MAGIC(""), 0, is_svmlight, {"svmlight (libsvm)", SVMLIGHT, DVI_FOREIGN_TEXT}},
    {MAGIC(""),
     0,
     are_json_objects,
     {"JSON lines", TO_IDV("pyarrow.json.read_json(FILE)"), DVI_FOREIGN_TEXT}},
    {MAGIC(""),
     0,
     is_json_lines,
     {"JSON lines", TO_IDV("pyarrow.json.read_json(FILE)"), DVI_FOREIGN_ALIKE}},
    {MAGIC(""), 0, is_json, {"JSON", TO_CSV("pandas.read_json(FILE)"), DVI_FOREIGN_ALIKE}},
    {MAGIC(""), 0, has_zero, {"binary data of an unknown kind", "", DVI_FOREIGN_ALIKE}},
};

const dvi_foreign *dvi_foreign_find(const uint8_t *head, size_t n, dvi_foreign_doubt least)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].what.doubt >= least && n >= list[i].offset + list[i].nbytes &&
            memcmp(head + list[i].offset, list[i].magic, list[i].nbytes) == 0 &&
            list[i].test(head, n))
            return &list[i].what;
    return NULL;
}

/* --- Advice for a path ------------------------------------------------------------------------ */

/* The files that dv.open of the Python package reads by pyarrow.  Without an extension it looks at
 * the content. */
static const struct {
    const char *extension, *name;
} python_opens[] = {
    {".parquet", "a Parquet file"},
    {".pq", "a Parquet file"},
    {"", "a Parquet file"},
    {".arrow", "an Arrow or Feather file"},
    {".feather", "an Arrow or Feather file"},
    {".ipc", "an Arrow or Feather file"},
    {"", "an Arrow or Feather file"},
    {".jsonl", "JSON lines"},
    {".ndjson", "JSON lines"},
};

static bool opens_in_python(const dvi_foreign *what, const char *extension)
{
    for (size_t i = 0; i < sizeof python_opens / sizeof *python_opens; i++)
        if (strcasecmp(extension, python_opens[i].extension) == 0 &&
            strcmp(what->name, python_opens[i].name) == 0)
            return true;
    return false;
}

/* Does the path mean itself within quotes of the shell and of Python? */
static bool is_plain(const char *path)
{
    for (const char *p = path; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7F || strchr("'\"\\", *p))
            return false;
    return *path;
}

const char *dvi_foreign_advise(const dvi_foreign *what, const char *path,
                               char text[DVI_FOREIGN_ADVICE_CAP])
{
#define COMMAND "python -c 'import libdataview as dv; dv.write(dv.open(\"%.*s\"), \"%.*s.idv\")'"
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const bool has_extension = dot && dot > name;
    if (!opens_in_python(what, has_extension ? dot : ""))
        return what->advice;
    const size_t n = strlen(path), stem = has_extension ? (size_t)(dot - path) : n;
    const bool is_short = is_plain(path) && n + strlen("OUT") <= MESSAGE_PATH;
    const bool fits = is_short && n + stem <= MESSAGE_PATH;
    snprintf(text, DVI_FOREIGN_ADVICE_CAP, COMMAND, (int)(is_short ? n : 4),
             is_short ? path : "FILE", (int)(fits ? stem : 3), fits ? path : "OUT");
    return text;
}
