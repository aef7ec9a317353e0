/* SPDX-License-Identifier: MIT */
/* changing_files.c: reads small files of every format in every way that the library has, again and
 * again, while another process changes them (change_storm.py).
 *
 *     changing_files SEED
 *
 * Writes a line for each file, "PATH<tab>TEXT OPTIONS<tab>DATADINGS OPTIONS", then an empty one.
 * Uses the files until standard input ends, then writes "N uses".  Exit status 3: memory was lost.
 */
#include "support/every_use.h"
#include "support/many_rows.h"
#include "support/small_files.h"
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECONDS 120 /* of a use: then it hangs */

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static void print_files(const dvt_small_files *files)
{
    for (int i = 0; i < files->n; i++)
        printf("%s\t%s\t%s\n", files->path[i].text, files->text[i] ? files->text[i] : "",
               files->datadings[i] ? files->datadings[i] : "");
    puts("");
    fflush(stdout);
}

static bool goes_on(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) == 0;
}

static void use_once(const dvt_small_files *files, uint64_t *state)
{
    dv_view *view;
    const int file = (int)(dvt_draw(state) % (uint64_t)files->n);
    const int use = (int)(dvt_draw(state) % (uint64_t)dvt_every_uses());
    const int32_t threads = 1 + (int32_t)(dvt_draw(state) % 2);
    const dv_open_options how = dvt_small_options(files, file);
    alarm(SECONDS);
    if (dv_open(&view, files->path[file].text, &how, NULL) != DV_OK)
        return;
    dvt_every_use(use, view, dvt_draw(state), threads, NULL, NULL, NULL);
    dv_view_release(&view);
}

int main(int argc, char **argv)
{
    uint64_t state = argc == 2 ? strtoull(argv[1], NULL, 10) : 1;
    int64_t uses = 0;
    dvt_small_files files = dvt_small_files_create();
    print_files(&files);
    for (; goes_on(); uses++)
        use_once(&files, &state);
    dvt_small_files_remove(&files);
    printf("%" PRId64 " uses\n", uses);
    fflush(stdout);
    return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check() ? 3 : 0;
}
