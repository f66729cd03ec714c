// SPDX-License-Identifier: Apache-2.0
//
// Writers take a lock; the handler does not. A range is valid while its size is not 0; the size is
// stored last and cleared first, also for a child forked at any moment.

#include "base/base.h"
#include "epitaph_settings.h"

static epitaph_registered_memory *find(uint64_t address, bool is_free) {
    epitaph_registered_memory *entries = epitaph_capture_settings_now.registered_memory;
    for (int i = 0; i < EPITAPH_REGISTERED_MEMORY_LIMIT; i++) {
        if (is_free ? entries[i].bytes == 0
                    : entries[i].bytes != 0 && entries[i].address == address) {
            return &entries[i];
        }
    }
    return NULL;
}

epitaph_status epitaph_memory_register(const void *address, size_t size_bytes) {
    uint64_t start = (uint64_t)address;
    if (start == 0 || size_bytes == 0 || start + size_bytes < start) return EPITAPH_INVALID_OPTION;
    epitaph_process_lock_take(EPITAPH_LOCK_REGISTERED_MEMORY);
    epitaph_registered_memory *entry = find(start, false);
    if (entry == NULL) {
        entry = find(0, true);
        if (entry != NULL) __atomic_store_n(&entry->address, start, __ATOMIC_RELEASE);
    }
    if (entry != NULL) __atomic_store_n(&entry->bytes, size_bytes, __ATOMIC_RELEASE);
    epitaph_process_lock_give(EPITAPH_LOCK_REGISTERED_MEMORY);
    return entry == NULL ? EPITAPH_NO_ROOM : EPITAPH_OK;
}

void epitaph_memory_unregister(const void *address) {
    epitaph_process_lock_take(EPITAPH_LOCK_REGISTERED_MEMORY);
    epitaph_registered_memory *entry = find((uint64_t)address, false);
    if (entry != NULL) __atomic_store_n(&entry->bytes, 0, __ATOMIC_RELEASE);
    epitaph_process_lock_give(EPITAPH_LOCK_REGISTERED_MEMORY);
}
