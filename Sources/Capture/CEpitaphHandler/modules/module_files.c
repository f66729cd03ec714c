// SPDX-License-Identifier: Apache-2.0
//
// MODULE_FILES: whether modules' files are still those that were loaded. A package upgrade renames
// other files to their names, and a reader of the dump would unwind with the wrong tables.
//
// The kernel marks a mapped file whose name was removed: d_path, fs/d_path.c. A file without the
// mark still has the name that the memory map shows, so the usual crash needs no system call; only
// the path of a marked file is checked.
//
// That path may lead through a file system that no longer responds, where stat(2) would wait
// forever. So only the kernel's name cache and cached attributes are used: openat2(2),
// RESOLVE_CACHED; statx(2), AT_STATX_DONT_SYNC. Mapped and just renamed files are usually cached.

#include "modules/modules.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#ifndef XFS_MAGIC
#define XFS_MAGIC 0x58465342
#endif

static bool is_text(const epitaph_mapped_file *file, const char *path) {
    for (size_t i = 0; i < file->path_bytes; i++) {
        if (path[i] == 0 || path[i] != file->path[i]) return false;
    }
    return path[file->path_bytes] == 0;
}

static long identify(const char *path, epitaph_file_identity *identity) {
    long fd = epitaph_sys_open_path_cached(path);
    if (fd < 0) return fd;
    long result = epitaph_sys_identify_cached((int)fd, identity);
    epitaph_sys_close((int)fd);
    return result;
}

/// Compares inodes only: overlayfs and btrfs report other devices for files than for mappings.
static bool is_same(const epitaph_file_identity *left, const epitaph_file_identity *right) {
    return left->inode == right->inode;
}

static bool is_on_same_device(const epitaph_file_identity *left,
                              const epitaph_file_identity *right) {
    return left->device_major == right->device_major && left->device_minor == right->device_minor;
}

/// A local disk or memory, where a lookup is as quick as writing the dump.
static bool is_local(int directory) {
    struct statfs status;
    if (epitaph_sys_fstatfs(directory, &status) < 0) return false;
    switch ((unsigned long)status.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC: return true;
    default: return false;
    }
}

/// Whether the name certainly does not exist. The cache has dropped the name of a mapped, deleted
/// file, so its directory is checked if that cannot wait. Cuts `path`.
static bool is_missing(char *path) {
    size_t base = epitaph_text_length(path, EPITAPH_PATH_SIZE);
    while (base > 0 && path[base - 1] != '/')
        base--;
    // Package upgrades do not replace a directory right below the root.
    if (base < 2) return false;
    path[base - 1] = 0;
    long directory = epitaph_sys_open_path_cached(path);
    if (directory < 0) return false;
    long found = 0;
    if (is_local((int)directory)) found = epitaph_sys_open_path_in((int)directory, path + base);
    if (found > 0) epitaph_sys_close((int)found);
    epitaph_sys_close((int)directory);
    return found == -ENOENT;
}

/// For a marked file. `asks`: system calls are allowed.
static uint8_t judge_marked(const epitaph_mapped_file *file, char *path, bool asks) {
    epitaph_file_identity found;
    if (!asks) return EPITAPH_FILE_STATE_LOST;
    long result = identify(path, &found);
    if (result == -ENOENT) return EPITAPH_FILE_STATE_DELETED;
    if (result == -EAGAIN && is_missing(path)) return EPITAPH_FILE_STATE_DELETED;
    if (result < 0) return EPITAPH_FILE_STATE_LOST;
    // Network file systems drop names that still lead to the same file.
    return is_same(&found, &file->identity) ? EPITAPH_FILE_STATE_SAME : EPITAPH_FILE_STATE_REPLACED;
}

/// For the executable, whose path is the kernel's own: another name means that it was renamed,
/// perhaps for its successor. A library's path may be a symbolic link.
static uint8_t judge_executable(const epitaph_mapped_file *file, bool asks) {
    const char *path = epitaph_capture_settings_now.facts.executable_path;
    epitaph_file_identity found;
    if (is_text(file, path) || path[0] != '/' || !asks) return EPITAPH_FILE_STATE_SAME;
    if (identify(path, &found) < 0) return EPITAPH_FILE_STATE_SAME;
    bool is_other = !is_same(&found, &file->identity) && is_on_same_device(&found, &file->identity);
    return is_other ? EPITAPH_FILE_STATE_REPLACED : EPITAPH_FILE_STATE_SAME;
}

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
    epitaph_mapped_file file;
    uint8_t state = EPITAPH_FILE_STATE_SAME;
    if (!epitaph_mappings_find_file(&capture->mappings, module->start, &file)) return;
    if (file.is_deleted) {
        char *path = (char *)capture->scratch;
        find_path(module, &file, path);
        state = judge_marked(&file, path, asks);
    } else if (module->path_address == 0) {
        state = judge_executable(&file, asks);
    }
    module->has_lost_file = state != EPITAPH_FILE_STATE_SAME;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MODULE_FILES);
    epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_ADDRESS, module->start);
    epitaph_writer_u8(writer, EPITAPH_KEY_MODULE_FILE_STATE, state);
    epitaph_writer_end(writer);
}

void epitaph_module_files_write(epitaph_capture *capture) {
    // A filter may kill the process for these calls.
    bool asks = epitaph_sys_seccomp_mode() == 0;
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_MODULE_FILES);
    for (uint32_t i = 0; i < capture->modules->count; i++)
        write_state(capture, &capture->modules->entries[i], asks);
    epitaph_writer_end(&capture->writer);
}
