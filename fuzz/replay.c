/* SPDX-License-Identifier: MIT */
/* replay.c: runs a fuzz target on known files: a main without the engine. Every file of the named
 * folders and files goes through the target once.  No file at all is a failure. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t cap);

/* The mutator of a target calls this function of the engine; without the engine, nothing calls the
 * mutator. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t cap)
{
    (void)data;
    (void)cap;
    return n;
}

static _Noreturn void give_up(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(2);
}

/* The file is passed in a block of its exact size, so that ASan sees an access past its end. */
static int replay_file(const char *path, size_t n)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(n ? n : 1);
    if (!file || !data || fread(data, 1, n, file) != n)
        give_up(path);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last line before a crash names the file */
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    return 1;
}

static int replay(const char *path);

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_folder(const char *path)
{
    struct dirent **entries;
    const int n = scandir(path, &entries, not_hidden, alphasort);
    if (n < 0)
        give_up(path);
    int files = 0;
    for (int i = 0; i < n; i++) {
        char child[PATH_MAX];
        snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
        files += replay(child);
        free(entries[i]);
    }
    free(entries);
    return files;
}

/* Returns the number of files. */
static int replay(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        give_up(path);
    return S_ISDIR(facts.st_mode) ? replay_folder(path) : replay_file(path, (size_t)facts.st_size);
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++)
        files += replay(argv[i]);
    fprintf(stderr, "%d files replayed\n", files);
    return files == 0;
}
