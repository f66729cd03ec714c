// SPDX-License-Identifier: Apache-2.0
//
// Keeps what was taken out of the environment, and adds it again for a program that this process
// becomes by execve(2). Copies, because daemons write their titles over the originals.

#include "program.h"

#include "base/base.h"

#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 16 << 10, VARIABLE_LIMIT = 128 };

static const char preload_prefix[] = "LD_PRELOAD=";
static const char own_prefix[] = "EPITAPH_";

static struct {
    size_t bytes;
    char *variables[VARIABLE_LIMIT];
    size_t count;
    const char *path;
    /// `LD_PRELOAD=` and the libraries' paths first, then the variables, then the library's path
    /// alone; each ends with a NUL.
    char texts[TEXT_BYTES];
} carried;

static const char *append(const char *text) {
    size_t bytes = strlen(text);
    char *place = carried.texts + carried.bytes;
    if (bytes >= TEXT_BYTES - carried.bytes) return NULL;
    memcpy(place, text, bytes + 1);
    carried.bytes += bytes;
    return place;
}

static bool keep(const char *const parts[], size_t count) {
    char *start = carried.texts + carried.bytes;
    for (size_t i = 0; i < count; i++)
        if (append(parts[i]) == NULL) return false;
    if (carried.count == VARIABLE_LIMIT) return false;
    carried.variables[carried.count++] = start;
    carried.bytes++;
    return true;
}

void epitaph_preload_carry(char **variables, const char *library, const char *heap) {
    const char *const parts[] = {preload_prefix, library, ":", heap};
    if (!keep(parts, heap == NULL ? 2 : 4)) return;
    carried.path = append(library);
    if (carried.path == NULL) return;
    carried.bytes++;
    for (; *variables != NULL; variables++) {
        bool is_own = strncmp(*variables, own_prefix, sizeof own_prefix - 1) == 0;
        // With half of the settings it would work for another database.
        const char *const variable[] = {*variables};
        if (is_own && !keep(variable, 1)) return;
    }
    epitaph_process_page_get()->carries_pid = (uint32_t)getpid();
}

EPITAPH_RUN_IN_CHILDREN const char *epitaph_preload_carried_library(void) {
    epitaph_process_page *page = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    // Zero in a forked child. A child of vfork(2) shares the page, and getpid(2) tells.
    if (page == NULL || page->carries_pid == 0 || epitaph_filters_may_kill()) return NULL;
    if (page->carries_pid != (uint32_t)getpid() || !epitaph_is_started()) return NULL;
    return epitaph_filters_are_old() ? carried.path : NULL;
}

static size_t count_of(char *const *variables) {
    size_t count = 0;
    while (variables != NULL && variables[count] != NULL)
        count++;
    return count;
}

/// Returns the place of a variable with the same name; the end if there is none.
static char **find(char **variables, const char *variable) {
    size_t length = (size_t)(strchr(variable, '=') - variable) + 1;
    while (*variables != NULL && strncmp(*variables, variable, length) != 0)
        variables++;
    return variables;
}

/// In front of what the program preloads itself.
static char *put_in_front(char *text, const char *list) {
    size_t length = strlen(carried.variables[0]);
    memcpy(text, carried.variables[0], length);
    text[length] = ':';
    strcpy(text + length + 1, list);
    return text;
}

char **epitaph_preload_add_carried(char *const *variables, epitaph_preload_addition *addition) {
    size_t count = count_of(variables), preload = sizeof preload_prefix - 1;
    size_t array_bytes = (count + carried.count + 1) * sizeof *variables;
    char **place = count == 0 ? NULL : find((char **)variables, carried.variables[0]);
    const char *list = place == NULL || *place == NULL ? "" : *place + preload;
    addition->size = array_bytes + strlen(carried.variables[0]) + strlen(list) + 2;
    addition->memory = epitaph_guarded_memory_make(addition->size);
    if (addition->memory == NULL) return NULL;
    char **all = addition->memory;
    if (count != 0) memcpy(all, variables, count * sizeof *all);
    char **end = all + count;
    for (size_t i = 0; i < carried.count; i++) {
        place = find(all, carried.variables[i]);
        if (place == end) *end++ = carried.variables[i];
        // The program's own settings remain, but not its list of libraries.
        bool is_missing = i == 0 && !epitaph_preload_lists_library(list, carried.path);
        if (is_missing && list[0] != 0)
            *place = put_in_front((char *)all + array_bytes, list);
        else if (is_missing)
            *place = carried.variables[0];
    }
    return all;
}
