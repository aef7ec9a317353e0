/* SPDX-License-Identifier: MIT */
/* test_step_trust.c: steps of untrusted pipelines act outside the table only in a folder that the
 * caller allows: steps of callers that declare it, and files that options name. */
#include "support/file.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/step.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Steps that act outside the table, or say that they do not -------------------------------- */

static int acted; /* how often a step opened the folder */

static dv_status act(const dv_step *step, dv_error *err)
{
    dv_folder *folder;
    const dv_status status =
        dv_step_folder(&folder, step, dv_step_text(step, "folder", 0), NULL, err);
    acted += status == DV_OK;
    dv_folder_release(&folder);
    return status;
}

static dv_status type_of(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    (void)learned;
    *type_out = dv_schema_column(b->schema, b->sources[0])->type;
    return act(b->step, err);
}

static dv_status fill(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    (void)values_out;
    (void)f;
    return dv_error_set(err, DV_ERR_UNSUPPORTED, "no row is read");
}

static dv_status view(dv_view **view_out, const dv_step *step, void *const *learned,
                      dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    (void)learned;
    (void)allocator;
    const dv_status status = act(step, err);
    if (status == DV_OK) {
        dv_view_retain(source);
        *view_out = source;
    }
    return status;
}

/* A learner acts before anything is applied. */
static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    static int learner;
    *learner_out = &learner;
    return act(b->step, err);
}

static void free_nothing(void *of)
{
    (void)of;
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    (void)learner;
    (void)sources;
    (void)place;
    (void)err;
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *b, dv_error *err)
{
    (void)learner;
    (void)b;
    (void)err;
    *learned_out = NULL;
    return DV_OK;
}

static bool acts_on_texts(const dv_step_binding *b)
{
    return dv_schema_column(b->schema, b->sources[0])->type.kind == DV_KIND_TX;
}

static const dv_step_option options[] = {{"folder", ".", "where", DV_STEP_OPTION_TEXT, 0, 0, NULL}};

static void add(const char *name, const dv_step_class *cls, dv_step_columns columns)
{
    dv_error err = DV_ERROR_INIT;
    const dv_transform_info info = {.name = name,
                                    .ml_net = "",
                                    .summary = "Acts.",
                                    .columns = columns,
                                    .options = options,
                                    .options_count = 1};
    cr_assert_eq(dv_step_register(&info, cls, &err), DV_OK, "%s", err.message);
}

static dvt_path folder; /* FOLDER/terms, FOLDER/towns.csv, FOLDER/in/terms, ... */
static dv_view *rows;   /* P: TX, Q: I4 or what the reader finds */

static void start(void)
{
    const dv_step_class makes = {
        .size = sizeof makes, .version = 1, .type = type_of, .fill = fill, .acts_outside = true};
    dv_step_class views = {.size = sizeof views, .version = 1, .view = view, .acts_outside = true};
    dv_step_class learns = makes, some = makes, hides = makes;
    learns.begin = begin;
    learns.free_learner = learns.free_learned = free_nothing;
    learns.see = see;
    learns.finish = finish;
    learns.in_order = true;
    some.acts = acts_on_texts;
    hides.acts_outside = false;
    static bool is_done; /* once in a process */
    if (!is_done) {
        add("acts", &makes, DV_STEP_COLUMNS_ONE);
        add("actsview", &views, DV_STEP_COLUMNS_NONE);
        add("actslearning", &learns, DV_STEP_COLUMNS_ONE);
        add("actssome", &some, DV_STEP_COLUMNS_ONE);
        add("actshidden", &hides, DV_STEP_COLUMNS_ONE);
    }
    is_done = true;
    views.acts = acts_on_texts;
    cr_expect_eq(dv_step_register(&(dv_transform_info){.name = "wrong",
                                                       .ml_net = "",
                                                       .summary = "Acts.",
                                                       .columns = DV_STEP_COLUMNS_ONE},
                                  &views, NULL),
                 DV_ERR_ARGUMENT);
    folder = dvt_folder_create();
    const dvt_path inner = dvt_path_in(&folder, "in"), table = dvt_path_in(&inner, "towns.csv"),
                   terms = dvt_path_in(&inner, "terms"), secret = dvt_path_in(&folder, "secret"),
                   out = dvt_path_in(&inner, "out"), fifo = dvt_path_in(&inner, "fifo");
    cr_assert_eq(mkdir(inner.text, 0777), 0);
    dvt_file_write(&table, "P,Q\na,1\nb,2\n", 12);
    dvt_file_write(&terms, "a\nb\n", 4);
    dvt_file_write(&secret, "SECRET\n", 7);
    cr_assert_eq(symlink("../secret", out.text), 0);
    cr_assert_eq(mkfifo(fifo.text, 0666), 0);
    cr_assert_eq(dv_open(&rows, table.text, NULL, NULL), DV_OK);
    cr_assert_eq(chdir(folder.text), 0);
    acted = 0;
}

static void stop(void)
{
    dv_view_release(&rows);
    cr_assert_eq(chdir("/"), 0);
    dvt_folder_remove(&folder);
}

TestSuite(step_trust, .init = start, .fini = stop);

typedef struct trusting {
    bool untrusted;
    const char *allowed; /* NULL: no folder */
} trusting;

static dv_status parse(dv_pipeline **pipeline_out, const char *text, trusting t, dv_error *err)
{
    dv_folder *allowed = NULL;
    dv_pipeline_options given = DV_PIPELINE_OPTIONS_INIT;
    if (t.allowed)
        cr_assert_eq(dv_folder_open(&allowed, t.allowed, NULL, NULL), DV_OK);
    given.untrusted = t.untrusted;
    given.allowed = given.ctx = allowed;
    if (!t.untrusted || allowed) {
        given.read_file = dv_pipeline_read_file;
        given.open_table = dv_pipeline_open_table;
    }
    const dv_status status =
        dv_pipeline_parse_files(pipeline_out, dv_text_of(text), &given, NULL, err);
    dv_folder_release(&allowed);
    return status;
}

/* Fit a pipeline, and apply it. */
static dv_status run(const char *text, trusting t, dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted = NULL;
    dv_view *made = NULL;
    dv_status status = parse(&pipeline, text, t, err);
    if (status == DV_OK)
        status = dv_fit(&fitted, pipeline, rows, NULL, NULL, err);
    if (status == DV_OK)
        status = dv_fitted_apply(&made, fitted, rows, NULL, err);
    dv_view_release(&made);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    return status;
}

static const char *const steps[] = {"acts P",
                                    "actsview",
                                    "actslearning P",
                                    "actssome P",
                                    "copy R:P; acts R folder=in",
                                    "acts X:P folder=in"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

Test(step_trust, steps_of_callers)
{
    for (size_t i = 0; i < COUNT(steps); i++) {
        dv_error err = DV_ERROR_INIT;
        const int before = acted;
        cr_expect_eq(run(steps[i], (trusting){true, NULL}, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "acts outside the table, which an untrusted pipeline"), "%s",
                  err.message);
        cr_expect_eq(acted, before, "%s", steps[i]);
        cr_expect_eq(run(steps[i], (trusting){false, NULL}, &err), DV_OK, "%s", err.message);
        cr_expect_eq(run(steps[i], (trusting){true, folder.text}, &err), DV_OK, "%s", err.message);
        cr_expect_gt(acted, before);
    }
    cr_expect_eq(run("actssome Q", (trusting){true, NULL}, NULL),
                 DV_ERR_ARGUMENT); /* dv_step_folder */
    cr_expect_eq(run("acts P folder=/etc", (trusting){true, "in"}, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(run("acts P folder=in/../..", (trusting){true, "in"}, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(run("acts P folder=/proc/self/cwd", (trusting){true, "in"}, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(run("acts P folder=/etc", (trusting){false, NULL}, NULL), DV_OK);
}

/* The only way to files refuses a class that does not declare what it does. */
Test(step_trust, a_class_must_declare_it)
{
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(run("actshidden P", (trusting){i == 1, NULL}, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "lacks acts_outside"), "%s", err.message);
    }
}

/* Showing opens nothing, so that a saved pipeline can be looked at; the file keeps no grant. */
Test(step_trust, saved_pipelines)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *made;
    dv_fitted *fitted;
    dv_pipeline *pipeline;
    dv_folder *allowed;
    dv_fitted_options given = DV_FITTED_OPTIONS_INIT;
    const dvt_path path = dvt_path_in(&folder, "m.dvp");
    cr_assert_eq(parse(&pipeline, "acts P", (trusting){true, folder.text}, &err), DV_OK);
    cr_assert_eq(dv_fit(&fitted, pipeline, rows, NULL, NULL, &err), DV_OK);
    cr_assert_eq(dv_fitted_save(fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    const int before = acted;
    cr_assert_eq(dv_fitted_open(&fitted, path.text, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_pipeline_steps(dv_fitted_pipeline(fitted)), 1);
    cr_expect_eq(dv_fitted_apply(&made, fitted, rows, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "step 1, acts: it acts outside the table"), "%s", err.message);
    /* the steps of a fitted pipeline are as untrusted as it is */
    dv_fitted *again;
    cr_expect_eq(dv_fit(&again, dv_fitted_pipeline(fitted), rows, NULL, NULL, &err),
                 DV_ERR_ARGUMENT);
    dv_fitted_release(&fitted);
    cr_expect_eq(acted, before);
    cr_assert_eq(dv_folder_open(&allowed, folder.text, NULL, NULL), DV_OK);
    given.allowed = allowed;
    cr_assert_eq(dv_fitted_open_with(&fitted, path.text, &given, NULL, &err), DV_OK);
    dv_folder_release(&allowed);
    cr_expect_eq(dv_fitted_apply(&made, fitted, rows, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&made);
    dv_fitted_release(&fitted);
    given.size = 1;
    cr_expect_eq(dv_fitted_open_with(&fitted, path.text, &given, NULL, &err), DV_ERR_ARGUMENT);
}

/* --- Files that options name ------------------------------------------------------------------ */

static const struct {
    const char *path;
    bool is_inside;
} named[] = {{"in/terms", true},
             {"./in/terms", true},
             {"in/out", false},
             {"in/fifo", false},
             {"in/../secret", false},
             {"secret", false},
             {"../x", false},
             {"in", false},
             {"/etc/passwd", false},
             {"/dev/null", false},
             {"/proc/self/environ", false},
             {"in/none", false},
             {"in/x/terms", false},
             {"/proc/self/cwd/in/terms", false}};

Test(step_trust, files_of_options)
{
    static const char *const forms[] = {"term P terms=@%s", "map P table=@%s"};
    for (size_t f = 0; f < COUNT(forms); f++)
        for (size_t i = 0; i < COUNT(named); i++) {
            char text[200];
            dv_error err = DV_ERROR_INIT;
            dv_pipeline *pipeline;
            const bool is_table = f == 1 && named[i].is_inside;
            snprintf(text, sizeof text, forms[f], is_table ? "in/towns.csv" : named[i].path);
            cr_expect_eq(parse(&pipeline, text, (trusting){true, NULL}, &err), DV_ERR_ARGUMENT);
            cr_expect(strstr(err.message, "opens only files below a folder that you allow"), "%s",
                      err.message);
            err = (dv_error)DV_ERROR_INIT;
            const dv_status status = parse(&pipeline, text, (trusting){true, "in"}, &err);
            cr_expect_eq(status == DV_OK, named[i].is_inside, "%s: %s", text, err.message);
            dv_pipeline_release(&pipeline);
        }
    cr_expect_eq(run("map P table=@in/towns.csv", (trusting){true, "in"}, NULL), DV_OK);
}

static void *feed(void *path)
{
    FILE *file = fopen(path, "we");
    fputs("b\na\n", file);
    fclose(file);
    return NULL;
}

/* A shell makes one of <(command): what the caller names may be a pipe. */
Test(step_trust, a_pipe_that_the_caller_names)
{
    pthread_t writer;
    dv_error err = DV_ERROR_INIT;
    dv_pipeline *pipeline;
    dvt_path fifo = dvt_path_in(&folder, "in/fifo");
    cr_assert_eq(pthread_create(&writer, NULL, feed, fifo.text), 0);
    cr_assert_eq(parse(&pipeline, "term P terms=@in/fifo", (trusting){false, NULL}, &err), DV_OK,
                 "%s", err.message);
    pthread_join(writer, NULL);
    dv_pipeline_release(&pipeline);
    cr_expect_eq(parse(&pipeline, "term P terms=@in", (trusting){false, NULL}, &err), DV_ERR_IO);
}
