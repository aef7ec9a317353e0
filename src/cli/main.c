/* SPDX-License-Identifier: MIT */
/* main.c: the dataview command. */
#include "cli/args/args.h"
#include "cli/args/files.h"
#include "cli/args/input.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/screen.h"
#include "cli/verbs/commands.h"
#include <dataview/image.h>
#include <dataview/version.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A closed descriptor would go to the next file that is opened, and our output into that file.
 * Occupy it with /dev/null opened for the wrong direction, so that using it still fails. */
static void occupy_closed_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            return; /* nothing else can be opened either */
}

#define COMMAND(name, takes, arguments, summary) dvi_cmd_##name,
static dvi_command *const commands[] = {DVI_VERB_LIST(COMMAND)}; /* in the order of the verbs */

/* The steps for pictures, where they are built, and a pipeline is.  Other uses need not wait. */
static void add_components(const dvi_args *args)
{
#ifdef DVI_HAS_IMAGE
    if (args->pipe || args->model || args->thumbnails || args->verb->takes & DVI_TAKES_STEPS)
        dv_image_register(NULL); /* without memory a pipeline that needs them says so */
#else
    (void)args;
#endif
}

static dvi_exit run_verb(const dvi_verb *verb, int argc, const char *const *argv, dvi_out *out)
{
    dvi_args args;
    dvi_exit status = dvi_args_parse(&args, verb, argc, argv);
    if (!status && args.wants_help)
        status = dvi_help_verb(verb, args.json, out);
    else if (!status && verb->takes & DVI_TAKES_FILE)
        status = dvi_files_find(&args.paths, &args.files, &args.open);
    if (!status && !args.wants_help) {
        add_components(&args);
        status = commands[verb - dvi_verb_at(0)](&args, out);
    }
    dvi_out_flush(out); /* the rows come first; finish() reports a failure */
    status = dvi_input_close(args.quiet, status);
    dvi_args_free(&args);
    return status;
}

static dvi_exit run(int argc, const char *const *argv, dvi_out *out)
{
    if (argc < 2)
        return dvi_say_usage("a verb is missing; dataview help lists all verbs");
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        dvi_out_print(out, "dataview %s\n", dv_version());
        return DVI_EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return run_verb(dvi_verb_find("help"), 0, NULL, out);
    if (*name == '-')
        return dvi_say_usage("the verb comes first, then its options: dataview VERB %s", name);
    const dvi_verb *verb = dvi_verb_find(name);
    return verb ? run_verb(verb, argc - 2, argv + 2, out) : dvi_verb_refuse(name);
}

/* Write what is left.  A reader that closed its end of the pipe is no failure. */
static dvi_exit finish(dvi_out *out, dvi_exit status)
{
    if (dvi_out_flush(out) && close(out->fd) != 0)
        out->os_code = errno;
    if (!out->os_code || out->os_code == EPIPE)
        return status;
    dvi_say("standard output: %s", strerror(out->os_code));
    return DVI_EXIT_SYSTEM;
}

int main(int argc, char **argv)
{
    static dvi_out out = {.fd = STDOUT_FILENO};
    occupy_closed_descriptors();
    signal(SIGPIPE, SIG_IGN); /* the write fails instead, and says why */
    signal(SIGXFSZ, SIG_IGN);
    const dvi_screen screen = dvi_screen_of(out.fd);
    out.is_terminal = screen.is_terminal;
    dvi_interrupt_prepare(screen.has_colour);
    return (int)finish(&out, run(argc, (const char *const *)argv, &out));
}
