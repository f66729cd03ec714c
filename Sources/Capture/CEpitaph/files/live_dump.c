// SPDX-License-Identifier: Apache-2.0
//
// Live dumps for the program, among the pending dumps or in a file of their own.

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"
#include "files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Thirty concurrent dumps finish well within this time.
static const uint64_t turn_timeout_ns = 30ull * 1000000000;

static epitaph_status capture_pending(const epitaph_report_request *request, char *name,
                                      epitaph_error *error) {
    epitaph_dump_file file;
    if (!epitaph_pending_has_room()) {
        return epitaph_error_set(error, EPITAPH_NO_ROOM, 0, "%u dumps wait already",
                                 epitaph_capture_settings_now.limits.pending_dumps);
    }
    long result = epitaph_live_capture(&file, request, -1, NULL, turn_timeout_ns);
    if (result == 0) result = epitaph_dump_file_seal(&file);
    if (result == 0 && name != NULL) epitaph_dump_name_seal(name, file.locked_name);
    if (result == 0) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, (int)-result,
                             "cannot write a live dump into the pending dumps");
}

/// Opens the directory of `path` and finds its last component.
static int open_parent(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash == NULL ? path : slash + 1;
    if (slash == NULL) return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char *parent = strndup(path, (size_t)(slash - path) + 1);
    if (parent == NULL) return -1;
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int reason = errno;
    free(parent);
    errno = reason;
    return fd;
}

static epitaph_status capture_at(const epitaph_report_request *request, const char *path,
                                 epitaph_error *error) {
    epitaph_dump_file file;
    const char *name;
    int parent = open_parent(path, &name);
    long result = parent < 0 ? -errno : 0;
    if (result == 0 && (name[0] == 0 || strlen(name) >= EPITAPH_DUMP_NAME_SIZE)) {
        result = -EINVAL;
    }
    if (result == 0) result = epitaph_live_capture(&file, request, parent, name, turn_timeout_ns);
    if (result == 0) epitaph_dump_file_close(&file);
    if (parent >= 0) close(parent);
    if (result == 0) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, (int)-result,
                             "cannot write a live dump to %s", path);
}

epitaph_status epitaph_live_dump_make(const epitaph_live_request *given, char *name,
                                      epitaph_error *error) {
    epitaph_report_request request;
    epitaph_status status = epitaph_started_check(error);
    if (status == EPITAPH_OK) status = epitaph_live_request_read(given, &request, error);
    if (status != EPITAPH_OK) return status;
    if (given->path != NULL) return capture_at(&request, given->path, error);
    return capture_pending(&request, name, error);
}

epitaph_status epitaph_live_dump_request(const epitaph_live_request *given, char *name,
                                         epitaph_error *error) {
    return epitaph_live_dump_make(given, name, error);
}

epitaph_status epitaph_live_dump(char *name, epitaph_error *error) {
    const epitaph_live_request request = EPITAPH_LIVE_REQUEST_DEFAULT;
    return epitaph_live_dump_make(&request, name, error);
}

epitaph_status epitaph_live_dump_at(const char *path, epitaph_error *error) {
    epitaph_live_request request = EPITAPH_LIVE_REQUEST_DEFAULT;
    request.path = path;
    epitaph_status status = epitaph_started_check(error);
    if (status != EPITAPH_OK) return status;
    if (path == NULL) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0, "path: give a file to make");
    }
    return epitaph_live_dump_make(&request, NULL, error);
}

/// Not the UUID of the launch record, in case a dump is promoted twice.
static int make_pending_name(char name[EPITAPH_DUMP_NAME_SIZE]) {
    uint8_t uuid[16];
    char locked_name[EPITAPH_DUMP_NAME_SIZE];
    if (epitaph_uuid_make(uuid) < 0) return -1;
    epitaph_dump_name_make(locked_name, uuid);
    return epitaph_dump_name_seal(name, locked_name) ? 0 : -1;
}

epitaph_status epitaph_live_dump_promote(const char *path, epitaph_error *error) {
    char name[EPITAPH_DUMP_NAME_SIZE];
    epitaph_status status = epitaph_started_check(error);
    if (status != EPITAPH_OK) return status;
    if (path == NULL) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0, "path: name a live dump");
    }
    if (make_pending_name(name) != 0) {
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, errno, "no random numbers");
    }
    int directory = epitaph_pending_directory();
    if (directory < 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, -directory,
                                 "cannot open the directory of pending dumps");
    }
    if (renameat(AT_FDCWD, path, directory, name) == 0) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_FILE_ERROR, errno,
                             "cannot move %s to the pending dumps", path);
}
