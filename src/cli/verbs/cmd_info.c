/* SPDX-License-Identifier: MIT */
/* cmd_info.c: shows facts about files, and what each column costs. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/print/json.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/table.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/commands.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LABEL_COLUMNS 11 /* where facts start */

/* Write "  label    text", wrapped to the screen. */
__attribute__((format(printf, 3, 4))) static void write_fact(dvi_out *out, const char *label,
                                                             const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dvi_out_print(out, "  %-*s", LABEL_COLUMNS - 2, label);
    dvi_wrap(out, dvi_screen_of(out->fd).width, LABEL_COLUMNS, LABEL_COLUMNS, text);
    dvi_out_text(out, "\n");
}

static void write_blocks(dvi_out *out, const dv_facts *facts)
{
    char rows[DVI_AMOUNT_CAP];
    if (facts->blocks_per_column < 0 || facts->columns == 0)
        return;
    if (facts->rows_per_block >= 0 && facts->blocks_per_column > 0)
        write_fact(out, "blocks", "%" PRId64 " per column, %s each", facts->blocks_per_column,
                   dvi_amount_count(rows, facts->rows_per_block, "row"));
    else
        write_fact(out, "blocks", "%" PRId64 " per column", facts->blocks_per_column);
}

/* The number of slots that items could fill; -1: unknown. */
static double count_slots(const dv_schema *schema, const dv_facts *facts)
{
    double slots = 0;
    for (int32_t i = 0; i < facts->columns; i++) {
        const dv_type *type = &dv_schema_column(schema, i)->type;
        if (facts->rows < 0 || !dv_type_is_known_size_vector(type))
            return -1;
        slots += (double)facts->rows * type->size;
    }
    return slots;
}

static void write_items(dvi_out *out, const dv_schema *schema, const dv_facts *facts)
{
    const double slots = count_slots(schema, facts);
    if (facts->items >= 0 && slots > 0)
        write_fact(out, "items", "%" PRId64 ", in %.3g %% of the slots", facts->items,
                   100 * (double)facts->items / slots);
    else if (facts->items >= 0)
        write_fact(out, "items", "%" PRId64, facts->items);
}

/* Write the files beside it, with their sizes. */
static void write_files(dvi_out *out, const dv_facts *facts)
{
    char text[256], size[DVI_AMOUNT_CAP];
    size_t n = 0;
    for (int32_t i = 0; i < facts->files && n < sizeof text; i++) {
        dvi_amount_bytes(size, facts->file[i].nbytes);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", i > 0 ? ", " : "",
                              facts->file[i].name, size);
    }
    if (facts->files > 0)
        write_fact(out, "beside", "%s", text);
}

/* The facts of the file as a whole. */
static void write_summary(dvi_out *out, const dvi_args *args, const dv_schema *schema,
                          const dv_facts *facts)
{
    char size[DVI_AMOUNT_CAP], buffer[DVI_TITLE_CAP];
    const char *title = dvi_input_title(args, buffer);
    dvi_wrap_end(out, dvi_screen_of(out->fd).width, title);
    dvi_out_text(out, "\n");
    if (args->paths.count > 1 && title != buffer)
        write_fact(out, "files", "%d", args->paths.count);
    write_fact(out, "format", "%s %s", facts->format, facts->version);
    dvi_amount_bytes(size, facts->file_nbytes);
    if (facts->file_nbytes >= 1024)
        write_fact(out, "size", "%s (%" PRId64 " bytes)", size, facts->file_nbytes);
    else
        write_fact(out, "size", "%s", size);
    write_files(out, facts);
    if (*facts->file_system)
        write_fact(out, "io", "pread, since its file system is %s (--io mmap maps it)",
                   facts->file_system);
    if (facts->rows >= 0)
        write_fact(out, "rows", "%" PRId64, facts->rows);
    else
        write_fact(out, "rows", "unknown");
    const int32_t hidden = dvi_count_hidden(schema);
    if (hidden)
        write_fact(out, "columns", "%d, %d of them hidden", (int)facts->columns, (int)hidden);
    else
        write_fact(out, "columns", "%d", (int)facts->columns);
    if (facts->inferred_rows > 0)
        write_fact(out, "schema", "inferred from %s of %" PRId64,
                   dvi_amount_count(size, facts->inferred_rows, "row"), facts->rows);
    write_blocks(out, facts);
    write_items(out, schema, facts);
}

/* What a format without blocks does not say of any column has no place in the table. */
static bool is_told(const dv_facts *facts)
{
    bool is_found = false;
    for (int32_t i = 0; i < facts->columns && !is_found; i++) {
        const dv_column_facts *c = &facts->column[i];
        is_found = c->stored_nbytes >= 0 || c->inflated_nbytes >= 0 || c->blocks >= 0 ||
                   c->in_place_blocks > 0 || *c->compression;
    }
    return is_found;
}

static void add_header(dvi_table *table, bool has_costs)
{
    static const struct {
        const char *name;
        unsigned flags;
    } columns[] = {{"column", 0},
                   {"type", 0},
                   {"stored", DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT},
                   {"", DVI_COLUMN_FIRM | DVI_COLUMN_OPTIONAL},
                   {"inflated", DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT},
                   {"compression", DVI_COLUMN_FIRM},
                   {"in place", DVI_COLUMN_FIRM},
                   {"aligned", DVI_COLUMN_FIRM}};
    const size_t n = has_costs ? sizeof columns / sizeof *columns : 2;
    for (size_t i = 0; i < n; i++)
        dvi_table_column_add(table, columns[i].flags);
    for (size_t i = 0; i < n; i++)
        dvi_table_add_text(table, dv_text_of(columns[i].name));
}

/* "deflate 2.2x": the compression, and the ratio of inflated to stored bytes. */
static void add_compression(dvi_table *table, const char *name, int64_t stored, int64_t inflated)
{
    if (stored > 0 && inflated >= 0 && stored != inflated)
        dvi_table_add_print(table, "%s%s%.1fx", name, *name ? " " : "",
                            (double)inflated / (double)stored);
    else
        dvi_table_add_text(table, dv_text_of(name));
}

/* Add the number of blocks as "yes", "no", "-" or "3 of 5". */
static void add_blocks(dvi_table *table, int64_t some, int64_t all)
{
    if (some < 0 || (some > 0 && all < 0))
        dvi_table_add_text(table, dv_text_of("?"));
    else if (all == 0)
        dvi_table_add_text(table, dv_text_of("-"));
    else if (some == 0 || some == all)
        dvi_table_add_text(table, dv_text_of(some ? "yes" : "no"));
    else
        dvi_table_add_print(table, "%" PRId64 " of %" PRId64, some, all);
}

static void add_bytes(dvi_table *table, int64_t nbytes)
{
    char text[DVI_AMOUNT_CAP];
    dvi_table_add_text(table, dv_text_of(dvi_amount_bytes(text, nbytes)));
}

static void add_costs(dvi_table *table, const dv_column_facts *facts, int64_t most)
{
    char bar[DVI_BAR_CAP];
    add_bytes(table, facts->stored_nbytes);
    dvi_table_add_text(table, dv_text_of(dvi_amount_bar(bar, facts->stored_nbytes, most)));
    add_bytes(table, facts->inflated_nbytes);
    add_compression(table, facts->compression, facts->stored_nbytes, facts->inflated_nbytes);
    add_blocks(table, facts->in_place_blocks, facts->blocks);
    add_blocks(table, facts->aligned_blocks, facts->in_place_blocks);
}

/* The cost of a set of columns; -1 if unknown for one of them. */
typedef struct cost {
    int64_t stored, inflated, most; /* most: stored bytes of the largest column */
} cost;

static cost total_cost(const dv_facts *facts)
{
    cost total = {0, 0, 0};
    for (int32_t i = 0; i < facts->columns; i++) {
        const dv_column_facts *column = &facts->column[i];
        const int64_t stored = column->stored_nbytes, inflated = column->inflated_nbytes;
        total.stored = stored < 0 || total.stored < 0 ? -1 : total.stored + stored;
        total.inflated = inflated < 0 || total.inflated < 0 ? -1 : total.inflated + inflated;
        total.most = stored > total.most ? stored : total.most;
    }
    return total;
}

static void add_total(dvi_table *table, cost total)
{
    dvi_table_add_text(table, dv_text_of("total"));
    dvi_table_add_text(table, dv_text_of(""));
    add_bytes(table, total.stored);
    dvi_table_add_text(table, dv_text_of(""));
    add_bytes(table, total.inflated);
    add_compression(table, "", total.stored, total.inflated);
    dvi_table_add_text(table, dv_text_of(""));
    dvi_table_add_text(table, dv_text_of(""));
}

/* Write a line per column, and their total. */
static dvi_exit write_columns(dvi_out *out, const dv_schema *schema, const dv_facts *facts)
{
    const dvi_screen screen = dvi_screen_of(out->fd);
    const cost total = total_cost(facts);
    const bool has_costs = is_told(facts);
    dvi_table table;
    dvi_table_init(&table, &screen, 1);
    add_header(&table, has_costs);
    dvi_exit status = DVI_EXIT_DONE;
    for (int32_t i = 0; i < facts->columns && !status; i++) {
        if (dvi_table_rows(&table) == DVI_TABLE_ROWS) {
            status = dvi_table_print(&table, out);
            dvi_table_clear(&table);
        }
        dvi_table_add_name(&table, dv_schema_column(schema, i));
        dvi_table_add_type(&table, &dv_schema_column(schema, i)->type);
        if (has_costs)
            add_costs(&table, &facts->column[i], total.most);
    }
    if (facts->columns > 1 && has_costs)
        add_total(&table, total);
    if (!status)
        status = dvi_table_print(&table, out);
    dvi_table_free(&table);
    return status;
}

static void write_warnings(dvi_out *out, const dv_facts *facts)
{
    static const char label[] = "warning: ";
    char line[128], count[DVI_AMOUNT_CAP];
    const int32_t width = dvi_screen_of(out->fd).width;
    if (facts->dead_columns > 0) {
        dvi_amount_count(count, facts->dead_columns, "more column");
        snprintf(line, sizeof line, "%s cannot be read (unknown type or compression)", count);
        dvi_out_text(out, "\n");
        dvi_wrap(out, width, 0, 0, line);
        dvi_out_text(out, "\n");
    }
    for (int32_t i = 0; i < facts->warnings; i++) {
        dvi_out_print(out, "%s%s", i ? "" : "\n", label);
        dvi_wrap(out, width, 2, (int32_t)sizeof label - 1, facts->warning[i]);
        dvi_out_text(out, "\n");
    }
}

/* --- Text without options --------------------------------------------------------------------- */

/* Write text inside quotes of the shell. */
static void write_escaped(dvi_out *out, const char *text, size_t nbytes)
{
    for (size_t n; nbytes > 0; text += n + 1, nbytes -= n + 1) {
        const char *quote = memchr(text, '\'', nbytes);
        n = quote ? (size_t)(quote - text) : nbytes;
        dvi_out_shown(out, text, n);
        if (n == nbytes)
            break;
        dvi_out_text(out, "'\\''");
    }
}

/* Write a word, quoted for the shell. */
static void write_word(dvi_out *out, const char *word)
{
    dvi_out_text(out, "'");
    write_escaped(out, word, strlen(word));
    dvi_out_text(out, "'");
}

/* Write options quoted for the shell, in lines of the screen, broken at spaces between options. */
static void write_wrapped(dvi_out *out, const char *text, int32_t column)
{
    const int32_t width = dvi_screen_of(out->fd).width;
    int depth = 0;
    const char *start = text;
    dvi_out_text(out, "'");
    for (const char *at = text;; at++) {
        depth += (*at == '{') - (*at == '}');
        if (*at && (*at != ' ' || depth > 0))
            continue;
        const int32_t wanted = (int32_t)(at - start) + 2;
        const bool breaks = width > 0 && start > text && column + wanted > width;
        dvi_out_text(out, start == text ? "" : breaks ? "\n  " : " ");
        column = breaks ? 2 : column;
        write_escaped(out, start, (size_t)(at - start));
        column += wanted;
        start = at + 1;
        if (!*at)
            break;
    }
    dvi_out_text(out, "'");
}

#define SHOWN_NBYTES 2000 /* of a proposal, to be pasted */

static void write_files_again(dvi_out *out, const dvi_args *args)
{
    for (int i = 0; i < args->files.count; i++) {
        dvi_out_text(out, " ");
        write_word(out, args->files.word[i]);
    }
    dvi_out_text(out, "\n");
}

/* Say how text was read that does not say it, ready to be changed. */
static void write_proposal(dvi_out *out, const dvi_args *args, const char *proposal)
{
    const bool is_short = proposal && strlen(proposal) <= SHOWN_NBYTES;
    if (!proposal || args->quiet)
        return;
    dvi_out_text(out, "\n");
    dvi_wrap(out, dvi_screen_of(out->fd).width, 0, 0,
             is_short
                 ? "The file does not say what its columns are. Judging by lines from all over "
                   "it, it is read as with:"
                 : "The file does not say what its columns are. It is read as lines from all "
                   "over it look; to change that, put the options into a file:");
    if (is_short) {
        dvi_out_text(out, "\n\ndataview info --text ");
        write_wrapped(out, proposal, (int32_t)strlen("dataview info --text "));
        write_files_again(out, args);
        return;
    }
    dvi_out_text(out, "\n\ndataview info --proposal");
    write_files_again(out, args);
    dvi_out_text(out, "dataview info --text @FILE");
    write_files_again(out, args);
}

/* --- As JSON ---------------------------------------------------------------------------------- */

static void add_json_file(dvi_json *json, const dv_facts *facts)
{
    dvi_json_put(json, "format", dvi_json_cstr(facts->format));
    dvi_json_put(json, "version", dvi_json_cstr(facts->version));
    dvi_json_put(json, "file_nbytes", dvi_json_count(facts->file_nbytes));
    dvi_json_put(json, "io", dvi_json_cstr(*facts->io ? facts->io : NULL));
    dvi_json_put(json, "network_file_system",
                 dvi_json_cstr(*facts->file_system ? facts->file_system : NULL));
    dvi_json_put(json, "rows", dvi_json_count(facts->rows));
    dvi_json_put(json, "rows_per_block", dvi_json_count(facts->rows_per_block));
    dvi_json_put(json, "blocks_per_column", dvi_json_count(facts->blocks_per_column));
    dvi_json_put(json, "item_count", dvi_json_count(facts->items));
    dvi_json_put(json, "inferred_rows", dvi_json_count(facts->inferred_rows));
    dvi_json_open(json, dv_text_of("side_files"), '[');
    for (int32_t i = 0; i < facts->files; i++) {
        dvi_json_open(json, dv_text_of(NULL), '{');
        dvi_json_put(json, "suffix", dvi_json_cstr(facts->file[i].name));
        dvi_json_put(json, "nbytes", dvi_json_count(facts->file[i].nbytes));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

static void add_json_column(dvi_json *json, int32_t index, const dv_column_info *info,
                            const dv_column_facts *facts)
{
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "index", dvi_json_count(index));
    dvi_json_put(json, "name", dvi_json_text(info->name));
    dvi_json_put(json, "type", dvi_json_type(&info->type));
    dvi_json_put(json, "is_hidden", json_boolean(info->is_hidden));
    dvi_json_put(json, "compression", dvi_json_cstr(facts->compression));
    dvi_json_put(json, "blocks", dvi_json_count(facts->blocks));
    dvi_json_put(json, "stored_nbytes", dvi_json_count(facts->stored_nbytes));
    dvi_json_put(json, "inflated_nbytes", dvi_json_count(facts->inflated_nbytes));
    dvi_json_put(json, "in_place_blocks", dvi_json_count(facts->in_place_blocks));
    dvi_json_put(json, "aligned_blocks", dvi_json_count(facts->aligned_blocks));
    dvi_json_close(json, '}');
}

static dvi_exit write_json(dvi_out *out, const dvi_args *args, const dv_schema *schema,
                           const dv_facts *facts, const char *proposal)
{
    dvi_json json;
    dvi_json_begin(&json, "info", args);
    add_json_file(&json, facts);
    dvi_json_open(&json, dv_text_of("columns"), '[');
    for (int32_t i = 0; i < facts->columns; i++)
        add_json_column(&json, i, dv_schema_column(schema, i), &facts->column[i]);
    dvi_json_close(&json, ']');
    dvi_json_put(&json, "dead_columns", dvi_json_count(facts->dead_columns));
    dvi_json_put(&json, "dead_metadata", dvi_json_count(facts->dead_metadata));
    dvi_json_open(&json, dv_text_of("warnings"), '[');
    for (int32_t i = 0; i < facts->warnings; i++)
        dvi_json_put(&json, NULL, dvi_json_cstr(facts->warning[i]));
    dvi_json_close(&json, ']');
    dvi_json_put(&json, "proposed_text", proposal ? dvi_json_cstr(proposal) : json_null());
    return dvi_json_end(&json, out);
}

/* --- As text ---------------------------------------------------------------------------------- */

static dvi_exit write_text(dvi_out *out, const dvi_args *args, const dv_schema *schema,
                           const dv_facts *facts, const char *proposal)
{
    dvi_exit status = DVI_EXIT_DONE;
    write_summary(out, args, schema, facts);
    if (facts->columns > 0) {
        dvi_out_text(out, "\n");
        status = write_columns(out, schema, facts);
    }
    if (!status && !args->quiet)
        write_warnings(out, facts);
    if (!status)
        write_proposal(out, args, proposal);
    return status;
}

/* Print the options alone. */
static dvi_exit write_options(dvi_out *out, const dvi_args *args, const char *proposal)
{
    if (!proposal)
        return dvi_say_usage("%s: nothing was found: it is no text, or says itself how it is read",
                             args->paths.word[0]);
    dvi_out_text(out, proposal);
    dvi_out_text(out, "\n");
    return DVI_EXIT_DONE;
}

static dvi_exit show_facts(const dvi_args *args, dvi_out *out, dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_facts *facts = NULL;
    if (dv_inspect(&facts, view, &err) != DV_OK)
        return dvi_say_error(&err);
    const dvi_exit status = (args->json ? write_json : write_text)(out, args, dv_view_schema(view),
                                                                   facts, dv_view_proposal(view));
    dv_facts_free(&facts);
    return status;
}

dvi_exit dvi_cmd_info(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dvi_exit status = dvi_input_open(&view, args);
    if (!status)
        status = args->proposal ? write_options(out, args, dv_view_proposal(view))
                                : show_facts(args, out, view);
    dv_view_release(&view);
    return status;
}
