// SPDX-License-Identifier: Apache-2.0
//
// A table with an entry for each forked child that was given a file.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PLACE_COUNT = 64,
    /// Each fork adds one entry, so checking two catches up.
    LOOKED_AT = 2,
    /// If no entry is free.
    LOOKED_AT_IF_FULL = 16,
    /// A child without a file by then creates none, or has sealed it.
    MAKING_SECONDS = 2,
};

typedef enum place_state { FREE, RESERVED, IN_USE } place_state;

/// Only an entry that is not free has an id.
typedef struct place {
    uint32_t state;
    uint8_t uuid[16];
    /// Time of the fork, CLOCK_MONOTONIC seconds.
    int64_t begun;
} place;

static place places[PLACE_COUNT];
static uint32_t next_place;

static int64_t now(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static void seal(int directory, const char *name) {
    char sealed[EPITAPH_DUMP_NAME_SIZE];
    if (epitaph_dump_name_seal(sealed, name)) renameat(directory, name, directory, sealed);
}

/// Whether the file is dealt with. Its contents are the child's and decide only about this file.
static bool is_settled(int directory, const char *name, int64_t begun) {
    // Static because the stack may be small; only one thread at a time is here.
    static uint8_t start[EPITAPH_FILE_START_BYTES];
    epitaph_file_head head;
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT && now() - begun > MAKING_SECONDS;
    }
    if (epitaph_file_owner_ask(directory, name, &status, &head, start) == EPITAPH_OWNER_IS_ALIVE) {
        return false;
    }
    if (head.contents == EPITAPH_FILE_HAS_CRASH) {
        seal(directory, name);
    } else {
        epitaph_waiting_name_remove(directory, name);
    }
    return true;
}

static void look_at(int directory, place *place) {
    char name[EPITAPH_DUMP_NAME_SIZE];
    if (__atomic_load_n(&place->state, __ATOMIC_ACQUIRE) != IN_USE) return;
    epitaph_dump_name_make(name, place->uuid);
    if (is_settled(directory, name, place->begun)) {
        __atomic_store_n(&place->state, FREE, __ATOMIC_RELEASE);
    }
}

static bool has_free_place(void) {
    for (int i = 0; i < PLACE_COUNT; i++) {
        if (__atomic_load_n(&places[i].state, __ATOMIC_ACQUIRE) == FREE) return true;
    }
    return false;
}

void epitaph_handed_out_look_after(void) {
    epitaph_process_page *page = epitaph_process_page_get();
    uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&page->looks_after_files, &nobody, 1, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        return;
    }
    int directory = epitaph_pending_directory();
    int count = has_free_place() ? LOOKED_AT : LOOKED_AT_IF_FULL;
    for (int i = 0, looked_at = 0; directory >= 0 && i < PLACE_COUNT && looked_at < count; i++) {
        place *place = &places[next_place++ % PLACE_COUNT];
        if (__atomic_load_n(&place->state, __ATOMIC_ACQUIRE) != IN_USE) continue;
        look_at(directory, place);
        looked_at++;
    }
    __atomic_store_n(&page->looks_after_files, 0, __ATOMIC_RELEASE);
}

int epitaph_handed_out_reserve(uint8_t uuid[16]) {
    for (int i = 0; i < PLACE_COUNT; i++) {
        uint32_t present = FREE;
        if (!__atomic_compare_exchange_n(&places[i].state, &present, RESERVED, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            continue;
        }
        if (epitaph_dump_uuid_make_handed_out(uuid) == 0) {
            memcpy(places[i].uuid, uuid, sizeof places[i].uuid);
            return i;
        }
        __atomic_store_n(&places[i].state, FREE, __ATOMIC_RELEASE);
        break;
    }
    return -1;
}

void epitaph_handed_out_begin(int index) {
    places[index].begun = now();
    __atomic_store_n(&places[index].state, IN_USE, __ATOMIC_RELEASE);
}

void epitaph_handed_out_forget(void) {
    memset(places, 0, sizeof places);
    next_place = 0;
}
