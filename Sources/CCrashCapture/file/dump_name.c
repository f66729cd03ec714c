// SPDX-License-Identifier: Apache-2.0
//
// The names of dump files: `<bundle-id>@<uuid>.locked`, and the same without `.locked`; and those
// of breadcrumb files.

#include "epitaph_dump_name.h"

#include "epitaph_dump_file_state.h"
#include "epitaph_settings.h"
#include "system/bytes.h"
#include "system/sys.h"

#include <errno.h>
#include <time.h>

enum {
    UUID_BYTES = 16,
    /// RFC 9562: version 4 is random; in version 8 the maker defines the meaning of the bits.
    RANDOM_VERSION = 4,
    HANDED_OUT_VERSION = 8,
};

static const char locked_suffix[] = ".locked";
static const char breadcrumbs_suffix[] = ".breadcrumbs";

/// For a machine that has only just booted: a unique name. Files are made with O_EXCL, so it need
/// not be secret.
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

static void append_uuid(char *name, size_t *length, const uint8_t uuid[UUID_BYTES]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) name[(*length)++] = '-';
        name[(*length)++] = digits[uuid[i] >> 4];
        name[(*length)++] = digits[uuid[i] & 15];
    }
    name[*length] = 0;
}

void epitaph_dump_name_make(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]) {
    size_t length = 0;
    epitaph_text_append(name, EPITAPH_BUNDLE_ID_SIZE, &length,
                        epitaph_capture_settings_now.bundle_id);
    epitaph_text_append(name, EPITAPH_DUMP_NAME_SIZE, &length, "@");
    append_uuid(name, &length, uuid);
    epitaph_text_append(name, EPITAPH_DUMP_NAME_SIZE, &length, locked_suffix);
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
