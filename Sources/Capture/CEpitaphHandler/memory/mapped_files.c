// SPDX-License-Identifier: Apache-2.0
//
// Only modules need a mapping's file, so the sorted text is searched and nothing is stored.

#include "memory/memory.h"

static const char deleted_mark[] = " (deleted)";
enum { MARK_BYTES = sizeof deleted_mark - 1 };

static const char *line_start(const char *text, const char *at) {
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

static const char *line_end(const char *at, const char *end) {
    while (at < end && *at != '\n')
        at++;
    return at;
}

static bool ends_with_mark(const char *path, size_t count) {
    if (count <= MARK_BYTES) return false;
    for (size_t i = 0; i < MARK_BYTES; i++) {
        if (path[count - MARK_BYTES + i] != deleted_mark[i]) return false;
    }
    return true;
}

static bool describe(const epitaph_maps_line *line, const char *end, epitaph_mapped_file *file) {
    file->identity.device_major = (uint32_t)line->device_major;
    file->identity.device_minor = (uint32_t)line->device_minor;
    file->identity.inode = line->inode;
    file->path = line->rest;
    while (file->path < end && *file->path == ' ')
        file->path++;
    file->path_bytes = (size_t)(end - file->path);
    file->is_deleted = ends_with_mark(file->path, file->path_bytes);
    if (file->is_deleted) file->path_bytes -= MARK_BYTES;
    return file->identity.inode != 0 && file->path_bytes > 0;
}

bool epitaph_mappings_find_file(const epitaph_mappings *mappings, uint64_t address,
                                epitaph_mapped_file *file) {
    const char *low = mappings->text;
    const char *high = mappings->text + mappings->text_bytes;
    while (low < high) {
        const char *text = line_start(low, low + (high - low) / 2);
        const char *end = line_end(text, high);
        epitaph_maps_line line;
        if (!epitaph_maps_line_read(text, end, &line)) return false;
        if (address < line.start) {
            high = text;
        } else if (address >= line.end) {
            low = end < high ? end + 1 : high;
        } else {
            return describe(&line, end, file);
        }
    }
    return false;
}
