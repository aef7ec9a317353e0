/* SPDX-License-Identifier: MIT */
/* datadings_digests.c: compares the files of a set with the digests in .md5 (datadings:1.2). */
#include "format/datadings/index/datadings_check.h"
#include <inttypes.h>
#include <string.h>

#define LISTED_NBYTES (INT64_C(64) << 10) /* of .md5, at most */
#define DIGITS 32

/* A parsed line. */
typedef struct line {
    dvi_md5_text md5;
    dv_text name;
} line;

/* The digit in lower case; 0: no hexadecimal digit. */
static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c;
    if (c >= 'a' && c <= 'f')
        return c;
    return c >= 'A' && c <= 'F' ? c - 'A' + 'a' : 0;
}

/* 32 digits, two blanks or " *", a name without folders. */
static bool parse_line(dv_text text, line *line_out)
{
    if (text.nbytes < DIGITS + 3 || text.data[DIGITS] != ' ' ||
        (text.data[DIGITS + 1] != ' ' && text.data[DIGITS + 1] != '*'))
        return false;
    for (int i = 0; i < DIGITS; i++) {
        line_out->md5.digits[i] = (char)hex_of(text.data[i]);
        if (!line_out->md5.digits[i])
            return false;
    }
    line_out->md5.digits[DIGITS] = '\0';
    line_out->name = (dv_text){text.data + DIGITS + 2, text.nbytes - DIGITS - 2};
    return !memchr(line_out->name.data, '/', (size_t)line_out->name.nbytes);
}

static const char *base_of(const dvi_datadings_set *set)
{
    const char *name = dvi_map_name(set->data), *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* The file with this name; -1: D; DVI_DATADINGS_FILES: none of the set. */
static int find_file(const dvi_datadings_set *set, dv_text name)
{
    const char *base = base_of(set);
    const int64_t n = (int64_t)strlen(base);
    if (name.nbytes < n || memcmp(name.data, base, (size_t)n) != 0)
        return DVI_DATADINGS_FILES;
    const dv_text suffix = {name.data + n, name.nbytes - n};
    if (suffix.nbytes == 0)
        return -1;
    int file = 0;
    while (file < DVI_DATADINGS_FILES &&
           (file == DVI_DATADINGS_MD5 ||
            !dv_text_equal(suffix, dv_text_of(dvi_datadings_suffix((dvi_datadings_side)file)))))
        file++;
    return file;
}

static dvi_map *map_of(const dvi_datadings_set *set, int file)
{
    return file < 0 ? set->data : set->maps.file[file];
}

/* DV_END: the caller stops. */
static dv_status digest_file(dvi_datadings_check *check, dvi_map *map, dvi_md5 *md5, dv_error *err)
{
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    for (int64_t at = 0, n; at < dvi_map_nbytes(map) && status == DV_OK; at += n) {
        dvi_span span;
        n = dvi_min_i64(dvi_map_nbytes(map) - at, DVI_DATADINGS_WINDOW_NBYTES);
        status = dvi_map_span(map, at, (size_t)n, &memory, &span, err);
        if (status == DV_OK) {
            dvi_md5_add(md5, span.data, span.nbytes);
            status = dvi_datadings_progress(check, n);
        }
    }
    dvi_memory_release(&memory);
    return status;
}

static dv_status compare_file(dvi_datadings_check *check, dvi_md5 *md5, const line *l, int64_t at,
                              int file, dv_error *err)
{
    dvi_map *map = map_of(check->set, file);
    dv_error found = DV_ERROR_INIT;
    const dv_status status = digest_file(check, map, md5, err);
    const dvi_md5_text text = dvi_md5_end(md5);
    if (status != DV_OK || memcmp(text.digits, l->md5.digits, DIGITS) == 0)
        return status;
    dvi_fail(&found, DV_ERR_CORRUPT, "datadings:1.2", at, "MD5", "%s|%s", l->md5.digits,
             text.digits);
    dvi_error_within(&found, "%s", dvi_show(l->name).text);
    return dvi_datadings_report(check, &found, check->set->maps.file[DVI_DATADINGS_MD5], err);
}

static dv_status check_line(dvi_datadings_check *check, dvi_md5 *md5, dv_text text, int64_t at,
                            bool is_listed[1 + DVI_DATADINGS_FILES], dv_error *err)
{
    const dvi_map *list = check->set->maps.file[DVI_DATADINGS_MD5];
    dv_error found = DV_ERROR_INIT;
    line l;
    if (!parse_line(text, &l)) {
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.23", at, "line",
                 "32 hexadecimal digits, two blanks, a name|\"%s\"", dvi_show(text).text);
        return dvi_datadings_report(check, &found, list, err);
    }
    const int file = find_file(check->set, l.name);
    if (file == DVI_DATADINGS_FILES || !map_of(check->set, file)) {
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.23", at, "name", "a file of %s|%s%s",
                 base_of(check->set), dvi_show(l.name).text,
                 file == DVI_DATADINGS_FILES ? "" : ", which is missing");
        return dvi_datadings_report(check, &found, list, err);
    }
    is_listed[1 + file] = true;
    return compare_file(check, md5, &l, at, file, err);
}

/* Report each file without a line. */
static dv_status check_unlisted(dvi_datadings_check *check,
                                const bool is_listed[1 + DVI_DATADINGS_FILES], dv_error *err)
{
    dv_status status = DV_OK;
    for (int file = -1; file < DVI_DATADINGS_FILES && status == DV_OK; file++) {
        dv_error found = DV_ERROR_INIT;
        if (is_listed[1 + file] || file == DVI_DATADINGS_MD5 || !map_of(check->set, file))
            continue;
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.23", -1, "lines", "one for %s%s|none",
                 base_of(check->set),
                 file < 0 ? "" : dvi_datadings_suffix((dvi_datadings_side)file));
        status = dvi_datadings_report(check, &found, check->set->maps.file[DVI_DATADINGS_MD5], err);
    }
    return status;
}

static dv_status check_lines(dvi_datadings_check *check, dvi_md5 *md5, dv_text all, dv_error *err)
{
    bool is_listed[1 + DVI_DATADINGS_FILES] = {false};
    dv_status status = DV_OK;
    for (int64_t at = 0, n; at < all.nbytes && status == DV_OK; at += n + 1) {
        const char *start = all.data + at, *end = memchr(start, '\n', (size_t)(all.nbytes - at));
        n = end ? end - start : all.nbytes - at;
        const int64_t shown = n > 0 && start[n - 1] == '\r' ? n - 1 : n;
        status = check_line(check, md5, (dv_text){start, shown}, at, is_listed, err);
    }
    return status == DV_OK ? check_unlisted(check, is_listed, err) : status;
}

dv_status dvi_datadings_check_md5(dvi_datadings_check *check, dv_error *err)
{
    dvi_map *map = check->set->maps.file[DVI_DATADINGS_MD5];
    dvi_memory *memory = NULL;
    dvi_span span;
    dvi_md5 *md5;
    dv_error found = DV_ERROR_INIT;
    if (dvi_map_nbytes(map) > LISTED_NBYTES) {
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.23", LISTED_NBYTES, "size",
                 "at most %" PRId64 " bytes|%" PRId64, LISTED_NBYTES, dvi_map_nbytes(map));
        return dvi_datadings_report(check, &found, map, err);
    }
    DVI_TRY(dvi_md5_create(&md5, &check->set->allocator, err));
    dv_status status = dvi_map_span(map, 0, (size_t)dvi_map_nbytes(map), &memory, &span, err);
    if (status == DV_OK)
        status =
            check_lines(check, md5, (dv_text){(const char *)span.data, (int64_t)span.nbytes}, err);
    dvi_memory_release(&memory);
    dvi_md5_free(&md5);
    return status;
}

/* The digest in the line of D; the first one counts. */
static void find_digest(const dvi_datadings_set *set, dv_text all, char digits_out[DIGITS + 1])
{
    line l;
    for (int64_t at = 0, n; at < all.nbytes && !*digits_out; at += n + 1) {
        const char *start = all.data + at, *end = memchr(start, '\n', (size_t)(all.nbytes - at));
        n = end ? end - start : all.nbytes - at;
        const int64_t shown = n > 0 && start[n - 1] == '\r' ? n - 1 : n;
        if (parse_line((dv_text){start, shown}, &l) && find_file(set, l.name) < 0)
            memcpy(digits_out, l.md5.digits, DIGITS + 1);
    }
}

dv_status dvi_datadings_listed_md5(const dvi_datadings_set *set, char digits_out[DIGITS + 1],
                                   dv_error *err)
{
    dvi_map *map = set->maps.file[DVI_DATADINGS_MD5];
    dvi_memory *memory = NULL;
    dvi_span span;
    digits_out[0] = '\0';
    if (!map || dvi_map_nbytes(map) > LISTED_NBYTES)
        return DV_OK;
    const dv_status status = dvi_map_span(map, 0, (size_t)dvi_map_nbytes(map), &memory, &span, err);
    if (status == DV_OK)
        find_digest(set, (dv_text){(const char *)span.data, (int64_t)span.nbytes}, digits_out);
    dvi_memory_release(&memory);
    return status;
}

bool dvi_datadings_is_all_samples(const dvi_datadings_set *set)
{
    return set->end == dvi_map_nbytes(set->data);
}
