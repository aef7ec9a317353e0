/* SPDX-License-Identifier: MIT */
/* test_target.c: the right file is replaced and keeps its permissions; anything but a regular file
 * is refused (writer.h). */
#include "io/writer.h"
#include "support/test.h"
#include "support/written.h"
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static dvt_path folder;

static void make_folder(void)
{
    folder = dvt_folder_create();
}

static void remove_folder(void)
{
    dvt_folder_remove(&folder);
}

TestSuite(target, .init = make_folder, .fini = remove_folder);

static dvt_path in(const char *name)
{
    return dvt_path_in(&folder, name);
}

/* --- Targets ---------------------------------------------------------------------------------- */

Test(target, the_target_of_a_link_is_replaced)
{
    char text[600];
    struct stat st;
    const dvt_path other = in("other");
    cr_assert_eq(mkdir(other.text, 0777), 0);
    const dvt_path real = dvt_path_in(&other, "real.bin"), near = in("near"), far = in("far");
    const dvt_path chain = in("chain"), dangling = in("dangling"), made = in("made.bin");
    dvt_file_write(&real, "old", 3);
    cr_assert_eq(symlink("other/real.bin", near.text), 0);
    cr_assert_eq(symlink(real.text, far.text), 0);
    cr_assert_eq(symlink("near", chain.text), 0);
    cr_assert_eq(symlink("made.bin", dangling.text), 0);
    const dvt_path *const links[] = {&near, &far, &chain, &dangling};
    for (size_t i = 0; i < 4; i++) {
        cr_expect(dvt_is_written(links[i]->text));
        cr_expect_eq(lstat(links[i]->text, &st), 0);
        cr_expect(S_ISLNK(st.st_mode));
        cr_expect(dvt_file_holds(i < 3 ? &real : &made, "new", 3));
        dvt_file_write(&real, "old", 3);
    }
    cr_expect_eq(lstat(made.text, &st), 0);
    cr_expect(S_ISREG(st.st_mode));
    cr_expect_eq(dvt_folder_entries(&other), 1);
    cr_expect_eq(dvt_folder_entries(&folder), 6);

    /* The temporary file lies beside the file, not beside the link. */
    dvi_writer *writer;
    cr_assert_eq(dvi_writer_create(&writer, near.text, true, NULL, NULL), DV_OK);
    cr_expect_eq(dvt_folder_entries(&other), 2);
    dvi_writer_close(&writer);
    snprintf(text, sizeof text, "%s/other/../near", folder.text);
    cr_expect(dvt_is_written(text));
}

Test(target, what_is_no_file_is_refused)
{
    const dvt_path pipe = in("pipe"), loop = in("loop"), to_pipe = in("to-pipe"), file = in("file");
    char text[600];
    cr_assert_eq(mkfifo(pipe.text, 0666), 0);
    cr_assert_eq(symlink("loop", loop.text), 0);
    cr_assert_eq(symlink("pipe", to_pipe.text), 0);
    dvt_file_write(&file, "old", 3);
    cr_expect(dvt_is_refused(folder.text, EISDIR));
    cr_expect(dvt_is_refused(pipe.text, ESPIPE));
    cr_expect(dvt_is_refused(to_pipe.text, ESPIPE));
    cr_expect(dvt_is_refused("/dev/null", ENODEV));
    cr_expect(dvt_is_refused(loop.text, ELOOP));
    snprintf(text, sizeof text, "%s/no-such/out.bin", folder.text);
    cr_expect(dvt_is_refused(text, ENOENT));
    snprintf(text, sizeof text, "%s/file/out.bin", folder.text);
    cr_expect(dvt_is_refused(text, ENOTDIR));
    snprintf(text, sizeof text, "%s/no-such/", folder.text);
    cr_expect(dvt_is_refused(text, EISDIR));
    snprintf(text, sizeof text, "%s/.", folder.text);
    cr_expect(dvt_is_refused(text, EISDIR));
    cr_expect_eq(dvt_folder_entries(&folder), 4);
    cr_expect(dvt_file_holds(&file, "old", 3));

    dv_error err;
    cr_expect_eq(dvt_written("", "new", &err), DV_ERR_IO);
    cr_expect_eq(err.os_code, ENOENT);
    cr_expect(strstr(err.message, "an empty path"), "%s", err.message);
    char *endless = malloc(10000);
    memset(endless, 'a', 9999);
    endless[9999] = 0;
    cr_expect(dvt_is_refused(endless, ENAMETOOLONG));
    free(endless);
}

Test(target, a_link_that_is_too_long_is_refused)
{
    /* Both paths fit; the path to which the second leads does not. */
    char longest[4090], target[4090];
    size_t n = (size_t)snprintf(longest, sizeof longest, "%s/", folder.text);
    while (n < sizeof longest - 300)
        n += (size_t)snprintf(longest + n, sizeof longest - n, "./");
    snprintf(longest + n, sizeof longest - n, "link");
    memset(target, '/', sizeof target);
    for (size_t i = 0; i + 1 < sizeof target; i += 2)
        target[i] = '.';
    memcpy(target + 4000, "nobody", 7);
    cr_assert_eq(symlink(target, in("link").text), 0);
    cr_expect(dvt_is_refused(longest, ENAMETOOLONG));
}

/* Save to that name, and check the name of the temporary file. */
static bool is_cut_between_characters(const char *name)
{
    dvi_writer *writer;
    if (dvi_writer_create(&writer, in(name).text, true, NULL, NULL) != DV_OK)
        return false;
    DIR *list = opendir(folder.text);
    bool is_whole = list != NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (*entry->d_name == '.' && strlen(entry->d_name) > 2) {
            const char *end = strstr(entry->d_name, ".dv-");
            is_whole = end && (unsigned char)end[-1] == 0xA9;
        }
    closedir(list);
    dvi_writer_close(&writer);
    return is_whole && dvt_is_written(in(name).text) && unlink(in(name).text) == 0;
}

Test(target, names_of_every_length_can_be_saved)
{
    char name[300];
    for (size_t n = 236; n <= 255; n++) {
        memset(name, 'a', n);
        name[n] = 0;
        cr_expect(dvt_is_written(in(name).text));
        dvi_writer *writer;
        cr_assert_eq(dvi_writer_create(&writer, in(name).text, true, NULL, NULL), DV_OK);
        cr_expect_eq(dvt_folder_entries(&folder), 2);
        dvi_writer_close(&writer);
        cr_assert_eq(unlink(in(name).text), 0);
    }
    /* Characters of two bytes each: none is cut. */
    for (size_t at = 0; at <= 1; at++) {
        for (size_t i = at; i < 253; i += 2)
            memcpy(name + i, "\xC3\xA9", 2);
        name[at == 0 ? 254 : 253] = 0;
        cr_expect(is_cut_between_characters(name));
    }
    memset(name, 'a', 256);
    name[256] = 0;
    cr_expect(dvt_is_refused(in(name).text, ENAMETOOLONG));
}

Test(target, a_name_without_folder_is_here)
{
    char before[512];
    cr_assert_not_null(getcwd(before, sizeof before));
    cr_assert_eq(chdir(folder.text), 0);
    cr_expect(dvt_is_written("out.bin"));
    cr_expect_eq(chdir(before), 0);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
}

/* --- Permissions ------------------------------------------------------------------------------ */

static mode_t mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

Test(target, the_mode_stays_or_follows_the_umask)
{
    const dvt_path path = in("out.bin");
    const mode_t before = umask(027);
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(mode_of(path.text), 0640);
    chmod(path.text, 0604);
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(mode_of(path.text), 0604);
    chmod(path.text, 0666);
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(mode_of(path.text), 0666);
    umask(before);
}

Test(target, the_owner_stays_where_it_can)
{
    struct stat st;
    const dvt_path path = in("out.bin");
    dvt_file_write(&path, "old", 3);
    if (chown(path.text, 4711, 4712) != 0)
        cr_skip_test("only root can give a file away");
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(stat(path.text, &st), 0);
    cr_expect_eq(st.st_uid, 4711);
    cr_expect_eq(st.st_gid, 4712);
}

Test(target, what_may_not_be_written_is_not_replaced)
{
    const dvt_path path = in("out.bin");
    const bool was_root = dvt_become_nobody(&folder);
    dvt_file_write(&path, "old", 3);
    chmod(path.text, 0444);
    cr_expect(dvt_is_refused(path.text, EACCES));
    cr_expect(dvt_file_holds(&path, "old", 3));
    chmod(path.text, 0644);
    chmod(folder.text, 0555);
    cr_expect(dvt_is_refused(path.text, EACCES));
    cr_expect(dvt_file_holds(&path, "old", 3));
    cr_expect(dvt_is_refused(in("new.bin").text, EACCES));

    /* A folder that can be written, but not read. */
    chmod(folder.text, 0300);
    cr_expect(dvt_is_written(path.text));
    chmod(folder.text, 0700);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    if (was_root)
        dvt_become_root();
}

/* A file of another user, in a group of ours. */
Test(target, the_group_stays_where_it_can)
{
    struct stat st;
    const gid_t ours = 4713;
    const dvt_path path = in("out.bin");
    dvt_file_write(&path, "old", 3);
    if (geteuid() != 0 || setgroups(1, &ours) != 0)
        cr_skip_test("only root chooses its groups");
    cr_assert_eq(chown(path.text, 4711, ours), 0);
    chmod(path.text, 0666);
    cr_assert(dvt_become_nobody(&folder));
    cr_expect(dvt_is_written(path.text));
    dvt_become_root();
    cr_expect_eq(stat(path.text, &st), 0);
    cr_expect_eq(st.st_uid, DVT_NOBODY);
    cr_expect_eq(st.st_gid, ours);
    cr_expect_eq(mode_of(path.text), 0666);
    cr_expect_eq(setgroups(0, NULL), 0);
}

/* A file of another group, to which the new file cannot be given: no other group gets its
 * permissions. */
Test(target, no_other_group_gets_the_permissions_of_a_group)
{
    const dvt_path path = in("out.bin");
    dvt_file_write(&path, "old", 3);
    if (chown(path.text, DVT_NOBODY, 4712) != 0)
        cr_skip_test("only root can give a file away");
    chmod(path.text, 0664);
    cr_assert(dvt_become_nobody(&folder));
    cr_expect(dvt_is_written(path.text));
    cr_expect_eq(mode_of(path.text), 0604);
    dvt_become_root();
}
