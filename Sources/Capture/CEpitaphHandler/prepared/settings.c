// SPDX-License-Identifier: Apache-2.0
//
// Initial settings, changing limits, the owner mark, and exempt variables.

#include "epitaph_placement.h"
#include "epitaph_settings.h"

#include "system/bytes.h"

epitaph_capture_settings epitaph_capture_settings_now = {
    .directory = {.fd = -1},
    .reserved_files = {{.fd = -1}, {.fd = -1}, {.fd = -1}, {.fd = -1}},
    .status_file = {.fd = -1},
    .dump_file = {.file = {.fd = -1}, .directory = {.fd = -1}}};
_Static_assert(EPITAPH_RESERVED_FD_COUNT == 4, "the initialiser above names them all");

enum { ATTEMPT_LIMIT = 100 };

void epitaph_limits_publish(const epitaph_capture_limits *limits) {
    epitaph_limits_box *box = &epitaph_capture_settings_now.next_limits;
    uint32_t next = box->changes + 1;
    if (next == 0) next = 2;
    // A reader that sees any byte written below must also see that the other copy is current.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    epitaph_bytes_copy(&box->values[next % 2], limits, sizeof *limits);
    __atomic_store_n(&box->changes, next, __ATOMIC_RELEASE);
}

void epitaph_limits_load(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    const epitaph_limits_box *box = &settings->next_limits;
    // The current copy is overwritten only after another became current.
    for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
        uint32_t changes = __atomic_load_n(&box->changes, __ATOMIC_ACQUIRE);
        if (changes == 0) return;
        epitaph_bytes_copy(&settings->limits, &box->values[changes % 2], sizeof settings->limits);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&box->changes, __ATOMIC_RELAXED) == changes) return;
    }
}

const epitaph_capture_limits *epitaph_limits_latest(void) {
    const epitaph_limits_box *box = &epitaph_capture_settings_now.next_limits;
    uint32_t changes = __atomic_load_n(&box->changes, __ATOMIC_ACQUIRE);
    return &box->values[changes % 2];
}

epitaph_process_page *epitaph_process_page_now = NULL;

EPITAPH_RUN_IN_CHILDREN bool epitaph_process_is_owner(void) {
    const epitaph_process_page *page = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    return page != NULL && __atomic_load_n(&page->owner_mark, __ATOMIC_ACQUIRE) != 0;
}

bool epitaph_variable_is_exempt(const char *text, size_t count) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    const char *next = facts->exempt_names;
    const char *end = next + facts->exempt_names_bytes;
    while (next < end) {
        size_t length = epitaph_text_length(next, (size_t)(end - next));
        size_t same = 0;
        while (same < length && same < count && text[same] == next[same])
            same++;
        // A name ending in `_` stands for all that begin with it: LC_, XDG_.
        bool is_family = length > 1 && next[length - 1] == '_';
        if (same == length && (is_family || (length < count && text[length] == '='))) return true;
        next += length + 1;
    }
    return false;
}
