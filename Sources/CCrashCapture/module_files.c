// SPDX-License-Identifier: Apache-2.0
//
// The MODULE_FILES section: what is at the paths of modules. A package upgrade renames other files
// to them while the process runs, and who reads the dump would unwind by the wrong tables.
//
// A path may lead through a file system that has stopped answering, and stat(2) would wait for it
// for ever. So files are looked for in the kernel's cache of names alone, and asked for what the
// kernel knows of them: openat2(2), RESOLVE_CACHED; statx(2), AT_STATX_DONT_SYNC. The files of a
// running process, and those just renamed, are mostly there. What is not known is not told.

#include "capture.h"

#include "bytes.h"
#include "memory.h"

/// Not a value of the dump.
enum { STATE_NOT_KNOWN = 0 };

static bool is_text(const epitaph_mapped_file *file, const char *path) {
    for (size_t i = 0; i < file->path_bytes; i++) {
        if (path[i] == 0 || path[i] != file->path[i]) return false;
    }
    return path[file->path_bytes] == 0;
}

static bool identify(const char *path, epitaph_file_identity *identity) {
    long fd = epitaph_sys_open_path_cached(path);
    if (fd < 0) return false;
    long result = epitaph_sys_identify_cached((int)fd, identity);
    epitaph_sys_close((int)fd);
    return result == 0;
}

/// Whether both are the same file, as far as that can be told: overlayfs and btrfs give other
/// devices to files than to their mappings, and the same numbers.
static bool is_same(const epitaph_file_identity *left, const epitaph_file_identity *right) {
    return left->inode == right->inode;
}

static bool is_on_same_device(const epitaph_file_identity *left,
                              const epitaph_file_identity *right) {
    return left->device_major == right->device_major && left->device_minor == right->device_minor;
}

/// `path` is the module's own, or the mapping's where that is of no use; `asks` says whether the
/// kernel may be asked.
static uint8_t judge(const epitaph_mapped_file *file, const char *path, bool asks) {
    // The name the kernel knows the mapped file by is in its directory.
    if (!file->is_deleted && is_text(file, path)) return EPITAPH_FILE_STATE_SAME;
    epitaph_file_identity found;
    bool is_found = asks && identify(path, &found);
    if (is_found && is_same(&found, &file->identity)) return EPITAPH_FILE_STATE_SAME;
    if (file->is_deleted) {
        return is_found ? EPITAPH_FILE_STATE_REPLACED : EPITAPH_FILE_STATE_DELETED;
    }
    bool is_other = is_found && is_on_same_device(&found, &file->identity);
    return is_other ? EPITAPH_FILE_STATE_REPLACED : STATE_NOT_KNOWN;
}

/// Puts the module's path into `path`: the loader's, which may be a symbolic link. A path that is
/// relative to where the process was once is of no use; then the mapping's counts.
static void find_path(const epitaph_module *module, const epitaph_mapped_file *file, char *path) {
    if (module->path_address == 0) {
        const char *executable = epitaph_capture_settings_now.facts.executable_path;
        epitaph_bytes_copy(path, executable, EPITAPH_PATH_SIZE);
        path[EPITAPH_PATH_SIZE - 1] = 0;
    } else {
        epitaph_memory_read_text(path, EPITAPH_PATH_SIZE, module->path_address);
    }
    if (path[0] == '/') return;
    size_t count = file->path_bytes < EPITAPH_PATH_SIZE ? file->path_bytes : EPITAPH_PATH_SIZE - 1;
    epitaph_bytes_copy(path, file->path, count);
    path[count] = 0;
}

static void write_state(epitaph_capture *capture, epitaph_module *module, bool asks) {
    epitaph_writer *writer = &capture->writer;
    char *path = (char *)capture->scratch;
    epitaph_mapped_file file;
    if (!epitaph_mappings_find_file(&capture->mappings, module->start, &file)) return;
    find_path(module, &file, path);
    uint8_t state = judge(&file, path, asks);
    if (state == STATE_NOT_KNOWN) return;
    module->has_lost_file = state != EPITAPH_FILE_STATE_SAME;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MODULE_FILES);
    epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_ADDRESS, module->start);
    epitaph_writer_u8(writer, EPITAPH_KEY_MODULE_FILE_STATE, state);
    epitaph_writer_end(writer);
}

void epitaph_module_files_write(epitaph_capture *capture) {
    // A filter may end the process for these calls.
    bool asks = epitaph_sys_seccomp_mode() == 0;
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_MODULE_FILES);
    for (uint32_t i = 0; i < capture->module_count; i++)
        write_state(capture, &capture->modules[i], asks);
    epitaph_writer_end(&capture->writer);
}
