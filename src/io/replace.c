/* SPDX-License-Identifier: MIT */
/* replace.c: replaces a set of files so that a reader never sees an incomplete set as complete. */
#include "io/replace.h"
#include "base/check.h"
#include <errno.h>
#include <unistd.h>

/* The state after a failure, for the message. */
static const char as_it_was[] = "cannot be replaced";
static const char sides_gone[] =
    "cannot be replaced as a whole, save again: the old file is there, files beside it are gone";
static const char sides_missing[] =
    "cannot be replaced as a whole, save again: the new file is there, files beside it are missing";
static const char not_synced[] =
    "saved, but its folder could not be synced: a crash may bring back the old file";

static dv_status fail(const dvi_replacement *file, int os_code, const char *state, dv_error *err)
{
    if (state == as_it_was)
        dvi_target_fail(err, os_code, state);
    else
        dvi_fail_os(err, os_code, state);
    if (file)
        dvi_error_set_file(err, file->target.path);
    return DV_ERR_IO;
}

static dv_status finish(dvi_replacement *const *files, int n, bool sync, dv_error *err)
{
    for (int i = 0; i < n; i++) {
        const dvi_replacement *file = files[i];
        if (file->temp.fd < 0)
            continue;
        const dv_status status = dvi_temp_file_finish(&file->temp, &file->target, sync, err);
        if (status != DV_OK && i > 0)
            dvi_error_set_file(err, file->target.path);
        DVI_TRY(status);
    }
    return DV_OK;
}

/* Remove the old files beside the first. *removed_out: whether there were any. */
static dv_status remove_old(dvi_replacement *const *files, int n, bool *removed_out, dv_error *err)
{
    *removed_out = false;
    for (int i = n - 1; i > 0; i--) {
        const dvi_target *target = &files[i]->target;
        if (unlinkat(target->folder, target->name, 0) == 0)
            *removed_out = true;
        else if (errno != ENOENT)
            return fail(files[i], errno, *removed_out ? sides_gone : as_it_was, err);
    }
    return DV_OK;
}

/* Sync the folder. Syncing its file system needs a descriptor of any file on that file system. */
static dv_status sync_names(dvi_replacement *const *files, int n, bool sync, const char *state,
                            dv_error *err)
{
    const dvi_replacement *file = files[0];
    for (int i = 1; i < n && file->temp.fd < 0; i++)
        file = files[i];
    const int os_code = sync ? dvi_temp_file_sync_folder(&file->temp, &file->target) : 0;
    return os_code == 0 ? DV_OK : fail(NULL, os_code, state, err);
}

static dv_status replace_first(dvi_replacement *first, bool sync, const char *state, dv_error *err)
{
    int os_code = 0;
    if (first->temp.fd >= 0)
        os_code = (sync || !first->target.exists ? dvi_temp_file_rename : dvi_temp_file_swap)(
            &first->temp, &first->target);
    return os_code == 0 ? DV_OK : fail(NULL, os_code, state, err);
}

static dv_status rename_others(dvi_replacement *const *files, int n, dv_error *err)
{
    for (int i = 1; i < n; i++) {
        if (files[i]->temp.fd < 0)
            continue;
        const int os_code = dvi_temp_file_rename(&files[i]->temp, &files[i]->target);
        if (os_code != 0)
            return fail(files[i], os_code, sides_missing, err);
    }
    return DV_OK;
}

static dv_status replace(dvi_replacement *const *files, int n, bool sync, dv_error *err)
{
    bool removed;
    DVI_TRY(remove_old(files, n, &removed, err));
    const char *state = removed ? sides_gone : as_it_was;
    DVI_TRY(sync_names(files, n, sync && removed, state, err));
    DVI_TRY(replace_first(files[0], sync, state, err));
    DVI_TRY(sync_names(files, n, sync && n > 1, sides_missing, err));
    DVI_TRY(rename_others(files, n, err));
    return sync_names(files, n, sync, not_synced, err);
}

/* One saver at a time, or the files of several would be mixed. */
static dv_status replace_alone(dvi_replacement *const *files, int n, bool sync, dv_error *err)
{
    dvi_temp_file hold;
    dv_status status = dvi_temp_file_hold(&hold, &files[0]->target, err);
    if (status == DV_OK)
        status = replace(files, n, sync, err);
    dvi_temp_file_discard(&hold, &files[0]->target);
    return status;
}

dv_status dvi_replace_files(dvi_replacement *const *files, int n, bool sync, dv_error *err)
{
    DVI_TRY(finish(files, n, sync, err));
    return (n > 1 ? replace_alone : replace)(files, n, sync, err);
}
