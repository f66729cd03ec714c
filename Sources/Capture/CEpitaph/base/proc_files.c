// SPDX-License-Identifier: Apache-2.0
//
// The lines and fields of proc(5) that quiet time needs.

#include "base/base.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t epitaph_proc_file_read(const char *path, char *text, size_t size) {
    size_t length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = 0;
    while (fd >= 0 && length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    if (fd >= 0) close(fd);
    text[length] = 0;
    return length;
}

const char *epitaph_proc_status_find(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strchr(text, '\n'); line != NULL; line = strchr(line, '\n')) {
        line++;
        if (strncmp(line, name, length) != 0 || line[length] != ':') continue;
        const char *value = line + length + 1;
        return value + strspn(value, " \t");
    }
    return NULL;
}

int epitaph_tracer_find(void) {
    char text[4096];
    epitaph_proc_file_read("/proc/self/status", text, sizeof text);
    const char *tracer = epitaph_proc_status_find(text, "TracerPid");
    return tracer == NULL ? 0 : (int)strtol(tracer, NULL, 10);
}

// The name, field 2, may contain anything, so fields are counted from the last `)`.
bool epitaph_proc_stat_parse(const char *text, epitaph_proc_stat *stat) {
    enum { STATE_FIELD = 3, THREADS_FIELD = 20, START_FIELD = 22 };
    const char *next = strrchr(text, ')');
    if (next == NULL || next[1] != ' ') return false;
    next += 2;
    stat->state = *next;
    for (int field = STATE_FIELD; field < START_FIELD; field++) {
        if (field == THREADS_FIELD) stat->thread_count = strtoull(next, NULL, 10);
        next = strchr(next, ' ');
        if (next == NULL) return false;
        next++;
    }
    stat->start_ticks = strtoull(next, NULL, 10);
    return true;
}
