// SPDX-License-Identifier: Apache-2.0
//
// Files attached to every report. Writers take a lock; the crash handler does not.

#include "base/base.h"
#include "epitaph_settings.h"

#include <string.h>

static bool is_set(const epitaph_attachment *attachment) {
    return attachment->changes % 2 == 1;
}

static void change(epitaph_attachment *attachment) {
    __atomic_store_n(&attachment->changes, attachment->changes + 1, __ATOMIC_RELEASE);
}

/// Allocated on first use: most programs have no attachments.
static epitaph_attachment *attachments(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    if (settings->attachments == NULL) {
        epitaph_attachment *made =
            epitaph_lasting_memory_make(EPITAPH_ATTACHMENT_LIMIT * sizeof(epitaph_attachment));
        __atomic_store_n(&settings->attachments, made, __ATOMIC_RELEASE);
    }
    return settings->attachments;
}

static epitaph_attachment *find(epitaph_attachment *all, const char *name) {
    epitaph_attachment *free_one = NULL;
    for (int i = EPITAPH_ATTACHMENT_LIMIT - 1; i >= 0; i--) {
        if (!is_set(&all[i])) {
            free_one = &all[i];
        } else if (strcmp(all[i].name, name) == 0) {
            return &all[i];
        }
    }
    return free_one;
}

static epitaph_status add(const char *path, const char *name) {
    epitaph_attachment *all = attachments();
    if (all == NULL) return EPITAPH_SYSTEM_ERROR;
    epitaph_attachment *attachment = find(all, name);
    if (attachment == NULL) return EPITAPH_NO_ROOM;
    if (is_set(attachment)) change(attachment);
    // A reader that sees any of the bytes must see that the entry was free before.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    strcpy(attachment->name, name);
    strcpy(attachment->path, path);
    change(attachment);
    uint32_t place = (uint32_t)(attachment - all);
    if (place >= epitaph_capture_settings_now.attachments_used) {
        __atomic_store_n(&epitaph_capture_settings_now.attachments_used, place + 1,
                         __ATOMIC_RELEASE);
    }
    return EPITAPH_OK;
}

static bool is_name(const char *name) {
    size_t length = strnlen(name, EPITAPH_ATTACHMENT_NAME_SIZE);
    if (length == 0 || length >= EPITAPH_ATTACHMENT_NAME_SIZE) return false;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
           length;
}

epitaph_status epitaph_attachment_add(const char *path, const char *name) {
    if (path == NULL || path[0] != '/') return EPITAPH_INVALID_OPTION;
    if (strnlen(path, EPITAPH_ATTACHMENT_PATH_SIZE) >= EPITAPH_ATTACHMENT_PATH_SIZE) {
        return EPITAPH_INVALID_OPTION;
    }
    if (name == NULL) name = strrchr(path, '/') + 1;
    if (!is_name(name)) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_ATTACHMENTS);
    epitaph_status status = add(path, name);
    epitaph_process_lock_give(EPITAPH_LOCK_ATTACHMENTS);
    return status;
}

void epitaph_attachment_remove(const char *name) {
    if (name == NULL || !is_name(name)) return;
    epitaph_process_lock_take(EPITAPH_LOCK_ATTACHMENTS);
    epitaph_attachment *all = epitaph_capture_settings_now.attachments;
    epitaph_attachment *attachment = all == NULL ? NULL : find(all, name);
    if (attachment != NULL && is_set(attachment)) change(attachment);
    epitaph_process_lock_give(EPITAPH_LOCK_ATTACHMENTS);
}
