// SPDX-License-Identifier: Apache-2.0
//
// Changes the environment in place: setenv(3) would move the array and use the program's heap.

#include "program.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

static void drop(char **arrays[], const char *variable) {
    for (; *arrays != NULL; arrays++) {
        char **next = *arrays;
        for (char **each = *arrays; *each != NULL; each++) {
            if (*each != variable) *next++ = *each;
        }
        *next = NULL;
    }
}

typedef struct wanted {
    const char *entry;
    size_t length;
    const char *separators;
    /// Whether to compare only the part after the last slash.
    bool is_name;
} wanted;

static size_t next_entry(const wanted *wanted, const char **text, const char **entry) {
    *entry = *text + strspn(*text, wanted->separators);
    size_t length = strcspn(*entry, wanted->separators);
    *text = *entry + length;
    return length;
}

static bool is_wanted(const wanted *wanted, const char *entry, size_t length) {
    const char *slash = wanted->is_name ? memrchr(entry, '/', length) : NULL;
    if (slash != NULL) {
        length -= (size_t)(slash + 1 - entry);
        entry = slash + 1;
    }
    return length == wanted->length && memcmp(entry, wanted->entry, length) == 0;
}

/// A list without it is left unchanged.
static bool has_wanted(const wanted *wanted, const char *list) {
    const char *entry;
    size_t length;
    while ((length = next_entry(wanted, &list, &entry)) > 0) {
        if (is_wanted(wanted, entry, length)) return true;
    }
    return false;
}

/// Returns whether entries are left. The list never grows or moves.
static bool take_from_text(const wanted *wanted, char *list) {
    char *next = list;
    const char *rest = list, *entry;
    size_t length;
    while ((length = next_entry(wanted, &rest, &entry)) > 0) {
        if (is_wanted(wanted, entry, length)) continue;
        if (next != list) *next++ = ':';
        memmove(next, entry, length);
        next += length;
    }
    bool is_left = next != list;
    memset(next, 0, strlen(next));
    return is_left;
}

static char *find(char **variables, const char *name) {
    size_t length = strlen(name);
    for (; *variables != NULL; variables++) {
        if (strncmp(*variables, name, length) == 0 && (*variables)[length] == '=')
            return *variables;
    }
    return NULL;
}

static void take(char **arrays[], const char *name, const wanted *wanted) {
    for (char ***array = arrays; *array != NULL; array++) {
        char *variable = find(*array, name);
        if (variable == NULL) continue;
        char *list = variable + strlen(name) + 1;
        if (has_wanted(wanted, list) && !take_from_text(wanted, list)) drop(arrays, variable);
    }
}

void epitaph_preload_take_from_list(char **arrays[], const char *name, const char *entry) {
    const wanted wanted = {entry, strlen(entry), ":", false};
    take(arrays, name, &wanted);
}

static wanted library_at(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const wanted library = {name, strlen(name), ": ", true};
    return library;
}

void epitaph_preload_take_library(char **arrays[], const char *path) {
    const wanted wanted = library_at(path);
    take(arrays, "LD_PRELOAD", &wanted);
}

bool epitaph_preload_lists_library(const char *list, const char *path) {
    const wanted wanted = library_at(path);
    return has_wanted(&wanted, list);
}

void epitaph_preload_take_variables(char **arrays[], const char *prefix) {
    size_t length = strlen(prefix);
    for (char ***array = arrays; *array != NULL; array++) {
        char **next = *array;
        for (char **each = *array; *each != NULL; each++) {
            if (strncmp(*each, prefix, length) != 0) *next++ = *each;
        }
        *next = NULL;
    }
}

// Behind the kernel's array is the auxiliary vector, pairs of words, getauxval(3), and Go's runtime
// and others look for it there: sysargs, runtime/os_linux.go. Pairs that are to be ignored lead to
// it. Where half a pair would be left it must look empty: then Go reads /proc/self/auxv.
void epitaph_preload_fill_gap(char **end, char **earlier_end) {
    bool is_even = (earlier_end - end) % 2 == 0;
    for (size_t i = 1; end + i <= earlier_end; i++)
        end[i] = is_even && i % 2 == 1 ? (char *)AT_IGNORE : NULL;
}
