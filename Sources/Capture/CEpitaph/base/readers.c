// SPDX-License-Identifier: Apache-2.0
//
// Directories and lines, read without malloc(3), which opendir(3), fopen(3) and getline(3) call.

#include "base/base.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *epitaph_directory_next(epitaph_directory_reader *reader) {
    size_t limit;
    const char *name = epitaph_directory_entries_next(&reader->entries, &limit);
    if (name != NULL) return name;
    long got = syscall(SYS_getdents64, reader->fd, reader->bytes, sizeof reader->bytes);
    if (got <= 0) return NULL;
    reader->entries = epitaph_directory_entries_of(reader->bytes, (size_t)got);
    return epitaph_directory_entries_next(&reader->entries, &limit);
}

char *epitaph_line_next(epitaph_line_reader *reader) {
    for (;;) {
        char *line = reader->text + reader->next;
        size_t count = reader->end - reader->next;
        char *end = memchr(line, '\n', count);
        if (end != NULL) {
            *end = 0;
            reader->next += (size_t)(end - line) + 1;
            return line;
        }
        // Longer than any line that is read here.
        if (count == sizeof reader->text) return NULL;
        memmove(reader->text, line, count);
        reader->next = 0;
        reader->end = count;
        ssize_t got = read(reader->fd, reader->text + count, sizeof reader->text - count);
        if (got <= 0) return NULL;
        reader->end += (size_t)got;
    }
}
