/* SPDX-License-Identifier: MIT */
/* commands.h: the function of every verb. */
#ifndef DVI_CLI_COMMANDS_H
#define DVI_CLI_COMMANDS_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"

/* Run the verb: write to out, report failures, return the exit status. */
typedef dvi_exit dvi_command(const dvi_args *args, dvi_out *out);

#define DVI_COMMAND_PROTOTYPE(name, takes, arguments, summary) dvi_command dvi_cmd_##name;
DVI_VERB_LIST(DVI_COMMAND_PROTOTYPE)
#undef DVI_COMMAND_PROTOTYPE

/* Write what `VERB --help` prints, or its JSON document. */
dvi_exit dvi_help_verb(const dvi_verb *verb, bool json, dvi_out *out);

#endif
