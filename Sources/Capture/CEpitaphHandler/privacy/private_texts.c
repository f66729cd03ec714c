// SPDX-License-Identifier: Apache-2.0
//
// Follows `environ` once in a crash, to blank texts that were not there at the start.

#include "privacy/privacy.h"

enum {
    POINTERS_AT_ONCE = 64,
    /// Per variable; PEM keys and JSON credentials have some kilobytes.
    VARIABLE_BYTES_LIMIT = 16 << 10,
    NAME_LIMIT = 256,
};

typedef struct pass {
    epitaph_capture *capture;
    uint32_t unread_count;
    bool is_cut;
} pass;

void epitaph_private_texts_begin(epitaph_capture *capture) {
    epitaph_private_texts *texts = capture->private_texts;
    texts->late.text = texts->text;
    texts->late.text_limit = sizeof texts->text;
    texts->late.text_bytes = 0;
    texts->late.table = texts->table;
    texts->late.table_limit = EPITAPH_LATE_TABLE_LIMIT;
    texts->late.filter.words = texts->filter;
    texts->late.filter_limit = EPITAPH_LATE_FILTER_LIMIT;
    texts->late.lost_count = 0;
    texts->count = 0;
    texts->bounds.start = UINT64_MAX;
    texts->bounds.end = 0;
    capture->blanking.known = &epitaph_capture_settings_now.private_texts;
    capture->blanking.late = NULL;
    capture->blanking.mappings = &capture->mappings;
    capture->blanking.blanked_bytes = 0;
}

/// Where the kernel put arguments and environment: never written, and known since the start.
static bool is_where_kernel_put_it(const epitaph_capture *capture, uint64_t address) {
    epitaph_range byte = {.start = address, .end = address + 1};
    return epitaph_range_is_private(capture, byte);
}

static void note_place(epitaph_private_texts *texts, uint64_t address, size_t count) {
    epitaph_range *place = &texts->places[texts->count++];
    place->start = address;
    place->end = address + count;
    if (place->start < texts->bounds.start) texts->bounds.start = place->start;
    if (place->end > texts->bounds.end) texts->bounds.end = place->end;
}

static void read_variable(pass *pass, uint64_t address) {
    epitaph_private_texts *texts = pass->capture->private_texts;
    if (is_where_kernel_put_it(pass->capture, address)) return;
    uint32_t room = texts->late.text_limit - texts->late.text_bytes;
    if (texts->count == EPITAPH_LATE_VARIABLE_LIMIT || room <= EPITAPH_TEXT_WINDOW) {
        pass->is_cut = true;
        return;
    }
    char *text = (char *)texts->text + texts->late.text_bytes;
    size_t size = room < VARIABLE_BYTES_LIMIT ? room : VARIABLE_BYTES_LIMIT;
    size_t count = epitaph_memory_read_text(text, size, address);
    if (count == 0) {
        if (!epitaph_memory_read_exactly(text, address, 1)) pass->unread_count++;
        return;
    }
    if (count == size - 1) pass->is_cut = true;
    note_place(texts, address, count);
    const epitaph_text_index *known = &epitaph_capture_settings_now.private_texts;
    // A program that makes room for its title has moved all variables unchanged.
    if (epitaph_variable_is_exempt(text, count) || epitaph_text_index_holds(known, text, count + 1))
        return;
    texts->late.text_bytes += (uint32_t)count + 1;
}

/// The array may be changing at this moment.
static void read_variables(pass *pass) {
    uint64_t variable = epitaph_capture_settings_now.facts.environ_address;
    uint64_t pointers[POINTERS_AT_ONCE];
    uint64_t array = 0;
    if (variable == 0) return;
    if (!epitaph_memory_read_exactly(&array, variable, sizeof array)) {
        pass->unread_count++;
        return;
    }
    for (uint32_t done = 0; array != 0; done += POINTERS_AT_ONCE) {
        uint64_t start = array + done * sizeof *pointers;
        size_t got = epitaph_memory_read(pointers, start, sizeof pointers) / sizeof *pointers;
        for (size_t i = 0; i < got; i++) {
            if (pointers[i] == 0) return;
            read_variable(pass, pointers[i]);
        }
        if (got < POINTERS_AT_ONCE) {
            pass->unread_count++;
            return;
        }
        if (done >= EPITAPH_VARIABLE_LIMIT) {
            pass->is_cut = true;
            return;
        }
    }
}

static void enter_all(epitaph_blanking *blanking, epitaph_text_index *index) {
    if (index->text_bytes == 0) return;
    epitaph_text_index_begin(index, index->text_bytes);
    epitaph_text_index_join(index, blanking->known);
    for (uint32_t start = 0; start < index->text_bytes;) {
        uint32_t left = index->text_bytes - start;
        uint32_t count = (uint32_t)epitaph_text_length((const char *)index->text + start, left);
        epitaph_text_index_enter(index, start, start + count);
        start += count + 1;
    }
    // Only now: a search with half an index would miss what the other one knows.
    blanking->late = index;
}

void epitaph_private_texts_collect(epitaph_capture *capture) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint64_t blanked_bytes = capture->blanking.blanked_bytes;
    epitaph_private_texts_begin(capture);
    capture->blanking.blanked_bytes = blanked_bytes;
    pass pass;
    pass.capture = capture;
    pass.unread_count = 0;
    pass.is_cut = false;
    read_variables(&pass);
    enter_all(&capture->blanking, &capture->private_texts->late);
    if (pass.unread_count > 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_ENVIRONMENT, EPITAPH_WHY_NOT_RESIDENT, 0, 0);
    }
    bool has_lost =
        settings->private_texts.lost_count > 0 || capture->private_texts->late.lost_count > 0;
    if (pass.is_cut || settings->private_texts_are_cut || has_lost) {
        epitaph_damage_add(capture, EPITAPH_KEY_ENVIRONMENT, EPITAPH_WHY_OVER_LIMIT, 0, 0);
    }
}

bool epitaph_private_texts_hold(const epitaph_capture *capture, uint64_t address) {
    const epitaph_private_texts *texts = capture->private_texts;
    if (address < texts->bounds.start || address >= texts->bounds.end) return false;
    for (uint32_t i = 0; i < texts->count; i++) {
        if (address >= texts->places[i].start && address < texts->places[i].end) return true;
    }
    return false;
}

void epitaph_private_texts_blank(epitaph_capture *capture, epitaph_copy copy) {
    const epitaph_private_texts *texts = capture->private_texts;
    uint64_t end = copy.address + copy.count;
    epitaph_blank(&capture->blanking, copy);
    if (copy.address >= texts->bounds.end || end <= texts->bounds.start) return;
    for (uint32_t i = 0; i < texts->count; i++)
        epitaph_blank_range(&capture->blanking, copy, texts->places[i]);
}
