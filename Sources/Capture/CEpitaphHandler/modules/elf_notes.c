// SPDX-License-Identifier: Apache-2.0
//
// Reads notes in steps, usually from the first bytes of the image.

#include "modules/modules.h"

enum {
    /// Step for notes not among those bytes.
    NOTE_BYTES = 512,
    NOTE_LIMIT = 64,
};

typedef struct note_head {
    Elf64_Nhdr header;
    uint8_t rest[sizeof(uint32_t) + EPITAPH_BUILD_ID_LIMIT];
} note_head;

typedef struct note_window {
    const epitaph_elf_head *head;
    uint64_t address;
    uint64_t count;
    uint8_t bytes[NOTE_BYTES];
} note_window;

static const uint32_t gnu_name = 0x00554e47;  // "GNU"

static uint64_t read_note_bytes(note_window *window, void *buffer, uint64_t address,
                                uint64_t count) {
    const epitaph_elf_head *head = window->head;
    if (address >= head->address && address - head->address + count <= head->count) {
        epitaph_bytes_copy(buffer, head->bytes + (address - head->address), count);
        return count;
    }
    bool is_there =
        address >= window->address && address - window->address + count <= window->count;
    if (!is_there) {
        window->address = address;
        window->count = epitaph_memory_read(window->bytes, address, NOTE_BYTES);
    }
    uint64_t offset = address - window->address;
    uint64_t got = window->count - offset < count ? window->count - offset : count;
    epitaph_bytes_copy(buffer, window->bytes + offset, got);
    return got;
}

static bool copy_build_id(epitaph_elf_facts *facts, const note_head *note, uint64_t address,
                          uint64_t got) {
    uint32_t owner;
    uint32_t count = note->header.n_descsz;
    if (note->header.n_type != NT_GNU_BUILD_ID || note->header.n_namesz != sizeof owner ||
        count > EPITAPH_BUILD_ID_LIMIT || got < sizeof note->header + sizeof owner + count) {
        return false;
    }
    epitaph_bytes_copy(&owner, note->rest, sizeof owner);
    if (owner != gnu_name) return false;
    facts->build_id_address = address + sizeof note->header + sizeof owner;
    facts->build_id_bytes = count;
    epitaph_bytes_copy(facts->build_id, note->rest + sizeof owner, count);
    return true;
}

bool epitaph_build_id_is(const epitaph_elf_facts *facts, const uint8_t *bytes) {
    for (uint32_t i = 0; i < facts->build_id_bytes; i++) {
        if (facts->build_id[i] != bytes[i]) return false;
        __asm__ volatile("" : : : "memory");
    }
    return true;
}

// Padded to words, or to double words if the segment is so aligned: gabi, "Note Section".
void epitaph_elf_build_id_read(epitaph_elf_facts *facts, const epitaph_elf_head *head,
                               const Elf64_Phdr *segment) {
    const uint64_t mask = segment->p_align == 8 ? 7 : 3;
    note_window window;
    window.head = head;
    window.address = 0;
    window.count = 0;
    uint64_t start = facts->load_bias + segment->p_vaddr;
    uint64_t left = segment->p_memsz;
    for (int i = 0; i < NOTE_LIMIT && left > sizeof(Elf64_Nhdr); i++) {
        note_head note;
        uint64_t wanted = left < sizeof note ? left : sizeof note;
        uint64_t got = read_note_bytes(&window, &note, start, wanted);
        if (got < sizeof note.header || copy_build_id(facts, &note, start, got)) return;
        uint64_t value = (sizeof note.header + note.header.n_namesz + mask) & ~mask;
        uint64_t end = (value + note.header.n_descsz + mask) & ~mask;
        if (end > left) return;
        start += end;
        left -= end;
    }
}
