/* SPDX-License-Identifier: MIT */
/* test_text_args.c: the options that say how text is read. */
#include "cli/run.h"
#include "support/file.h"

static dvt_path folder, csv, typed;

static void make_files(void)
{
    static const char table[] = "id;name\n007;x\n008;y\n";
    static const char own[] = "#@ TextLoader{\n#@ sep=comma col=A:I4:0\n#@ }\n5,x\n";
    folder = dvt_folder_create();
    csv = dvt_path_in(&folder, "a.csv");
    typed = dvt_path_in(&folder, "a.txt");
    dvt_file_write(&csv, table, sizeof table - 1);
    dvt_file_write(&typed, own, sizeof own - 1);
}

static void remove_files(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(text_args, .init = make_files, .fini = remove_files);

Test(text_args, a_csv_just_opens)
{
    dvt_expect(DVT_RUN("cat", csv.text), 0, "id\tname\n007\tx\n008\ty\n",
               "*a.csv: text, read with sep=semicolon header+ and 2 columns (dataview info shows "
               "how, --text changes it)\n");
    dvt_expect(DVT_RUN("cat", "--quiet", csv.text), 0, "id\tname\n007\tx\n008\ty\n", "");
    dvt_expect(DVT_RUN("cat", typed.text), 0, "A\n5\n", "");
}

/* Nothing is doubtful about a header between commas or tabs. */
Test(text_args, a_usual_csv_opens_without_a_note)
{
    static const char *const usual[] = {"id,name\n1,x\n2,y\n", "id\tname\n1\tx\n2\ty\n"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        dvt_file_write(&csv, usual[i], strlen(usual[i]));
        dvt_expect(DVT_RUN("cat", csv.text), 0, "id\tname\n1\tx\n2\ty\n", "");
    }
}

/* A field of a line that was not sampled would lose digits: reading stops with the options that go
 * on, or it is NA and counted.  No other line is read otherwise. */
Test(text_args, bad_rows)
{
    dvt_lines table = {0};
    const dvt_path out = dvt_path_in(&folder, "out.idv");
    dvt_lines_print(&table, "id,name\n");
    for (int i = 0; i < 500000; i++)
        dvt_lines_print(&table, i == 321098 ? "007,x\n" : "%d,x\n", 1000000 + i);
    dvt_file_write(&csv, table.data, table.nbytes);
    dvt_lines_free(&table);
    static const char *const verbs[] = {"cat", "stats", "counts"};
    const char stops[] = "*row 321098: column \"id\": field: expected I8, or --type id:TX, or "
                         "--bad-rows na, found \"007\"";
    const char counts[] = "*column \"id\": 1 field is no value of I8: \"007\" in row 321098 "
                          "(option type=id:TX keeps the text)\n";
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const char *const more = i == 2 ? "id" : "--quiet";
        dvt_expect(DVT_RUN(verbs[i], csv.text, more), 1, NULL, stops);
        dvt_expect(DVT_RUN(verbs[i], "--bad-rows=stop", csv.text, more), 1, NULL, stops);
    }
    dvt_expect(DVT_RUN("head", "-n1", "--where=id is na", csv.text), 1, "", stops);
    dvt_expect(DVT_RUN("counts", "-n0", "--bad-rows=na", csv.text, "id"), 0,
               "*500000 rows, 1 NA, 499999 distinct values", counts);
    dvt_expect(DVT_RUN("head", "--bad-rows", "na", "--where=id is na", csv.text), 0,
               "id  name\nI8  TX\nNA  x\n1 row shown, 2 columns\n", counts);
    dvt_expect(DVT_RUN("cat", "--type=id:TX", "--rows=321098:321099", "--quiet", csv.text), 0,
               "id\tname\n007\tx\n", "");
    dvt_expect(DVT_RUN("convert", csv.text, out.text), 1, "",
               "*expected I8, or --type id:TX, or --allow-loss fields, found \"007\"");
    dvt_expect(DVT_RUN("convert", "--bad-rows=na", csv.text, out.text), 0, "*500000 rows", counts);
    dvt_expect(DVT_RUN("counts", "-n0", out.text, "id"), 0, "*1 NA, 499999 distinct values", "");
    dvt_expect(DVT_RUN("cat", "--bad-rows=skip", csv.text), 2, "",
               "*--bad-rows does not accept 'skip'; did you mean stop?\n");
    dvt_expect(DVT_RUN("verify", "--bad-rows=na", csv.text), 2, "",
               "*--bad-rows is not an option of verify\n");
}

/* One rule for NA: among numbers it is missing, in a column of texts it is a text, wherever rows
 * are looked at. */
Test(text_args, the_text_na)
{
    static const char table[] = "n,t\n1,NA\nNA,x\n3,\n4,\"\"\n";
    dvt_file_write(&csv, table, sizeof table - 1);
    dvt_expect(DVT_RUN("head", "--quiet", csv.text), 0,
               " n  t\nI8  TX\n 1  \"NA\"\nNA  x\n 3  NA\n 4\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--format=jsonl", csv.text), 0,
               "{\"n\":1,\"t\":\"NA\"}\n{\"n\":null,\"t\":\"x\"}\n{\"n\":3,\"t\":null}\n"
               "{\"n\":4,\"t\":\"\"}\n",
               "");
    dvt_expect(DVT_RUN("stats", "--quiet", "-ct", csv.text), 0, "*TX    25.0 %", "");
    dvt_expect(DVT_RUN("stats", "--quiet", "-cn", csv.text), 0, "*I8    25.0 %", "");
    dvt_expect(DVT_RUN("counts", "--quiet", "-n3", csv.text, "t"), 0, "*\n\"NA\"  ", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--where=t is na", csv.text), 0, "n\tt\n3\t\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--where=n is na", csv.text), 0, "n\tt\n\tx\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--where=t = NA", csv.text), 0, "n\tt\n1\tNA\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--pipe=dropna t n", csv.text), 0, "n\tt\n1\tNA\n4\t\n",
               "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--text=auto missing=[NA]", "--where=t is na", csv.text),
               0, "n\tt\n1\t\n3\t\n", "");
}

Test(text_args, lines_that_differ)
{
    static const char table[] = "a,b,a,,c\n1,2,3,4,5\n1,2,3,4\n1,2,3,4,5,6\n";
    dvt_file_write(&csv, table, sizeof table - 1);
    dvt_expect(DVT_RUN("head", csv.text), 0, "*1,2,3,4,5,6\n",
               "*a.csv: text, read as 1 column, since no separator splits its lines alike (--sep "
               "names one, dataview info shows how it is read)\n");
    dvt_expect(DVT_RUN("head", "-n", "1", "--sep", ",", csv.text), 0, "*1 row shown, 5 columns",
               "*a.csv: text, read with sep={,} header+ and 5 columns");
}

Test(text_args, options_add_to_what_is_found)
{
    dvt_expect(DVT_RUN("cat", "--quiet", "--type", "id:I8", csv.text), 0, "id\tname\n7\tx\n8\ty\n",
               "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--sep", ",", "--header", "no", csv.text), 0,
               "C0\nid;name\n007;x\n008;y\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--sep=\\t", "--header=yes", csv.text), 0,
               "id;name\n007;x\n008;y\n", "");
    dvt_expect(DVT_RUN("cat", "--quiet", "--text", "auto rows=1", "--type", "id:U1", csv.text), 0,
               "id\tname\n7\tx\n", "");
    dvt_expect(DVT_RUN("info", "--proposal", "--sep", ";", csv.text), 0, "*sep={;} sparse- ", "");
}

Test(text_args, names_may_have_any_character)
{
    static const char table[] = "a b,\"{x}\\\"\"\",c:d\n1,2,3\n";
    dvt_file_write(&csv, table, sizeof table - 1);
    dvt_expect(DVT_RUN("cat", "--quiet", "--format", "exact", "--type", "a b:TX", "--type",
                       "{x}\\\":TX", "--type", "c:d:R8", csv.text),
               0, "*[\"1\",\"2\",\"r8:4008000000000000\"]\n", "");
}

Test(text_args, what_is_refused)
{
    dvt_expect(DVT_RUN("cat", "--sep", ";", typed.text), 2, "",
               "*option sep: the file says itself how it is read (#@)\n");
    dvt_expect(DVT_RUN("cat", "--type", "A:TX", typed.text), 2, "", "*option type: the file says ");
    dvt_expect(DVT_RUN("cat", "--header", "no", typed.text), 2, "",
               "*option header: the file says ");
    dvt_expect(DVT_RUN("cat", "--type", "B:TX", csv.text), 2, "",
               "*option type: no column \"B\" in the file\n");
    dvt_expect(DVT_RUN("cat", "--sep", ";", "--text", "col=a:TX:0", csv.text), 2, "",
               "*--sep adds to what is found in the file: put it into --text, or begin --text with "
               "auto\n");
    dvt_expect(DVT_RUN("cat", "--header", "maybe", csv.text), 2, "", "*--header does not accept ");
    dvt_expect(DVT_RUN("cat", "--text", "@", csv.text), 2, "", "*must be followed by the name ");
    dvt_expect(DVT_RUN("cat", "--text", "@/no/such", csv.text), 3, "",
               "*/no/such: cannot be read: No such file");
}

/* The advice to name the columns was given for every failure. */
Test(text_args, advice_only_where_it_helps)
{
    const dvt_path other = dvt_path_in(&folder, "b.csv"), none = dvt_path_in(&folder, "none.csv");
    dvt_file_write(&other, "a;b\n1;x\n", 8);
    dvt_file_write(&none, "", 0);
    dvt_run run = DVT_RUN("cat", csv.text, other.text);
    cr_expect_null(strstr(dvt_text_of(&run.err), "say what its columns are"));
    dvt_expect(run, 1, "",
               "*b.csv: offset 0: column \"id\": header: expected \"id\" (option match=union");
    dvt_expect(DVT_RUN("cat", none.text), 1, "", "*say what its columns are, such as --text 'col=");
    dvt_expect(DVT_RUN("cat", "--header", "no", other.text), 0, "C0\tC1\na\tb\n1\tx\n",
               "*read with header- sep=semicolon and 2 columns");
}

/* Every verb that reads rows. */
Test(text_args, every_verb_opens_it)
{
    static const char *const verbs[] = {"info", "schema", "head", "tail", "cat", "stats", "verify"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        dvt_run run = DVT_RUN(verbs[i], "--quiet", csv.text);
        cr_expect_eq(run.status, 0, "%s: %s", verbs[i], dvt_text_of(&run.err));
        dvt_lines_free(&run.out);
        dvt_lines_free(&run.err);
    }
    const dvt_path idv = dvt_path_in(&folder, "out.idv");
    dvt_expect(DVT_RUN("convert", "--quiet", csv.text, idv.text), 0, "", "");
    dvt_expect(DVT_RUN("diff", "--quiet", csv.text, idv.text), 0, "", "");
}
