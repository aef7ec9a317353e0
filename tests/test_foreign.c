/* SPDX-License-Identifier: MIT */
/* test_foreign.c: files without a table are refused by name, with advice. */
#include "foreign.h"
#include "support/file.h"
#include "support/test.h"
#include <dataview/open.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BYTES(text) text, sizeof text - 1

/* The beginning of a file, and what its error says; sure: whatever the file is called. */
static const struct {
    const char *head;
    size_t n;
    const char *found;
    bool is_sure;
} files[] = {
    {BYTES("PAR1\x15\x04\x15\x10"), "a Parquet file; in Python: dv.write(pyarrow.parquet.", true},
    {BYTES("PARE\x15\x04"), "an encrypted Parquet file", true},
    {BYTES("ARROW1\0\0\xFF\xFF\xFF\xFF"), "an Arrow or Feather file; in Python: dv.write(", true},
    {BYTES("FEA1\0\0\0\0"), "a Feather file of version 1", true},
    {BYTES("\xFF\xFF\xFF\xFF\x98\0\0\0\x10\0\0\0\0\0\x0A\0"), "an Arrow stream", true},
    {BYTES("ORC\x08\x01"), "an ORC file", true},
    {BYTES("Obj\x01\x04"), "an Avro file", true},
    {BYTES("\x93NUMPY\x01\0v\0{'descr'"), "a NumPy array (.npy)", true},
    {BYTES("\x89HDF\r\n\x1A\n\0"), "an HDF5 file", true},
    {BYTES("CDF\x01"), "a NetCDF file", true},
    {BYTES("DVPIPE\r\n\x01\0\0\0"), "a saved pipeline; dataview pipe show FILE", true},
    {BYTES("SQLite format 3\0\x10"), "an SQLite database; sqlite3 -header -csv", true},
    {BYTES("\0\0\0\0\0\0\0\0DUCK\x40"), "a DuckDB database", true},
    {BYTES("\x80\x04\x95\x0B\0\0\0\0\0\0\0}"), "a Python pickle", true},
    {BYTES("PK\x03\x04\x14\0\0\0a.npy"), "NumPy arrays (.npz)", true},
    {BYTES("PK\x03\x04\0\0archive/data.pkl"), "a PyTorch file", true},
    {BYTES("PK\x03\x04\0\0[Content_Types].xml"), "an Excel workbook; save the sheet as CSV", true},
    {BYTES("PK\x03\x04\x14\0TrainingInfo/Version.txt"),
     "a model of ML.NET; dataview pipe show FILE", true},
    {BYTES("\xFF\xD8\xFF\xE0\0\x10JFIF"), "a JPEG picture; the step image", true},
    {BYTES("\x89PNG\r\n\x1A\n\0"), "a PNG picture; the step image", true},
    {BYTES("PK\x03\x04\x14\0a.csv"), "a zip archive; unpack it: unzip FILE", true},
    {BYTES("PK\x05\x06\0\0"), "an empty zip archive", true},
    {BYTES("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "an old Office file", true},
    {BYTES("\x1F\x8B\x07"), "a gzip file; unpack it: gzip -d FILE", true},
    {BYTES("BZh91AY&SY\x01"), "a bzip2 file; unpack it: bzip2 -d FILE", true},
    {BYTES("\xFD\x37zXZ\0\0"), "an xz file; unpack it: xz -d FILE", true},
    {BYTES("\x04\x22\x4D\x18"), "an lz4 file", true},
    {BYTES("7z\xBC\xAF\x27\x1C"), "a 7-Zip archive", true},
    {BYTES("\x1F\x9D\x90"), "a file of compress (.Z)", true},
    {BYTES("%PDF-1.7\n"), "a PDF document", true},
    {BYTES("\xEF\xBB\xBF\n <!DOCTYPE HTML><html>"), "a web page (HTML); perhaps an error", true},
    {BYTES("<html>"), "a web page (HTML)", true},
    {BYTES("<?xml version=\"1.0\"?>"), "an XML file", true},
    {BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"),
     "a pointer of Git LFS in place of the file; git lfs pull", true},
    {BYTES("1 3:0.5 7:1\n-1 1:2\n0\n"), "svmlight (libsvm); --text 'sep=space size=N", false},
    {BYTES("+1 qid:1 1:1e-3 2:.5 # a remark\r\n2 qid:2 4:1\r\n"), "svmlight (libsvm); ", false},
    {BYTES("\x80\x02]q\0"), "a Python pickle", false},
    {BYTES("{\"a\": 1}\n{\"a\": 2}\n"), "JSON lines; in Python: dv.write(pyarrow.json.", false},
    {BYTES("[\n {\"a\": 1},"), "JSON; in Python: pandas.read_json(", false},
    {BYTES("{\n \"a\": 1}"), "JSON; in Python", false},
    {BYTES("\x01\0\x02\x03"), "binary data of an unknown kind", false},
    {BYTES(""), "an empty file", false},
};

/* Tables, and what could be one. */
static const struct {
    const char *head;
    size_t n;
} tables[] = {
    {BYTES("a,b\n1,2\n")},
    {BYTES("PAR1,PAR2\n1,2\n")},
    {BYTES("ORC,BZh,PK\n1,2,3\n")},
    {BYTES("FEA1\n")},
    {BYTES("{a},[b]\n1,2\n")},
    {BYTES("1 12:30\n2 11:15 10:20\n")},
    {BYTES("12:30\n12:45\n")},
    {BYTES("1 1:2x\n")},
    {BYTES("1\n2\n3\n")},
    {BYTES("{a: 1}\n{b: 2}\n")},
    {BYTES("version,oid\n1,2\n")},
    {BYTES("<5,>6\n1,2\n")},
    {BYTES("\xFF\xFE"
           "a\0,\0")},
    {BYTES("\xFF\xFE\0\0a\0\0\0")},
    {BYTES("\0\0\xFE\xFF\0\0\0a")},
    {BYTES("\xEF\xBB\xBF"
           "a,b\n")},
    {BYTES("[a],b\n1,2\n")},
    {BYTES("BZhang,Li\n1,2\n")},
    {BYTES("%PDF,b\n1,2\n")},
    {BYTES("")},
};

static dv_status open_bytes(const void *data, size_t n, const char *name, const char *text,
                            dv_error *err)
{
    dv_view *view;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    *err = (dv_error)DV_ERROR_INIT;
    options.text = text;
    const dv_status status = dv_open_memory(&view, data, n, NULL, NULL, name, &options, err);
    dv_view_release(&view);
    return status;
}

Test(foreign, says_what_it_is_and_what_to_do)
{
    for (size_t i = 0; i < COUNT(files); i++) {
        dv_error err;
        char found[256];
        cr_expect_eq(open_bytes(files[i].head, files[i].n, "x.dat", NULL, &err), DV_ERR_UNSUPPORTED,
                     "%s", files[i].found);
        snprintf(found, sizeof found,
                 "x.dat: offset 0: content: expected a known format: idv, "
                 "btable, text, datadings, found %s",
                 files[i].found);
        cr_expect(strncmp(err.message, found, strlen(found)) == 0, "%s\n%s", err.message, found);
        cr_expect_neq(strcmp(err.message + strlen(err.message) - 3, "..."), 0, "%s", err.message);
        if (files[i].is_sure) {
            cr_expect_eq(open_bytes(files[i].head, files[i].n, "x.csv", "col=A:TX:0", &err),
                         DV_ERR_UNSUPPORTED, "%s", files[i].found);
        }
    }
}

Test(foreign, tables_are_not_refused)
{
    for (size_t i = 0; i < COUNT(tables); i++) {
        dv_error err;
        cr_expect_null(
            dvi_foreign_find((const uint8_t *)tables[i].head, tables[i].n, DVI_FOREIGN_TEXT), "%s",
            tables[i].head);
        cr_expect_eq(open_bytes(tables[i].head, tables[i].n, "x.csv", "col=A:TX:0", &err), DV_OK,
                     "%s", err.message);
    }
    for (size_t i = 0; i + 1 < COUNT(tables); i++) /* an empty file has no table */
        cr_expect_null(
            dvi_foreign_find((const uint8_t *)tables[i].head, tables[i].n, DVI_FOREIGN_ALIKE), "%s",
            tables[i].head);
}

/* Regression: UTF-32 with a mark, and UTF-16 without one, were refused by name. */
Test(foreign, wide_text_without_a_name)
{
    static const struct {
        const char *head;
        size_t n;
    } wide[] = {
        {BYTES("\xFF\xFE\0\0a\0\0\0\n\0\0\0001\0\0\0")},
        {BYTES("\0\0\xFE\xFF\0\0\0a\0\0\0\n\0\0\0001")},
        {BYTES("a\0,\0b\0\n\0001\0,\0002\0\n\0")},
        {BYTES("\0a\0,\0b\0\n\0001\0,\0002\0\n")},
        {BYTES("\0\0\0a\0\0\0\n\0\0\0001\0\0\0\n")},
    };
    dv_error err;
    for (size_t i = 0; i < COUNT(wide); i++) {
        cr_expect_eq(open_bytes(wide[i].head, wide[i].n, "x.dat", NULL, &err), DV_OK, "%s",
                     err.message);
        cr_expect_eq(open_bytes(wide[i].head, wide[i].n, "x.csv", NULL, &err), DV_OK, "%s",
                     err.message);
        /* other options, but none for the encoding */
        cr_expect_eq(open_bytes(wide[i].head, wide[i].n, "x.csv", "col=A:TX:0", &err),
                     i < 2 ? DV_OK : DV_ERR_UNSUPPORTED, "%s", err.message);
        if (i >= 2)
            cr_expect(strstr(err.message, "encoding="), "%s", err.message);
    }
}

/* Files that the Python package opens by their name: the message is a command that converts them.
 */
Test(foreign, says_the_command_for_python)
{
    static const struct {
        const char *head;
        size_t n;
        const char *path, *command;
    } cases[] = {
        {BYTES("PAR1\x15\x04\x15\x10"), "x.parquet", "(dv.open(\"x.parquet\"), \"x.idv\")'"},
        {BYTES("PAR1\x15\x04\x15\x10"), "/a b/X.PQ", "(dv.open(\"/a b/X.PQ\"), \"/a b/X.idv\")'"},
        {BYTES("PAR1\x15\x04\x15\x10"), "a.b/x", "(dv.open(\"a.b/x\"), \"a.b/x.idv\")'"},
        {BYTES("PAR1\x15\x04\x15\x10"), "it's.parquet", "(dv.open(\"FILE\"), \"OUT.idv\")'"},
        {BYTES("PAR1\x15\x04\x15\x10"), "\\\".parquet", "(dv.open(\"FILE\"), \"OUT.idv\")'"},
        {BYTES("ARROW1\0\0\xFF\xFF"), "x.feather", "(dv.open(\"x.feather\"), \"x.idv\")'"},
        {BYTES("{\"a\": 1}\n{\"a\": 2}\n"), "x.jsonl", "(dv.open(\"x.jsonl\"), \"x.idv\")'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_error err;
        char end[160];
        snprintf(end, sizeof end, "; python -c 'import libdataview as dv; dv.write%s",
                 cases[i].command);
        cr_expect_eq(open_bytes(cases[i].head, cases[i].n, cases[i].path, NULL, &err),
                     DV_ERR_UNSUPPORTED);
        const char *found = strstr(err.message, end);
        cr_expect(found && strlen(found) == strlen(end), "%s\n%s", err.message, end);
    }
}

/* A path of any length leaves the command whole. */
Test(foreign, the_command_fits_the_message)
{
    char path[300] = "";
    for (size_t n = 0; n < 200; n++) {
        dv_error err;
        memset(path, 'x', n);
        strcpy(path + n, ".feather");
        open_bytes(BYTES("ARROW1\0\0\xFF\xFF"), path, NULL, &err);
        const size_t length = strlen(err.message);
        cr_expect(length > 8 && strcmp(err.message + length - 7, ".idv\")'") == 0, "%zu: %s", n,
                  err.message);
    }
}

/* Every entry fits an error, and no beginning that is cut off is read beyond its end. */
Test(foreign, any_beginning)
{
    for (size_t i = 0; i < COUNT(files); i++)
        for (size_t n = 0; n <= files[i].n; n++) {
            uint8_t *exact = malloc(n + !n);
            memcpy(exact, files[i].head, n);
            const dvi_foreign *what = dvi_foreign_find(exact, n, DVI_FOREIGN_ALIKE);
            cr_expect(!what || (strlen(what->name) < 64 && strlen(what->advice) <= 112));
            free(exact);
        }
    static char tar[512];
    memcpy(tar, "a.csv", 5);
    memcpy(tar + 257, "ustar", 6);
    const dvi_foreign *what = dvi_foreign_find((const uint8_t *)tar, sizeof tar, DVI_FOREIGN_SURE);
    cr_assert_not_null(what);
    cr_expect_str_eq(what->name, "a tar archive");
}

/* Names decide about files that only look like JSON, options about lines of another notation. */
Test(foreign, a_name_or_an_option_decides_where_it_is_not_sure)
{
    dv_error err;
    cr_expect_eq(open_bytes(BYTES("[\"a\", 1]\n[\"b\", 2]\n"), "x.csv", NULL, &err), DV_OK, "%s",
                 err.message);
    cr_expect_eq(open_bytes(BYTES("{\"a\": 1}\n{\"a\": 2}\n"), "x.csv", NULL, &err),
                 DV_ERR_UNSUPPORTED, "%s", err.message);
    cr_expect_eq(open_bytes(BYTES("{\"a\": 1}\n"), "x", "col=A:TX:0", &err), DV_OK, "%s",
                 err.message);
    cr_expect_eq(open_bytes(BYTES("1 3:0.5\n"), "x.txt", NULL, &err), DV_ERR_UNSUPPORTED, "%s",
                 err.message);
    cr_expect_eq(open_bytes(BYTES("1 3:0.5\n"), "x.txt",
                            "sep=space size=5 col=Label:R4:0 col=Features:R4:1-*", &err),
                 DV_OK, "%s", err.message);
}

/* A name that says nothing: text is what has no control characters. */
Test(foreign, text_needs_no_name)
{
    static const char *const names[] = {"wine.data", "x.dat", "x", "X.CSV", "x.Tsv", "x.TXT"};
    dv_error err;
    for (size_t i = 0; i < COUNT(names); i++) {
        cr_expect_eq(open_bytes(BYTES("1,14.2,red\n2,13.1,white\n"), names[i], NULL, &err), DV_OK,
                     "%s", err.message);
        cr_expect_eq(open_bytes(BYTES("1,M\xFCnchen\n2,K\xF6ln\n"), names[i], NULL, &err), DV_OK,
                     "%s", err.message);
        cr_expect_eq(open_bytes(BYTES("\xFF\xFE"
                                      "a\0\n\0001\0\n\0"),
                                names[i], NULL, &err),
                     DV_OK, "%s", err.message);
    }
    cr_expect_eq(open_bytes(BYTES("1,2\x02\n"), "x.data", NULL, &err), DV_ERR_UNSUPPORTED, "%s",
                 err.message);
    cr_expect_eq(open_bytes("", 0, "x.data", NULL, &err), DV_ERR_UNSUPPORTED, "%s", err.message);
}
