// SPDX-License-Identifier: Apache-2.0
//
// A table with an entry for each file that a forked child has made. Parent and children share it: a
// child may be another user by then, so what it says decides about nothing but which names of
// handed-out files are looked at, as every sweep does with all of them.

#include "files/files.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_placement.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

typedef enum place_state { FREE, BEING_TAKEN, IN_USE } place_state;

typedef struct place {
    /// A `place_state`, and from bit 2 on how often the place was given up: who looks at a file
    /// gives up no place that another child has taken meanwhile. A child that is killed while it
    /// takes one leaves it taken.
    uint32_t state;
    uint8_t uuid[16];
    /// When the child began to make the file, CLOCK_MONOTONIC seconds.
    int64_t begun;
} place;

enum { STATE_MASK = 3, USE = 4 };

/// PLACE_COUNT; NULL without memory.
static place *places;
static int32_t maker_pid;
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
    static EPITAPH_SPARSE uint8_t start[EPITAPH_FILE_START_BYTES];
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

static uint32_t state_of(const place *place) {
    return __atomic_load_n(&place->state, __ATOMIC_ACQUIRE);
}

/// A child that is root again, after seteuid(2), looks after files as well. To open its own would
/// give up the lock (fcntl(2)) by which others see that its owner lives.
static bool is_own(const uint8_t uuid[16]) {
    const epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    return epitaph_process_is_owner() && memcmp(file->uuid, uuid, sizeof file->uuid) == 0;
}

static void look_at(int directory, place *place) {
    char name[EPITAPH_DUMP_NAME_SIZE];
    uint8_t uuid[sizeof place->uuid];
    uint32_t state = state_of(place);
    if ((state & STATE_MASK) != IN_USE) return;
    memcpy(uuid, place->uuid, sizeof uuid);
    if (is_own(uuid)) return;
    int64_t begun = place->begun;
    epitaph_dump_name_make(name, uuid);
    if (epitaph_dump_uuid_is_handed_out(uuid) && !is_settled(directory, name, begun)) return;
    uint32_t given_up = (state & ~(uint32_t)STATE_MASK) + USE;
    __atomic_compare_exchange_n(&place->state, &state, given_up, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
}

static int count_used(void) {
    int count = 0;
    for (int i = 0; places != NULL && i < PLACE_COUNT; i++)
        count += (state_of(&places[i]) & STATE_MASK) == IN_USE;
    return count;
}

bool epitaph_handed_out_any(void) {
    return count_used() > 0;
}

void epitaph_handed_out_look_after(void) {
    epitaph_process_page *page = epitaph_process_page_get();
    uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&page->looks_after_files, &nobody, 1, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        return;
    }
    int used = count_used();
    int directory = used > 0 ? epitaph_pending_directory() : -1;
    int count = used < PLACE_COUNT ? LOOKED_AT : LOOKED_AT_IF_FULL;
    for (int i = 0, looked_at = 0; directory >= 0 && i < PLACE_COUNT && looked_at < count; i++) {
        place *place = &places[next_place++ % PLACE_COUNT];
        if ((state_of(place) & STATE_MASK) != IN_USE) continue;
        look_at(directory, place);
        looked_at++;
    }
    __atomic_store_n(&page->looks_after_files, 0, __ATOMIC_RELEASE);
}

bool epitaph_handed_out_take_place(uint8_t uuid[16]) {
    if (epitaph_dump_uuid_make_handed_out(uuid) != 0) return false;
    for (int i = 0; places != NULL && i < PLACE_COUNT; i++) {
        place *place = &places[i];
        uint32_t state = state_of(place);
        if ((state & STATE_MASK) != FREE) continue;
        if (!__atomic_compare_exchange_n(&place->state, &state, state | BEING_TAKEN, 0,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            continue;
        }
        memcpy(place->uuid, uuid, sizeof place->uuid);
        place->begun = now();
        __atomic_store_n(&place->state, state | IN_USE, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

void epitaph_handed_out_prepare(void) {
    if (places != NULL && maker_pid == getpid()) return;
    void *made = mmap(NULL, PLACE_COUNT * sizeof *places, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    // A forked child that starts for itself leaves its parent's.
    places = made == MAP_FAILED ? NULL : made;
    maker_pid = getpid();
}
