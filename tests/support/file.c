/* SPDX-License-Identifier: MIT */
/* file.c: files of a test, in a folder that is removed with the test. */
#include "support/file.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void require(bool is_fine, const char *what)
{
    if (is_fine)
        return;
    perror(what);
    abort();
}

static dvt_path join(const char *folder, const char *name)
{
    dvt_path path;
    const int n = snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    require(n > 0 && (size_t)n < sizeof path.text, "a path too long");
    return path;
}

dvt_path dvt_folder_create(void)
{
    const char *parent = getenv("TMPDIR");
    dvt_path folder = join(parent && *parent ? parent : "/tmp", "dataview-test-XXXXXX");
    require(mkdtemp(folder.text) != NULL, folder.text);
    return folder;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    return remove(path);
}

void dvt_folder_remove(dvt_path *folder)
{
    if (*folder->text)
        require(nftw(folder->text, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0, folder->text);
    *folder->text = '\0';
}

int dvt_folder_entries(const dvt_path *folder)
{
    DIR *list = opendir(folder->text);
    require(list != NULL, folder->text);
    int n = -2; /* itself and its parent */
    while (readdir(list))
        n++;
    closedir(list);
    return n;
}

dvt_path dvt_path_in(const dvt_path *folder, const char *name)
{
    return join(folder->text, name);
}

void dvt_file_write(const dvt_path *path, const void *data, size_t nbytes)
{
    FILE *file = fopen(path->text, "wb");
    require(file != NULL, path->text);
    require(nbytes == 0 || fwrite(data, 1, nbytes, file) == nbytes, path->text);
    require(fclose(file) == 0, path->text);
}

void dvt_file_resize(const dvt_path *path, int64_t nbytes)
{
    require(truncate(path->text, nbytes) == 0, path->text);
}

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 31 + (i >> 8) * 7 + (i >> 16));
}

bool dvt_is_pattern(const uint8_t *data, size_t nbytes, size_t offset)
{
    size_t i = 0;
    while (i < nbytes && data[i] == byte_at(offset + i))
        i++;
    return i == nbytes;
}

uint8_t *dvt_pattern(size_t nbytes)
{
    uint8_t *data = malloc(nbytes + 1);
    require(data != NULL, "memory");
    for (size_t i = 0; i < nbytes; i++)
        data[i] = byte_at(i);
    return data;
}

void dvt_file_pattern(const dvt_path *path, size_t nbytes)
{
    uint8_t *data = dvt_pattern(nbytes);
    dvt_file_write(path, data, nbytes);
    free(data);
}

uint8_t *dvt_file_read(const char *path, size_t *nbytes_out)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    struct stat st;
    require(fstat(fileno(file), &st) == 0, path);
    const size_t nbytes = (size_t)st.st_size;
    uint8_t *data = malloc(nbytes + 1);
    require(data != NULL, path);
    require(fread(data, 1, nbytes, file) == nbytes, path);
    data[nbytes] = 0;
    fclose(file);
    *nbytes_out = nbytes;
    return data;
}
