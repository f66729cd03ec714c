// SPDX-License-Identifier: Apache-2.0
//
// Reads `key = value` from files and variables; syntax in docs/configuration.md.

#include "preload_settings.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Larger files are rejected, as in the Swift package.
static const size_t file_limit = 1 << 20;
static const char blanks[] = " \t\r\v\f";
static const char variable_prefix[] = "EPITAPH_";

static char *trim(char *text) {
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
        length--;
    text[length] = 0;
    return text;
}

/// Quotation marks preserve leading and trailing blanks.
static char *unquote(char *text) {
    size_t length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"') return text;
    text[length - 1] = 0;
    return text + 1;
}

static void read_line(epitaph_preload_settings *settings, const epitaph_preload_place *place,
                      char *line, size_t length) {
    if (memchr(line, 0, length) != NULL) {
        epitaph_preload_problem_note(settings, place, "it is not UTF-8");
        return;
    }
    char *text = trim(line);
    if (text[0] == 0 || text[0] == '#') return;
    char *sign = strchr(text, '=');
    if (sign == NULL) {
        epitaph_preload_problem_note(settings, place, "a line is written key = value");
        return;
    }
    *sign = 0;
    char *key = trim(text), *value = unquote(trim(sign + 1));
    epitaph_preload_settings_apply(settings, place, key, value);
}

/// Modifies `text`, which is NUL-terminated.
static void read_lines(epitaph_preload_settings *settings, const char *path, char *text,
                       size_t count) {
    epitaph_preload_place place = {path, 0};
    epitaph_preload_settings_next_file(settings);
    char *end = text + count;
    for (char *line = text; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL) newline = end;
        *newline = 0;
        place.line++;
        read_line(settings, &place, line, (size_t)(newline - line));
        line = newline + 1;
    }
}

static void read_open_file(epitaph_preload_settings *settings, const char *path, int file) {
    const epitaph_preload_place place = {path, 0};
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        epitaph_preload_problem_note(settings, &place, "it is not a regular file, and is not read");
        return;
    }
    char *bytes = epitaph_guarded_memory_make(file_limit + 1);
    if (bytes == NULL) return;
    ssize_t count = epitaph_file_start_read(file, bytes, file_limit + 1);
    if (count < 0) {
        epitaph_preload_problem_note(settings, &place, "it cannot be read: %s", strerror(errno));
    } else if ((size_t)count > file_limit) {
        epitaph_preload_problem_note(settings, &place, "it is larger than 1 MiB, and is not read");
    } else {
        read_lines(settings, path, bytes, (size_t)count);
    }
    epitaph_guarded_memory_free(bytes, file_limit + 1);
}

void epitaph_preload_read_file(epitaph_preload_settings *settings, const char *path,
                               bool is_required) {
    // A FIFO must not block the program.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file >= 0) {
        read_open_file(settings, path, file);
        close(file);
        return;
    }
    bool is_missing = errno == ENOENT || errno == ENOTDIR;
    if (is_missing && !is_required) return;
    const epitaph_preload_place place = {path, 0};
    epitaph_preload_problem_note(settings, &place, "it cannot be read: %s", strerror(errno));
}

/// BREADCRUMBS is breadcrumbs, ANNOTATION_Name annotation.Name. Returns false if it is too long.
static bool find_key(const char *name, size_t length, char *key, size_t size) {
    static const char annotation[] = "ANNOTATION_";
    size_t prefix = sizeof annotation - 1;
    if (length >= size) return false;
    memcpy(key, name, length);
    key[length] = 0;
    size_t lowered = length;
    if (strncmp(key, annotation, prefix) == 0) {
        lowered = prefix - 1;
        key[lowered] = '.';
    }
    for (size_t i = 0; i < lowered; i++) {
        if (key[i] >= 'A' && key[i] <= 'Z') key[i] = (char)(key[i] + ('a' - 'A'));
    }
    return true;
}

void epitaph_preload_read_variables(epitaph_preload_settings *settings, char **variables) {
    size_t prefix = sizeof variable_prefix - 1;
    for (; variables != NULL && *variables != NULL; variables++) {
        const char *variable = *variables;
        if (strncmp(variable, variable_prefix, prefix) != 0) continue;
        const char *sign = strchr(variable, '=');
        if (sign == NULL || sign[1] == 0) continue;
        char name[320], key[300];
        size_t length = (size_t)(sign - variable);
        if (length >= sizeof name) continue;
        memcpy(name, variable, length);
        name[length] = 0;
        const epitaph_preload_place place = {name, 0};
        if (find_key(name + prefix, length - prefix, key, sizeof key))
            epitaph_preload_settings_apply(settings, &place, key, sign + 1);
    }
}

const char *epitaph_preload_variable(char **variables, const char *name) {
    size_t length = strlen(name);
    for (; variables != NULL && *variables != NULL; variables++) {
        if (strncmp(*variables, name, length) != 0 || (*variables)[length] != '=') continue;
        return (*variables)[length + 1] == 0 ? NULL : *variables + length + 1;
    }
    return NULL;
}
