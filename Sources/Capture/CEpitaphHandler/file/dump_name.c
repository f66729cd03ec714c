// SPDX-License-Identifier: Apache-2.0
//
// UUIDs, and the names of dump and breadcrumb files.

#include "epitaph_file.h"

#include "epitaph_settings.h"
#include "system/sys.h"

#include <errno.h>
#include <time.h>

enum {
    UUID_BYTES = 16,
    /// RFC 9562: version 4 is random; the meaning of version 8 is up to the maker.
    RANDOM_VERSION = 4,
    HANDED_OUT_VERSION = 8,
};

static const char locked_suffix[] = EPITAPH_LOCKED_ENDING;
static const char breadcrumbs_suffix[] = ".breadcrumbs";

/// Unique for a machine without entropy, just booted. O_EXCL makes secrecy unnecessary.
static void make_without_chance(uint8_t uuid[UUID_BYTES]) {
    static uint32_t count;
    struct {
        uint64_t time_ns;
        uint32_t uptime_ns;
        uint32_t process;
    } parts;
    _Static_assert(sizeof parts == UUID_BYTES, "the parts are a UUID");
    uint32_t number = __atomic_fetch_add(&count, 1, __ATOMIC_RELEASE);
    parts.time_ns = epitaph_sys_clock_ns(CLOCK_REALTIME);
    parts.uptime_ns = (uint32_t)epitaph_sys_clock_ns(CLOCK_MONOTONIC) + number;
    parts.process = (uint32_t)epitaph_sys_getpid();
    epitaph_bytes_copy(uuid, &parts, UUID_BYTES);
}

static long make(uint8_t uuid[UUID_BYTES], unsigned version) {
    long got = epitaph_sys_getrandom(uuid, UUID_BYTES);
    if (got == -EAGAIN) {
        make_without_chance(uuid);
    } else if (got != UUID_BYTES) {
        return got < 0 ? got : -1;
    }
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | version << 4);
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
    return 0;
}

long epitaph_uuid_make(uint8_t uuid[16]) {
    return make(uuid, RANDOM_VERSION);
}

long epitaph_dump_uuid_make_handed_out(uint8_t uuid[16]) {
    return make(uuid, HANDED_OUT_VERSION);
}

bool epitaph_dump_uuid_is_handed_out(const uint8_t uuid[16]) {
    return uuid[6] >> 4 == HANDED_OUT_VERSION;
}

/// RFC 9562, section 4.
static bool has_hyphen_before(int byte) {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void epitaph_uuid_write(char text[EPITAPH_UUID_TEXT_BYTES + 1], const uint8_t uuid[16]) {
    for (int i = 0; i < UUID_BYTES; i++) {
        if (has_hyphen_before(i)) *text++ = '-';
        *text++ = epitaph_hex_digit(uuid[i] >> 4);
        *text++ = epitaph_hex_digit(uuid[i] & 15);
    }
    *text = 0;
}

bool epitaph_uuid_read(const char *text, uint8_t uuid[16]) {
    uint8_t read[UUID_BYTES];
    for (int i = 0; i < UUID_BYTES; i++) {
        if (has_hyphen_before(i) && *text++ != '-') return false;
        unsigned high = epitaph_hex_value(text[0]);
        if (high > 15) return false;
        unsigned low = epitaph_hex_value(text[1]);
        if (low > 15) return false;
        read[i] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    epitaph_bytes_copy(uuid, read, sizeof read);
    return true;
}

void epitaph_dump_name_make(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]) {
    size_t length = 0;
    epitaph_text_append(name, EPITAPH_BUNDLE_ID_SIZE, &length,
                        epitaph_capture_settings_now.bundle_id);
    epitaph_text_append(name, EPITAPH_DUMP_NAME_SIZE, &length, "@");
    epitaph_uuid_write(name + length, uuid);
    length += EPITAPH_UUID_TEXT_BYTES;
    epitaph_text_append(name, EPITAPH_DUMP_NAME_SIZE, &length, locked_suffix);
}

static bool begins_with(const char *text, size_t length, const char *beginning, size_t count) {
    if (length < count) return false;
    for (size_t i = 0; i < count; i++) {
        if (text[i] != beginning[i]) return false;
    }
    return true;
}

const char *epitaph_dump_name_uuid(const char *name, size_t limit, const char *bundle_id,
                                   bool *is_locked) {
    size_t length = epitaph_text_length(name, limit);
    size_t bundle_bytes = epitaph_text_length(bundle_id, EPITAPH_BUNDLE_ID_SIZE);
    size_t sealed_bytes = bundle_bytes + 1 + EPITAPH_UUID_TEXT_BYTES;
    if (length < sealed_bytes || length >= EPITAPH_DUMP_NAME_SIZE) return NULL;
    if (!begins_with(name, length, bundle_id, bundle_bytes) || name[bundle_bytes] != '@')
        return NULL;
    uint8_t uuid[UUID_BYTES];
    if (!epitaph_uuid_read(name + bundle_bytes + 1, uuid)) return NULL;
    const char *ending = name + sealed_bytes;
    size_t ending_bytes = length - sealed_bytes;
    *is_locked = ending_bytes == sizeof locked_suffix - 1 &&
                 begins_with(ending, ending_bytes, locked_suffix, ending_bytes);
    return ending_bytes == 0 || *is_locked ? name + bundle_bytes + 1 : NULL;
}

bool epitaph_uuid_text_is_handed_out(const char *text) {
    enum { VERSION_PLACE = 14 };
    return text[VERSION_PLACE] == '0' + HANDED_OUT_VERSION;
}

bool epitaph_dump_name_of_breadcrumbs(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]) {
    epitaph_dump_name_make(name, uuid);
    size_t length = epitaph_text_length(name, EPITAPH_DUMP_NAME_SIZE);
    if (length < sizeof locked_suffix) return false;
    length -= sizeof locked_suffix - 1;
    if (length + sizeof breadcrumbs_suffix > EPITAPH_DUMP_NAME_SIZE) return false;
    name[length] = 0;
    epitaph_text_append(name, EPITAPH_DUMP_NAME_SIZE, &length, breadcrumbs_suffix);
    return true;
}

bool epitaph_dump_name_seal(char sealed[EPITAPH_DUMP_NAME_SIZE],
                            const char locked[EPITAPH_DUMP_NAME_SIZE]) {
    size_t length = epitaph_text_length(locked, EPITAPH_DUMP_NAME_SIZE);
    if (length < sizeof locked_suffix) return false;
    epitaph_bytes_copy(sealed, locked, length);
    sealed[length - (sizeof locked_suffix - 1)] = 0;
    return true;
}
