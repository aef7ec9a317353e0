/* SPDX-License-Identifier: MIT */
/* test_at_file.c: options in a file are read like those on the command line. */
#include "cli/run.h"
#include "support/file.h"

static dvt_path folder;

static void start(void)
{
    folder = dvt_folder_create();
}

static void stop(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(at_file, .init = start, .fini = stop);

/* "@FILE" for a file with this text. */
static const char *at(const char *name, const char *text, size_t nbytes)
{
    static char words[4][600];
    static int next;
    char *word = words[next++ % 4];
    const dvt_path path = dvt_path_in(&folder, name);
    dvt_file_write(&path, text, nbytes);
    snprintf(word, sizeof words[0], "@%s", path.text);
    return word;
}

static const char *options(const char *text)
{
    return at("options", text, strlen(text));
}

Test(at_file, words_and_quotes)
{
    static const struct {
        const char *text, *out;
    } files[] = {
        {"-c Age --rows 1:2", "Age\n1\n"},
        {"-c Age\n--rows 1:2\n", "Age\n1\n"},
        {"\n\n  --columns=Age\t--rows=1:2\r\n", "Age\n1\n"},
        {"# all ages\n-c Age # of all\n#--ids\n--rows=1:2#", "--rows expects"},
        {"# only this", NULL},
        {"", NULL},
        {"'-c' \"Age\" --rows='1:2'", "Age\n1\n"},
        {"-c 'Name,Age' --ro\"ws=1\"':2'", "Name\tAge\nuser 1919\t1\n"},
        {"-c \\Age --rows=1\\:2", "Age\n1\n"},
        {"-c \"A\\g\\e\" --rows=\"1:2\"", "Age\n1\n"},
        {"-c 'A*'\n'--drop' Active --rows=1:2", "Age\n1\n"},
        {"--drop '' --rows=1:2", "a column name is empty"},
        {"-c 'no \"such\"'", "no column is called 'no \"such\"'"},
        {"-c \"no \\\"such\\\"\"", "no column is called 'no \"such\"'"},
        {"-c no\\ such", "no column is called 'no such'"},
        {"-c no\\'such", "no column is called 'no'such'"},
        {"-c '#no'", "no column is called '#no'"},
        {"-c no#such", "no column is called 'no#such'"},
    };
    const char *people = DVT_GOLDEN("people");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        dvt_run run = DVT_RUN("cat", options(files[i].text), people);
        const char *want = files[i].out;
        const bool is_refused = want && !strchr(want, '\n');
        if (is_refused)
            cr_expect(strstr(dvt_text_of(&run.err), want), "%s: %s", files[i].text, run.err.data);
        dvt_expect(run, is_refused ? 2 : 0, is_refused ? "" : want, is_refused ? NULL : "");
    }
}

/* Before and after the file, more than one, and with file names in them. */
Test(at_file, in_its_place)
{
    char text[1200];
    const char *people = DVT_GOLDEN("people");
    snprintf(text, sizeof text, "'%s' --rows=1:2", people);
    dvt_expect(DVT_RUN("cat", people, options("-cAge --rows=1:2")), 0, "Age\n1\n", "");
    dvt_expect(DVT_RUN("cat", options(text), "-cAge"), 0, "Age\n1\n", "");
    dvt_expect(DVT_RUN("cat", at("a", "-cAge", 5), at("b", "--rows=1:2", 10), people), 0,
               "Age\n1\n", "");
    dvt_expect(DVT_RUN("cat", "--rows=5:6", options("-cAge --rows=1:2"), people), 0, "Age\n1\n",
               "");
    dvt_expect(DVT_RUN("cat", options("-cAge --rows=1:2"), "--rows=5:6", people), 0, "Age\n5\n",
               "");
    dvt_expect(DVT_RUN("cat", "-cAge", "--rows=:1", people, options("--"), people, "@x"), 3, "",
               "*@x: ");
    dvt_expect(DVT_RUN("help", options("head")), 0, "*dataview head ", "");
}

Test(at_file, refused)
{
    const char *people = DVT_GOLDEN("people");
    dvt_expect(DVT_RUN("cat", "@no-such-file", people), 3, "",
               "dataview: no-such-file: cannot be read: No such file or directory\n");
    dvt_expect(DVT_RUN("cat", "@/", people), 3, "", "*/: cannot be read: Is a directory\n");
    dvt_expect(DVT_RUN("cat", "@", people), 2, "", "*@ must be followed by the name");
    dvt_expect(DVT_RUN("cat", options("--ids @more"), people), 2, "",
               "*options: an option file cannot name another one (@more)\n");
    dvt_expect(DVT_RUN("cat", options("-- @more"), people), 3, "", "*@more: ");
    dvt_expect(DVT_RUN("cat", options("\n -c 'Age\n"), people), 2, "",
               "*options, line 2: a quote is not closed\n");
    dvt_expect(DVT_RUN("cat", options("-c \"Age\\\""), people), 2, "", "*line 1: a quote");
    dvt_expect(DVT_RUN("cat", at("nul", "-c\0x", 4), people), 2, "", "*it contains a NUL byte\n");
    dvt_expect(DVT_RUN("cat", options("--rows"), people), 2, "", "*--rows needs a value");
    dvt_expect(DVT_RUN("cat", people, options("--colums=x")), 2, "", "*did you mean --columns?\n");
    const dvt_path large = dvt_path_in(&folder, "large");
    dvt_file_write(&large, "", 0);
    dvt_file_resize(&large, 1 << 20);
    char word[600];
    snprintf(word, sizeof word, "@%s", large.text);
    dvt_expect(DVT_RUN("cat", word, people), 2, "", "*an option file has at most 1 MiB\n");
}
