// SPDX-License-Identifier: Apache-2.0
//
// What a crash keeps out of its dump: docs/decisions/memory.md

#include "facts/facts.h"

#include "base/base.h"
#include "epitaph_placement.h"
#include "epitaph_settings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum {
    /// More than most programs have. The table and its bits take 16 to 32 times what is secret.
    TEXT_LIMIT = 256 << 10,
    USUAL_MEMORY_BYTES = 128 << 10,
    EXEMPTION_LIMIT = 4096,
    /// Shorter arguments are ordinary words such as `--config`.
    ARGUMENT_BYTES = 16,
};

/// Names, NUL-terminated, of variables with places and preferences, environ(7). Their values are no
/// secrets and occur everywhere. A final `_` in a longer name matches any suffix.
static const char harmless_names[] =
    "_\0COLUMNS\0EDITOR\0HOME\0HOSTNAME\0LANG\0LANGUAGE\0LC_\0LD_\0LINES\0LOGNAME\0MAIL\0OLDPWD\0"
    "PAGER\0PATH\0PWD\0SHELL\0SHLVL\0TERM\0TMPDIR\0TZ\0USER\0VISUAL\0XDG_";

typedef struct span {
    size_t start;
    size_t end;
} span;

typedef struct texts {
    char bytes[TEXT_LIMIT];
    size_t count;
    bool is_cut;
    span exempt[EXEMPTION_LIMIT];
    size_t exempt_count;
} texts;

/// Not in a mapping of its own: fork(3) pays for each, and for the kernel's page of its pages.
static EPITAPH_SPARSE uint64_t usual_memory[USUAL_MEMORY_BYTES / sizeof(uint64_t)];
static uint64_t *memory = usual_memory;
static size_t memory_bytes = sizeof usual_memory;

static void append(texts *texts, const char *bytes, size_t count) {
    size_t room = TEXT_LIMIT - texts->count;
    if (count > room) texts->is_cut = true;
    if (count > room) count = room;
    memcpy(texts->bytes + texts->count, bytes, count);
    texts->count += count;
}

/// Reads the kernel's copy, proc(5), with adjacent bytes: a vector register may span two texts.
static void append_file(texts *texts, const char *path) {
    char piece[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (fd >= 0 && !texts->is_cut && (got = read(fd, piece, sizeof piece)) > 0)
        append(texts, piece, (size_t)got);
    if (fd >= 0) close(fd);
    // Later frames on this stack may be in a dump.
    explicit_bzero(piece, sizeof piece);
}

static void exempt(texts *texts, size_t start, size_t end) {
    if (texts->exempt_count == EXEMPTION_LIMIT) return;
    texts->exempt[texts->exempt_count].start = start;
    texts->exempt[texts->exempt_count++].end = end;
}

static void remember_exempt_names(epitaph_process_facts *facts, const epitaph_options *options) {
    static const char *const none[] = {NULL};
    const char *const *allowed =
        options->environment_allow_list == NULL ? none : options->environment_allow_list;
    size_t count = sizeof harmless_names;
    for (const char *const *name = allowed; *name != NULL; name++)
        count += strlen(*name) + 1;
    static epitaph_lasting_room room;
    char *names = epitaph_lasting_room_get(&room, count);
    if (names == NULL) return;
    memcpy(names, harmless_names, sizeof harmless_names);
    char *next = names + sizeof harmless_names;
    for (const char *const *name = allowed; *name != NULL; name++)
        next = stpcpy(next, *name) + 1;
    facts->exempt_names = names;
    facts->exempt_names_bytes = count;
}

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

/// Exempts short words and the program's name, which is in the module list.
static void exempt_arguments(texts *texts, bool are_all) {
    for (size_t start = 0; start < texts->count;) {
        size_t end = end_of_text(texts, start);
        if (are_all || start == 0 || end - start <= ARGUMENT_BYTES) exempt(texts, start, end);
        start = end;
    }
}

static void collect(texts *texts, const epitaph_process_facts *facts) {
    append_file(texts, "/proc/self/cmdline");
    exempt_arguments(texts, facts->command_line != NULL);
    size_t start = texts->count;
    append_file(texts, "/proc/self/environ");
    // Variables set before the start, or all of them without /proc.
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        size_t count = strlen(*variable) + 1;
        if (memmem(texts->bytes + start, texts->count - start, *variable, count) == NULL)
            append(texts, *variable, count);
    }
    exempt_variables(texts, start);
}

/// From the end of one exempt range, the `number`th, to the beginning of the next: the windows that
/// are not wholly inside one. The ranges are sorted.
static span secret_span(const texts *texts, size_t number) {
    size_t reach = EPITAPH_TEXT_WINDOW - 1;
    span secret = {.start = 0, .end = texts->count};
    if (number > 0) {
        size_t start = texts->exempt[number - 1].start;
        size_t end = texts->exempt[number - 1].end;
        secret.start = end > start + reach ? end - reach : start;
    }
    if (number < texts->exempt_count) {
        size_t into = texts->exempt[number].start + reach;
        size_t end = texts->exempt[number].end;
        secret.end = into < end ? into : end;
    }
    return secret;
}

static uint32_t count_windows(const texts *texts) {
    uint64_t count = 0;
    for (size_t i = 0; i <= texts->exempt_count; i++) {
        span secret = secret_span(texts, i);
        size_t bytes = secret.end - secret.start;
        if (bytes >= EPITAPH_TEXT_WINDOW) count += bytes - (EPITAPH_TEXT_WINDOW - 1);
    }
    return (uint32_t)count;
}

static void enter(epitaph_text_index *index, const texts *texts) {
    for (size_t i = 0; i <= texts->exempt_count; i++) {
        span secret = secret_span(texts, i);
        epitaph_text_index_enter(index, (uint32_t)secret.start, (uint32_t)secret.end);
    }
}

/// Uses memory of ours, so that the program's heap is unchanged.
static int publish(const texts *texts) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    epitaph_text_index *index = &settings->private_texts;
    uint32_t text_bytes = (uint32_t)texts->count;
    uint32_t windows = count_windows(texts);
    uint32_t entries = epitaph_text_index_entries(windows);
    uint32_t filter_words = epitaph_text_filter_words(windows);
    size_t needed = filter_words * sizeof *index->filter.words + entries * sizeof *index->table +
                    text_bytes + EPITAPH_TEXT_WINDOW;
    if (needed > memory_bytes) {
        memory = epitaph_lasting_memory_make(needed);
        memory_bytes = memory == NULL ? 0 : needed;
    }
    if (memory == NULL) return -1;
    index->filter.words = memory;
    index->filter_limit = filter_words;
    index->table = (uint32_t *)(index->filter.words + filter_words);
    index->table_limit = entries;
    index->text = (uint8_t *)(index->table + entries);
    index->text_limit = text_bytes;
    index->text_bytes = text_bytes;
    memcpy(index->text, texts->bytes, text_bytes);
    settings->private_texts_are_cut = texts->is_cut;
    epitaph_text_index_begin(index, windows);
    enter(index, texts);
    return 0;
}

static void forget(void) {
    epitaph_text_index *index = &epitaph_capture_settings_now.private_texts;
    if (index->text != NULL) memset(index->text, 0, index->text_limit + EPITAPH_TEXT_WINDOW);
    memset(index, 0, sizeof *index);
}

int epitaph_private_texts_remember(const epitaph_options *options) {
    epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    forget();
    facts->environ_address = (uint64_t)&environ;
    remember_exempt_names(facts, options);
    texts *texts = epitaph_guarded_memory_make(sizeof *texts);
    if (texts == NULL) return -1;
    collect(texts, facts);
    int result = publish(texts);
    epitaph_guarded_memory_free(texts, sizeof *texts);
    return result;
}
