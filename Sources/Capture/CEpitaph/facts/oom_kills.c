// SPDX-License-Identifier: Apache-2.0
//
// memory.events of the control groups, cgroups(7), and /proc/vmstat.

#include "facts/facts.h"

#include "base/base.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VMSTAT_LIMIT = 32768, EVENTS_LIMIT = 1024, GROUP_LIMIT = 16 };

static const char group_root[] = "/sys/fs/cgroup";

static bool find_count(const char *text, const char *name, unsigned long long *count) {
    size_t length = strlen(name);
    for (const char *line = text; line != NULL && *line != 0;) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            *count = strtoull(line + length + 1, NULL, 10);
            return true;
        }
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    return false;
}

/// The process's cgroup v2 path: the line `0::/…` of /proc/self/cgroup.
static bool find_group(char path[PATH_MAX]) {
    char text[PATH_MAX + 1024];
    if (epitaph_proc_file_read("/proc/self/cgroup", text, sizeof text) == 0) return false;
    const char *line = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
    if (line == NULL) return false;
    line = strchr(line, '/');
    size_t length = strcspn(line, "\n");
    if (length >= PATH_MAX) return false;
    memcpy(path, line, length);
    path[length] = 0;
    return true;
}

static void append(char *text, const char *line) {
    size_t length = strlen(text);
    if (length + strlen(line) < EPITAPH_OOM_KILLS_SIZE) strcpy(text + length, line);
}

static void append_group(char *text, const char *path) {
    char file[PATH_MAX + sizeof group_root + 16], events[EVENTS_LIMIT], line[PATH_MAX + 80];
    unsigned long long kills, group_kills = 0;
    struct stat status;
    bool is_root = strcmp(path, "/") == 0;
    snprintf(file, sizeof file, "%s%s", group_root, is_root ? "" : path);
    if (stat(file, &status) != 0) return;
    snprintf(file, sizeof file, "%s%s/memory.events", group_root, is_root ? "" : path);
    if (epitaph_proc_file_read(file, events, sizeof events) == 0 ||
        !find_count(events, "oom_kill", &kills))
        return;
    find_count(events, "oom_group_kill", &group_kills);
    snprintf(line, sizeof line, "cgroup %llu %llu %llu %s\n", (unsigned long long)status.st_ino,
             kills, group_kills, path);
    append(text, line);
}

static void append_groups(char *text) {
    char path[PATH_MAX];
    // A path starting with `/..` is outside this cgroup namespace.
    if (!find_group(path) || strncmp(path, "/..", 3) == 0) return;
    for (int i = 0; i < GROUP_LIMIT; i++) {
        append_group(text, path);
        char *slash = strrchr(path, '/');
        if (slash == NULL || path[1] == 0) return;
        slash[slash == path ? 1 : 0] = 0;
    }
}

void epitaph_oom_kills_collect(char text[EPITAPH_OOM_KILLS_SIZE]) {
    unsigned long long kills;
    char line[64];
    text[0] = 0;
    append_groups(text);
    char *vmstat = epitaph_own_memory_resize(NULL, VMSTAT_LIMIT);
    if (vmstat != NULL && epitaph_proc_file_read("/proc/vmstat", vmstat, VMSTAT_LIMIT) > 0 &&
        find_count(vmstat, "oom_kill", &kills)) {
        snprintf(line, sizeof line, "kernel %llu\n", kills);
        append(text, line);
    }
    epitaph_own_memory_free(vmstat);
}
