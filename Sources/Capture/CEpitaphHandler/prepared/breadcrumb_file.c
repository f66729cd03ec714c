// SPDX-License-Identifier: Apache-2.0
//
// A shared counter gives each writer its own bytes, until it wraps around. Only checksums expose an
// entry whose writer was killed, or suspended until others had wrapped around.

#include "epitaph_breadcrumb_storage.h"

#include "epitaph_notes.h"
#include "epitaph_process.h"
#include "system/sys.h"

_Static_assert(sizeof(epitaph_breadcrumb_file_header) == EPITAPH_BREADCRUMB_FILE_HEADER_BYTES,
               "the header has its size");
_Static_assert(offsetof(epitaph_breadcrumb_file_header, next) == 128, "docs/breadcrumb-file.md");
_Static_assert(sizeof(epitaph_breadcrumb_entry) == 40, "docs/breadcrumb-file.md");

enum { WORD_BYTES = 8 };

static const uint64_t seed = 0x4550495442524352;
static const uint64_t factor = 0x9e3779b97f4a7c15;

typedef struct unaligned_word {
    uint64_t value;
} __attribute__((packed, may_alias)) unaligned_word;

static uint64_t mix(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * factor;
    return sum ^ sum >> 32;
}

/// In words of eight bytes, the last padded with zeros.
uint64_t epitaph_breadcrumb_checksum(uint64_t sum, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    for (; count >= WORD_BYTES; count -= WORD_BYTES, next += WORD_BYTES)
        sum = mix(sum, ((const unaligned_word *)next)->value);
    if (count == 0) return sum;
    uint64_t last = 0;
    epitaph_bytes_copy(&last, next, count);
    return mix(sum, last);
}

uint64_t epitaph_breadcrumb_checksum_seed(void) {
    return seed;
}

static epitaph_breadcrumb_file *present_file(void) {
    epitaph_process_page *page = __atomic_load_n(&epitaph_process_page_now, __ATOMIC_ACQUIRE);
    return page == NULL ? NULL : __atomic_load_n(&page->breadcrumb_file, __ATOMIC_ACQUIRE);
}

/// Copies to a place of the ring, wrapping around.
static void copy_in(const epitaph_breadcrumb_file *file, uint64_t place, const void *bytes,
                    size_t count) {
    uint8_t *data = file->memory + EPITAPH_BREADCRUMB_FILE_HEADER_BYTES;
    uint64_t offset = place % file->data_bytes;
    uint64_t room = file->data_bytes - offset;
    size_t first = count < room ? count : (size_t)room;
    epitaph_bytes_copy(data + offset, bytes, first);
    if (first < count) epitaph_bytes_copy(data, (const uint8_t *)bytes + first, count - first);
}

void epitaph_breadcrumb_file_put(const epitaph_new_breadcrumb *new) {
    const epitaph_breadcrumb_file *file = present_file();
    if (file == NULL) return;
    epitaph_breadcrumb_file_header *header = (epitaph_breadcrumb_file_header *)file->memory;
    epitaph_breadcrumb_entry entry;
    epitaph_bytes_zero(&entry, sizeof entry);
    size_t category =
        epitaph_text_fitting(new->category, new->category_bytes, EPITAPH_BREADCRUMB_CATEGORY_SIZE);
    size_t message = epitaph_text_fitting(new->message, new->message_bytes,
                                          EPITAPH_BREADCRUMB_FILE_MESSAGE_SIZE);
    entry.time_ns = new->time_ns;
    entry.monotonic_ns = new->monotonic_ns;
    entry.message_bytes = (uint16_t)message;
    entry.category_bytes = (uint8_t)category;
    entry.level = new->level;
    entry.is_cut = category < new->category_bytes || message < new->message_bytes;
    const uint64_t grain = EPITAPH_BREADCRUMB_FILE_GRAIN_BYTES;
    uint64_t size = (sizeof entry + category + message + grain - 1) / grain * grain;
    // Another process may corrupt `next`: stay in the file, and keep headers in one piece.
    uint64_t place = __atomic_fetch_add(&header->next, size, __ATOMIC_RELAXED) / grain * grain;
    if (__atomic_load_n(&header->next, __ATOMIC_RELAXED) - place > file->data_bytes) {
        __atomic_fetch_add(&header->dropped_count, 1, __ATOMIC_RELAXED);
        return;
    }
    entry.position = place;
    uint64_t sum =
        epitaph_breadcrumb_checksum(seed, &entry.position, sizeof entry - sizeof entry.checksum);
    sum = epitaph_breadcrumb_checksum(sum, new->category, category);
    entry.checksum = epitaph_breadcrumb_checksum(sum, new->message, message);
    copy_in(file, place, &entry, sizeof entry);
    copy_in(file, place + sizeof entry, new->category, category);
    copy_in(file, place + sizeof entry + category, new->message, message);
}

void epitaph_breadcrumb_file_clear(void) {
    const epitaph_breadcrumb_file *file = present_file();
    if (file == NULL) return;
    epitaph_breadcrumb_file_header *header = (epitaph_breadcrumb_file_header *)file->memory;
    epitaph_bytes_zero(file->memory + EPITAPH_BREADCRUMB_FILE_HEADER_BYTES, file->data_bytes);
    __atomic_store_n(&header->dropped_count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&header->next, 0, __ATOMIC_RELAXED);
}

bool epitaph_breadcrumb_file_is_there(uint8_t uuid[16]) {
    const epitaph_breadcrumb_file *file = present_file();
    if (file == NULL) return false;
    epitaph_bytes_copy(uuid, file->uuid, sizeof file->uuid);
    return true;
}

bool epitaph_breadcrumb_file_is_lost(void) {
    const epitaph_breadcrumb_file *file = present_file();
    return file != NULL && __atomic_load_n(&file->is_lost, __ATOMIC_ACQUIRE) != 0;
}

bool epitaph_breadcrumb_file_mend(int signal, const siginfo_t *info) {
    epitaph_breadcrumb_file *file = present_file();
    if (file == NULL || signal != SIGBUS || info->si_code != BUS_ADRERR) return false;
    uint64_t offset = (uint64_t)info->si_addr - (uint64_t)file->memory;
    // Under a program's filter we can only die of it.
    if (offset >= file->mapped_bytes || epitaph_filters_have_come()) return false;
    if (epitaph_sys_map_over(file->memory, file->mapped_bytes) < 0) return false;
    __atomic_store_n(&file->is_lost, 1, __ATOMIC_RELEASE);
    return true;
}
