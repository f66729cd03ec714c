// SPDX-License-Identifier: Apache-2.0
//
// Which file is mapped at an address. Only needed for modules, so the text is searched and nothing
// is stored for each mapping; its lines are in the order of their addresses.

#include "memory/mapped_files.h"

#include "memory/mappings.h"
#include "system/bytes.h"

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

/// Skips one field and the blanks behind it.
static const char *next_field(const char *at, const char *end) {
    while (at < end && *at != ' ')
        at++;
    while (at < end && *at == ' ')
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

/// "7f12a000-7f12c000 r-xp 00000000 fe:00 123   /usr/lib/x.so (deleted)": proc(5).
static bool parse_file(const char *line, const char *end, epitaph_mapped_file *file) {
    const char *next = next_field(next_field(next_field(line, end), end), end);
    file->identity.device_major = (uint32_t)epitaph_text_read_hex(&next, end);
    if (next == end || *next++ != ':') return false;
    file->identity.device_minor = (uint32_t)epitaph_text_read_hex(&next, end);
    next = next_field(next, end);
    file->identity.inode = epitaph_text_read_decimal(&next, end);
    file->path = next_field(next, end);
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
        const char *line = line_start(low, low + (high - low) / 2);
        const char *end = line_end(line, high);
        const char *next = line;
        uint64_t start = epitaph_text_read_hex(&next, end);
        if (next == end || *next++ != '-') return false;
        uint64_t stop = epitaph_text_read_hex(&next, end);
        if (address < start) {
            high = line;
        } else if (address >= stop) {
            low = end < high ? end + 1 : high;
        } else {
            return parse_file(line, end, file);
        }
    }
    return false;
}
