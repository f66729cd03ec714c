// SPDX-License-Identifier: Apache-2.0
//
// Reads the launch record and the first item after it, all that the C code reads of the format.

#include "epitaph_dump_format.h"
#include "epitaph_file_owner.h"

enum { LENGTH_BYTES = 8 };

typedef struct cursor {
    const uint8_t *bytes;
    size_t count;
    size_t at;
    bool has_failed;
} cursor;

static uint64_t read_number(cursor *cursor, uint32_t width) {
    if (width > cursor->count - cursor->at) {
        cursor->has_failed = true;
        return 0;
    }
    cursor->at += width;
    return epitaph_dump_integer(cursor->bytes + cursor->at - width, width);
}

static uint16_t read_property(cursor *cursor, const uint8_t **payload, size_t *size) {
    uint16_t key = (uint16_t)read_number(cursor, sizeof key);
    uint64_t length = read_number(cursor, LENGTH_BYTES);
    *payload = NULL;
    if (cursor->has_failed || length > cursor->count - cursor->at) {
        cursor->has_failed = true;
        return 0;
    }
    *payload = cursor->bytes + cursor->at;
    *size = (size_t)length;
    cursor->at += (size_t)length;
    return key;
}

static uint64_t number_of(const uint8_t *payload, size_t size, uint32_t width) {
    return size == width ? epitaph_dump_integer(payload, width) : 0;
}

/// A TIMEVAL: seconds and microseconds, 8 bytes each.
static uint64_t microseconds_of(const uint8_t *payload, size_t size) {
    static const uint64_t second_us = 1000000;
    if (size != 16) return 0;
    uint64_t seconds = epitaph_dump_integer(payload, 8);
    uint64_t microseconds = epitaph_dump_integer(payload + 8, 8);
    // A broken file must not cause an overflow.
    if (seconds > UINT64_MAX / second_us - 1 || microseconds >= second_us) return 0;
    return seconds * second_us + microseconds;
}

static void keep_property(epitaph_file_head *head, uint16_t key, const uint8_t *payload,
                          size_t size) {
    epitaph_process_identity *owner = &head->owner;
    switch (key) {
    case EPITAPH_KEY_LAUNCH_PID: owner->pid = (int32_t)number_of(payload, size, 4); break;
    case EPITAPH_KEY_LAUNCH_START_TICKS: owner->start_ticks = number_of(payload, size, 8); break;
    case EPITAPH_KEY_LAUNCH_PID_NAMESPACE:
        owner->pid_namespace = number_of(payload, size, 8);
        break;
    case EPITAPH_KEY_LAUNCH_BOOT_ID:
        for (size_t i = 0; size == sizeof owner->boot_id && i < size; i++)
            owner->boot_id[i] = payload[i];
        break;
    case EPITAPH_KEY_LAUNCH_TIME: head->start_us = microseconds_of(payload, size); break;
    case EPITAPH_KEY_LAUNCH_IS_CHILD: head->is_child = number_of(payload, size, 1) != 0; break;
    case EPITAPH_KEY_LAUNCH_MEMORY_WARNING:
        head->had_memory_warning = number_of(payload, size, 1) != 0;
        break;
    case EPITAPH_KEY_LAUNCH_AFTER_CRASH: head->follows_crash = true; break;
    case EPITAPH_KEY_CLEAN_EXIT:
    case EPITAPH_KEY_END_TIME: head->end_us = microseconds_of(payload, size); break;
    case EPITAPH_KEY_END_SIGNAL: head->end_signal = (int32_t)number_of(payload, size, 4); break;
    case EPITAPH_KEY_HEAD_BYTES: head->head_bytes = (uint32_t)number_of(payload, size, 4); break;
    default: break;
    }
}

static bool read_record(cursor *cursor, epitaph_file_head *head) {
    for (;;) {
        uint64_t command = read_number(cursor, 1);
        if (!cursor->has_failed && command == EPITAPH_COMMAND_MAP_END) return true;
        if (cursor->has_failed || command != EPITAPH_COMMAND_PROPERTY) return false;
        const uint8_t *payload;
        size_t size;
        uint16_t key = read_property(cursor, &payload, &size);
        if (payload == NULL) return false;
        keep_property(head, key, payload, size);
    }
}

static bool skip_properties(cursor *cursor, uint64_t *command) {
    while ((*command = read_number(cursor, 1)) == EPITAPH_COMMAND_PROPERTY) {
        const uint8_t *payload;
        size_t size;
        read_property(cursor, &payload, &size);
        if (payload == NULL) return false;
    }
    return true;
}

static bool find_record(cursor *cursor) {
    uint64_t command;
    return read_number(cursor, 1) == EPITAPH_COMMAND_ROOT_MAP_START &&
           skip_properties(cursor, &command) && command == EPITAPH_COMMAND_MAP_START &&
           read_number(cursor, 2) == EPITAPH_KEY_LAUNCH_RECORD;
}

/// Whether only zeros follow, as far as the bytes are known.
static bool is_zero(const cursor *cursor) {
    for (size_t i = cursor->at; i < cursor->count; i++) {
        if (cursor->bytes[i] != 0) return false;
    }
    return true;
}

static bool skip_displaced(cursor *cursor) {
    for (;;) {
        uint64_t command = read_number(cursor, 1);
        if (cursor->has_failed) return false;
        if (command == EPITAPH_COMMAND_ARRAY_END) return true;
        if (command != EPITAPH_COMMAND_MAP_START) return false;
        if (!skip_properties(cursor, &command) || command != EPITAPH_COMMAND_MAP_END) return false;
    }
}

static void read_mark(cursor *cursor, epitaph_file_head *head) {
    while (cursor->at < cursor->count && cursor->bytes[cursor->at] == EPITAPH_COMMAND_PROPERTY) {
        const uint8_t *payload;
        size_t size;
        cursor->at++;
        uint16_t key = read_property(cursor, &payload, &size);
        if (payload == NULL) return;
        keep_property(head, key, payload, size);
    }
}

static epitaph_file_contents contents(cursor *cursor, uint64_t file_bytes,
                                      epitaph_file_head *head) {
    uint32_t head_bytes = head->head_bytes;
    // A crash's sections follow the head.
    if (head_bytes > cursor->at && file_bytes > head_bytes) return EPITAPH_FILE_HAS_CRASH;
    for (;;) {
        size_t start = cursor->at;
        uint64_t command = read_number(cursor, 1);
        bool has_key = command == EPITAPH_COMMAND_PROPERTY ||
                       command == EPITAPH_COMMAND_ARRAY_START ||
                       command == EPITAPH_COMMAND_MAP_START;
        uint64_t key = has_key ? read_number(cursor, 2) : 0;
        // An end by a signal is neither a crash nor a clean exit.
        if (command == EPITAPH_COMMAND_PROPERTY &&
            (key == EPITAPH_KEY_CLEAN_EXIT || key == EPITAPH_KEY_END_SIGNAL)) {
            cursor->at = start;
            read_mark(cursor, head);
            return key == EPITAPH_KEY_CLEAN_EXIT ? EPITAPH_FILE_HAS_CLEAN_END
                                                 : EPITAPH_FILE_HAS_LAUNCH;
        }
        if (command == EPITAPH_COMMAND_ARRAY_START && key == EPITAPH_KEY_DISPLACED_HANDLERS) {
            if (skip_displaced(cursor)) continue;
            // Whatever it is, it is not a crash that could be lost.
            return EPITAPH_FILE_HAS_LAUNCH;
        }
        if (cursor->has_failed && start == cursor->count) return EPITAPH_FILE_HAS_LAUNCH;
        // In a head a zero ends the stored part.
        if (command == 0 && head_bytes > start) return EPITAPH_FILE_HAS_LAUNCH;
        cursor->at = start;
        if (is_zero(cursor)) return EPITAPH_FILE_HAS_LAUNCH;
        head->is_live = command == EPITAPH_COMMAND_MAP_START && key == EPITAPH_KEY_REPORT_REQUEST;
        return EPITAPH_FILE_HAS_CRASH;
    }
}

epitaph_file_head epitaph_file_head_read(const uint8_t *bytes, size_t count, uint64_t file_bytes) {
    epitaph_file_head head = {.contents = EPITAPH_FILE_HAS_NOTHING};
    cursor cursor = {.bytes = bytes, .count = count};
    if (!find_record(&cursor) || !read_record(&cursor, &head)) return head;
    head.contents = contents(&cursor, file_bytes, &head);
    return head;
}
