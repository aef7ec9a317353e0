/* SPDX-License-Identifier: MIT */
/* rows.c: writes a file from rows that come bit by bit. */
#include <dataview/dataview.h>
#include <stdio.h>

static dv_status describe(dv_schema *schema, dv_error *err)
{
    const dv_type count = dv_type_of(DV_KIND_I8), half = dv_type_of(DV_KIND_R8);
    const dv_status status = dv_schema_add(schema, dv_text_of("Count"), &count, NULL, err);
    return status < 0 ? status : dv_schema_add(schema, dv_text_of("Half"), &half, NULL, err);
}

static dv_status write_rows(const char *path, const dv_schema *schema, dv_error *err)
{
    enum { ROWS = 1000, TIMES = 100 };
    int64_t count[ROWS];
    double half[ROWS];
    const dv_table_column columns[] = {{"Count", dv_type_of(DV_KIND_I8), count, NULL},
                                       {"Half", dv_type_of(DV_KIND_R8), half, NULL}};
    dv_writer *writer;
    dv_status status = dv_writer_open(&writer, path, schema, DV_ROWS_UNKNOWN, NULL, err);
    for (int64_t i = 0; i < TIMES && status == DV_OK; i++) {
        for (int64_t k = 0; k < ROWS; k++) {
            count[k] = i * ROWS + k;
            half[k] = (double)count[k] / 2;
        }
        status = dv_writer_append_columns(writer, columns, 2, ROWS, err);
    }
    return status < 0 && !writer ? status : dv_writer_close(&writer, err); /* repeats a failure */
}

/* Whether there is such a file, which might not be ours. */
static int exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "counts.idv";
    if (exists(path)) {
        fprintf(stderr, "%s exists already: give the name of a new file\n", path);
        return 2;
    }
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema;
    dv_status status = dv_schema_create(&schema, NULL, &err);
    if (status == DV_OK)
        status = describe(schema, &err);
    if (status == DV_OK)
        status = write_rows(path, schema, &err);
    if (status < 0)
        fprintf(stderr, "%s\n", err.message);
    dv_schema_free(&schema);
    return status < 0;
}
