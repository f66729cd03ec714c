// SPDX-License-Identifier: Apache-2.0
//
// The environment and the command line as they are at the start, so that a crash can keep them out
// of its dump. docs/decisions/environment-stays-out.md

#include "internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum {
    /// A quarter of a mebibyte, more than most have; a table eight to sixteen times the size of the
    /// text belongs to it.
    TEXT_LIMIT = 256 << 10,
    /// A part of the text that is not looked for: the name of the program, and variables.
    EXEMPTION_LIMIT = 512,
};

/// Variables that name places and manners, environ(7), each with a NUL at its end: they are in the
/// names of modules, in messages and paths all over a process, and are no secrets. `_` at the end
/// of a longer name stands for any rest.
static const char harmless_names[] =
    "_\0COLUMNS\0EDITOR\0HOME\0HOSTNAME\0LANG\0LANGUAGE\0LC_\0LD_\0LINES\0LOGNAME\0MAIL\0OLDPWD\0"
    "PAGER\0PATH\0PWD\0SHELL\0SHLVL\0TERM\0TMPDIR\0TZ\0USER\0VISUAL\0XDG_";

typedef struct texts {
    char *bytes;
    size_t count;
    int is_cut;
    struct {
        size_t start;
        size_t end;
    } exempt[EXEMPTION_LIMIT];
    size_t exempt_count;
} texts;

static void append(texts *texts, const char *bytes, size_t count) {
    size_t room = TEXT_LIMIT - texts->count;
    if (count > room) texts->is_cut = 1;
    if (count > room) count = room;
    memcpy(texts->bytes + texts->count, bytes, count);
    texts->count += count;
}

/// The kernel's own view of where it put them, proc(5): bytes lie there as they do in memory, so that
/// what a vector register took from two neighbours is found.
static void append_file(texts *texts, const char *path) {
    char piece[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (fd >= 0 && !texts->is_cut && (got = read(fd, piece, sizeof piece)) > 0)
        append(texts, piece, (size_t)got);
    if (fd >= 0) close(fd);
    // The next frames here may be in a dump.
    explicit_bzero(piece, sizeof piece);
}

static void exempt(texts *texts, size_t start, size_t end) {
    if (texts->exempt_count == EXEMPTION_LIMIT) return;
    texts->exempt[texts->exempt_count].start = start;
    texts->exempt[texts->exempt_count++].end = end;
}

/// Remembers which variables are not looked for: harmless ones, and those that may be in dumps.
static void remember_exempt_names(epitaph_process_facts *facts, const epitaph_options *options) {
    static const char *const none[] = {NULL};
    const char *const *allowed =
        options->environment_allow_list == NULL ? none : options->environment_allow_list;
    size_t count = sizeof harmless_names;
    for (const char *const *name = allowed; *name != NULL; name++)
        count += strlen(*name) + 1;
    char *names = malloc(count);
    if (names == NULL) return;
    memcpy(names, harmless_names, sizeof harmless_names);
    char *next = names + sizeof harmless_names;
    for (const char *const *name = allowed; *name != NULL; name++)
        next = stpcpy(next, *name) + 1;
    facts->exempt_names = names;
    facts->exempt_names_bytes = count;
}

/// The end of the text at `start`, its NUL included.
static size_t end_of_text(const texts *texts, size_t start) {
    size_t length = strnlen(texts->bytes + start, texts->count - start);
    return start + length + (start + length < texts->count);
}

static void exempt_variables(texts *texts, size_t start) {
    while (start < texts->count) {
        size_t end = end_of_text(texts, start);
        if (epitaph_variable_is_exempt(texts->bytes + start, end - start))
            exempt(texts, start, end);
        start = end;
    }
}

static void collect(texts *texts, const epitaph_process_facts *facts) {
    append_file(texts, "/proc/self/cmdline");
    // The program's own name is in the list of modules.
    exempt(texts, 0, facts->command_line != NULL ? texts->count : end_of_text(texts, 0));
    size_t start = texts->count;
    append_file(texts, "/proc/self/environ");
    // What was set before the start, or all of it where there is no /proc.
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        size_t count = strlen(*variable) + 1;
        if (memmem(texts->bytes + start, texts->count - start, *variable, count) == NULL)
            append(texts, *variable, count);
    }
    exempt_variables(texts, start);
}

/// Enters what lies not whole in an exempt part: the ranges are in order.
static void enter(epitaph_text_index *index, const texts *texts) {
    size_t from = 0;
    for (size_t i = 0; i < texts->exempt_count; i++) {
        size_t start = texts->exempt[i].start;
        size_t end = texts->exempt[i].end;
        size_t into = start + EPITAPH_TEXT_WINDOW - 1;
        epitaph_text_index_enter(index, (uint32_t)from, (uint32_t)(into < end ? into : end));
        size_t last = end < EPITAPH_TEXT_WINDOW - 1 ? 0 : end - (EPITAPH_TEXT_WINDOW - 1);
        from = last > start ? last : start;
    }
    epitaph_text_index_enter(index, (uint32_t)from, (uint32_t)texts->count);
}

static int publish(texts *texts) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_text_index *index = &settings->private_texts;
    size_t entries = epitaph_text_index_entries((uint32_t)texts->count);
    uint32_t *table = malloc(entries * sizeof *table);
    char *text = table == NULL ? NULL : realloc(texts->bytes, texts->count + EPITAPH_TEXT_WINDOW);
    if (text == NULL) {
        free(table);
        return -1;
    }
    texts->bytes = text;
    index->text = (uint8_t *)text;
    index->text_limit = (uint32_t)texts->count;
    index->text_bytes = (uint32_t)texts->count;
    index->table = table;
    index->table_limit = (uint32_t)entries;
    settings->private_texts_are_cut = texts->is_cut != 0;
    epitaph_text_index_begin(index);
    enter(index, texts);
    return 0;
}

int epitaph_private_texts_remember(const epitaph_options *options) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_text_index *index = &settings->private_texts;
    free(index->text);
    free(index->table);
    memset(index, 0, sizeof *index);
    settings->facts.environ_address = (uint64_t)&environ;
    remember_exempt_names(&settings->facts, options);
    texts *texts = calloc(1, sizeof *texts);
    if (texts == NULL) return -1;
    texts->bytes = malloc(TEXT_LIMIT);
    int result = -1;
    if (texts->bytes != NULL) {
        collect(texts, &settings->facts);
        result = publish(texts);
    }
    if (result != 0) free(texts->bytes);
    free(texts);
    return result;
}
