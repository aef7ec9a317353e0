/* SPDX-License-Identifier: MIT */
/* test_args.c: command lines are parsed as specified; invalid ones are refused. */
#include "cli/run.h"

#define HELP_LINE "dataview VERB [OPTIONS] FILE...\n"
#define SAY "dataview: "

/* Wrong usage: exit status 2, nothing on standard output, one sentence. */
typedef struct refused {
    const char *words[6];
    const char *sentence;
} refused;

static const refused refused_list[] = {
    {{"hed", "x.idv"}, "unknown verb 'hed'; did you mean head?"},
    {{"frobnicate"}, "unknown verb 'frobnicate'; dataview help lists all verbs"},
    {{"help", "vrify"}, "unknown verb 'vrify'; did you mean verify?"},
    {{"--quiet", "head", "x.idv"}, "the verb comes first, then its options: dataview VERB --quiet"},
    {{"cat"}, "cat needs a file: dataview cat FILE..."},
    {{"cat", ""}, "the file name is empty"},
    {{"cat", "--colums", "a", "x.idv"}, "cat has no option --colums; did you mean --columns?"},
    {{"cat", "--colums=a", "x.idv"}, "cat has no option --colums; did you mean --columns?"},
    {{"cat", "-x", "x.idv"}, "cat has no option -x; dataview help cat lists its options"},
    {{"cat", "-n", "3", "x.idv"}, "-n is not an option of cat"},
    {{"info", "--rows", "1:2", "x.idv"}, "--rows is not an option of info"},
    {{"help", "head", "cat"}, "help takes one verb; cat is one too many"},
    {{"cat", "x.idv", "--rows"}, "--rows needs a value: --rows A:B"},
    {{"cat", "x.idv", "--ids=yes"}, "--ids takes no value"},
    {{"cat", "--rows", "3", "x.idv"}, "--rows expects A:B, two row numbers, not '3'"},
    {{"cat", "--rows", "-3:", "x.idv"}, "--rows expects A:B, two row numbers, not '-3:'"},
    {{"cat", "--rows", "3:2", "x.idv"}, "--rows 3:2 ends before it begins"},
    {{"cat", "--rows", "99999999999999999999:", "x.idv"},
     "--rows expects A:B, two row numbers, not '99999999999999999999:'"},
    {{"cat", "--skip", "-1", "x.idv"}, "--skip expects a number of at least 0, not '-1'"},
    {{"cat", "--take", "", "x.idv"}, "--take expects a number of at least 0, not ''"},
    {{"head", "-nx", "x.idv"}, "-n expects a number of at least 0, not 'x'"},
    {{"cat", "--threads", "1025", "x.idv"}, "--threads must be at most 1024, not 1025"},
    {{"cat", "--io", "mmp", "x.idv"}, "--io expects auto, mmap or pread, not 'mmp'"},
    {{"cat", "--format", "exct", "x.idv"}, "--format does not accept 'exct'; did you mean exact?"},
    {{"cat", "--from", "idx", "x.idv"}, "--from does not accept 'idx'; did you mean idv?"},
    {{"cat", "--from", "csv", "x.idv"},
     "--from does not accept 'csv', an extension; the format is text"},
    {{"convert", "--to", "tsv", "x.idv", "y"},
     "--to does not accept 'tsv', an extension; the format is text"},
    {{"cat", "--from", "parquet", "x.idv"},
     "--from does not accept 'parquet'; it accepts idv, btable, text, datadings"},
    {{"help", "--as", "mann"}, "--as does not accept 'mann'; did you mean man?"},
    {{"help", "--as", "man", "hed"}, "unknown verb 'hed'; did you mean head?"},
    {{"head", "--progress", "x.idv"}, "--progress is not an option of head"},
    {{"cat", "--progress", "--quiet", "x.idv"}, "--quiet and --progress contradict each other"},
    {{"\033[2J"}, "unknown verb '\\x1B[2J'; dataview help lists all verbs"},
};

Test(args, wrong_usage_is_refused)
{
    for (size_t i = 0; i < sizeof refused_list / sizeof *refused_list; i++) {
        const refused *r = &refused_list[i];
        char sentence[512];
        snprintf(sentence, sizeof sentence, SAY "%s\n", r->sentence);
        const dvt_setting setting = {0};
        dvt_expect(dvt_run_with(&setting, r->words), 2, "", sentence);
    }
}

/* Reserved verbs are refused by name. */
static const char *const later_verbs[] = {"report"};

Test(args, later_verbs_are_named)
{
    char sentence[256];
    for (size_t i = 0; i < sizeof later_verbs / sizeof *later_verbs; i++) {
        snprintf(sentence, sizeof sentence, SAY "the verb %s is not built yet\n", later_verbs[i]);
        dvt_expect(DVT_RUN(later_verbs[i], DVT_GOLDEN("people")), 2, "", sentence);
    }
}

Test(args, a_file_in_place_of_a_verb)
{
    dvt_expect(DVT_RUN(DVT_GOLDEN("people")), 2, "",
               "*is a file, not a verb; did you mean dataview info");
}

Test(args, options_stand_anywhere)
{
    const char *people = DVT_GOLDEN("people"), *ages = "Age\n1\n";
    dvt_expect(DVT_RUN("cat", "-c", "Age", "--rows", "1:2", people), 0, ages, "");
    dvt_expect(DVT_RUN("cat", people, "-cAge", "--rows=1:2"), 0, ages, "");
    dvt_expect(DVT_RUN("cat", "--columns=Age", people, "--rows=1:2"), 0, ages, "");
    dvt_expect(DVT_RUN("cat", "-cAge", "--rows=1:2", "--", people), 0, ages, "");
    dvt_expect(DVT_RUN("cat", "--", people, "-c"), 3, "", "*-c: cannot be opened: ");
    dvt_expect(DVT_RUN("cat", "--take", "9", "--take=0", "-cAge", people), 0, "Age\n", "");
}

Test(args, words_after_two_dashes_are_files)
{
    dvt_expect(DVT_RUN("cat", "--", "@options"), 3, "", "*@options: ");
    dvt_expect(DVT_RUN("cat", "--", "--ids"), 3, "", "*--ids: ");
}

Test(args, version)
{
    dvt_expect(DVT_RUN("--version"), 0, "*dataview 0.", "");
}

Test(args, help_of_everything)
{
    dvt_run a = DVT_RUN("help"), b = DVT_RUN("--help"), c = DVT_RUN("-h");
    cr_expect_str_eq(dvt_text_of(&a.out), dvt_text_of(&b.out));
    cr_expect_str_eq(dvt_text_of(&a.out), dvt_text_of(&c.out));
    cr_expect_eq(strncmp(dvt_text_of(&a.out), HELP_LINE, strlen(HELP_LINE)), 0);
    dvt_expect(a, 0, "*  verify ", "");
    dvt_expect(b, 0, NULL, "");
    dvt_expect(c, 0, NULL, "");
    const dvt_setting no_words = {0};
    dvt_expect(dvt_run_with(&no_words, (const char *const[]){NULL}), 2, "",
               SAY "a verb is missing; dataview help lists all verbs\n");
}

Test(args, help_of_a_verb_three_ways)
{
    static const char *const verbs[] = {"info", "schema", "head",   "tail",
                                        "cat",  "stats",  "verify", "help"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        dvt_run a = DVT_RUN("help", verbs[i]), b = DVT_RUN(verbs[i], "--help");
        dvt_run c = DVT_RUN(verbs[i], "no-such-file", "-h");
        cr_expect_str_eq(dvt_text_of(&a.out), dvt_text_of(&b.out));
        cr_expect_str_eq(dvt_text_of(&a.out), dvt_text_of(&c.out));
        dvt_expect(a, 0, "*  -h, --help ", "");
        dvt_expect(b, 0, verbs[i][0] == 'h' && verbs[i][3] == 'p' ? NULL : "*--quiet", "");
        dvt_expect(c, 0, NULL, "");
    }
    dvt_expect(DVT_RUN("help", "head"), 0, "*-c, --columns LIST ", "");
    dvt_expect(DVT_RUN("help", "report"), 2, "", SAY "the verb report is not built yet\n");
}

/* Every verb has examples: they are a list in src/cli/help/manual.h. */
Test(args, help_of_every_verb_has_examples)
{
    dvt_run verbs = DVT_RUN("help", "--as", "verbs");
    char *end = verbs.out.data;
    for (char *verb = end; *verb; verb = end + 1) {
        char example[64];
        end = verb + strcspn(verb, "\n");
        *end = 0;
        snprintf(example, sizeof example, "*Examples:\n  dataview %s ", verb);
        dvt_expect(DVT_RUN("help", verb), 0, example, "");
    }
    dvt_expect(verbs, 0, NULL, "");
}

Test(args, help_in_other_forms)
{
    dvt_expect(DVT_RUN("help", "--as", "text", "cat"), 0, "*dataview cat [OPTIONS]", "");
    dvt_expect(DVT_RUN("help", "--as", "man"), 0, "*.TH DATAVIEW 1 ", "");
    dvt_expect(DVT_RUN("help", "--as=man", "cat"), 0, "*.TH DATAVIEW\\-CAT 1 ", "");
    dvt_expect(DVT_RUN("help", "--as", "bash"), 0, "*complete -F _dataview dataview\n", "");
    dvt_expect(DVT_RUN("help", "--as", "zsh"), 0, "*#compdef dataview\n", "");
    dvt_expect(DVT_RUN("help", "--as", "verbs"), 0, "*cat\n", "");
}

Test(args, a_sentence_about_a_missing_file)
{
    dvt_expect(DVT_RUN("info", "no-such-file.idv"), 3, "",
               SAY "no-such-file.idv: cannot be opened: No such file or directory\n");
}
