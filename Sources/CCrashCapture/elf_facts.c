// SPDX-License-Identifier: Apache-2.0

#include "elf_facts.h"

#include "bytes.h"
#include "epitaph_capture.h"
#include "memory.h"

#include <elf.h>

enum { HEADER_LIMIT = 32, NOTE_BYTES = 1024 };

/// The first bytes of an image: its headers and, as linkers put them, its notes.
typedef struct elf_head {
    uint64_t address;
    uint64_t count;
    union {
        uint8_t bytes[EPITAPH_ELF_HEAD_BYTES];
        Elf64_Ehdr file;
    };
} elf_head;

static const uint32_t gnu_name = 0x00554e47;  // "GNU"

static uint64_t aligned(uint64_t value) {
    return (value + 3) & ~3ull;
}

/// Looks for NT_GNU_BUILD_ID among the notes of one segment, of which `head` may have a copy.
static void read_build_id(epitaph_elf_facts *facts, const elf_head *head, uint64_t address,
                          uint64_t count) {
    uint8_t copy[NOTE_BYTES];
    const uint8_t *notes = copy;
    size_t got = count < NOTE_BYTES ? (size_t)count : NOTE_BYTES;
    if (address >= head->address && address - head->address + got <= head->count) {
        notes = head->bytes + (address - head->address);
    } else {
        got = epitaph_memory_read(copy, address, got);
    }
    for (uint64_t i = 0; i + sizeof(Elf64_Nhdr) <= got;) {
        Elf64_Nhdr note;
        epitaph_bytes_copy(&note, notes + i, sizeof note);
        uint64_t name = i + sizeof note;
        uint64_t value = name + aligned(note.n_namesz);
        uint64_t end = value + aligned(note.n_descsz);
        if (end > got) return;
        uint32_t owner = 0;
        if (note.n_namesz == sizeof owner) epitaph_bytes_copy(&owner, notes + name, sizeof owner);
        if (note.n_type == NT_GNU_BUILD_ID && owner == gnu_name &&
            note.n_descsz <= EPITAPH_BUILD_ID_LIMIT) {
            facts->build_id_bytes = note.n_descsz;
            epitaph_bytes_copy(facts->build_id, notes + value, note.n_descsz);
            return;
        }
        i = end;
    }
}

/// The loader may have relocated DT_STRTAB or not (the vdso's is not), so an address below the
/// image is a file address.
static void read_soname(epitaph_elf_facts *facts) {
    Elf64_Dyn entries[EPITAPH_ELF_DYNAMIC_BYTES / sizeof(Elf64_Dyn)];
    uint64_t wanted = facts->dynamic_bytes;
    if (wanted > sizeof entries) wanted = sizeof entries;
    size_t count = epitaph_memory_read(entries, facts->dynamic_address, wanted) / sizeof *entries;
    uint64_t strings = 0;
    uint64_t name = 0;
    bool has_name = false;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
        if (entries[i].d_tag == DT_STRTAB) strings = entries[i].d_un.d_ptr;
        if (entries[i].d_tag != DT_SONAME) continue;
        name = entries[i].d_un.d_val;
        has_name = true;
    }
    if (!has_name || strings == 0) return;
    if (strings < facts->start) strings += facts->load_bias;
    epitaph_memory_read_text(facts->soname, sizeof facts->soname, strings + name);
}

static bool read_segments(epitaph_elf_facts *facts, const elf_head *head, const Elf64_Phdr *headers,
                          uint64_t count) {
    uint64_t page_mask = epitaph_capture_settings_now.facts.page_size - 1;
    uint64_t lowest = UINT64_MAX;
    uint64_t highest = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD) continue;
        uint64_t end = headers[i].p_vaddr + headers[i].p_memsz;
        if (headers[i].p_vaddr < lowest) lowest = headers[i].p_vaddr;
        if (end > highest) highest = end;
    }
    if (lowest >= highest) return false;
    facts->start = facts->load_bias + (lowest & ~page_mask);
    facts->end = (facts->load_bias + highest + page_mask) & ~page_mask;
    for (uint64_t i = 0; i < count; i++) {
        if (headers[i].p_type == PT_NOTE && facts->build_id_bytes == 0) {
            read_build_id(facts, head, facts->load_bias + headers[i].p_vaddr, headers[i].p_memsz);
        } else if (headers[i].p_type == PT_DYNAMIC) {
            facts->dynamic_address = facts->load_bias + headers[i].p_vaddr;
            facts->dynamic_bytes = headers[i].p_memsz;
        }
    }
    if (facts->dynamic_address != 0) read_soname(facts);
    return true;
}

bool epitaph_elf_read(epitaph_elf_facts *facts, uint64_t address) {
    elf_head head;
    epitaph_bytes_zero(facts, sizeof *facts);
    head.address = address;
    head.count = epitaph_memory_read(head.bytes, address, EPITAPH_ELF_HEAD_BYTES);
    const unsigned char *ident = head.file.e_ident;
    if (head.count < sizeof head.file || ident[0] != ELFMAG0 || ident[1] != ELFMAG1 ||
        ident[2] != ELFMAG2 || ident[3] != ELFMAG3 || head.file.e_phentsize != sizeof(Elf64_Phdr) ||
        head.file.e_phoff != sizeof head.file) {
        return false;
    }
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(head.bytes + sizeof head.file);
    uint64_t count = (head.count - sizeof head.file) / sizeof *segments;
    if (head.file.e_phnum < count) count = head.file.e_phnum;
    // The segment that holds the ELF header is at offset 0; its address in the file gives the bias.
    for (uint64_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0) {
            facts->load_bias = address - segments[i].p_vaddr;
            return read_segments(facts, &head, segments, count);
        }
    }
    return false;
}

bool epitaph_elf_read_program_headers(epitaph_elf_facts *facts, uint64_t headers_address,
                                      uint64_t header_count) {
    Elf64_Phdr segments[HEADER_LIMIT];
    epitaph_bytes_zero(facts, sizeof *facts);
    if (header_count > HEADER_LIMIT) header_count = HEADER_LIMIT;
    uint64_t count =
        epitaph_memory_read(segments, headers_address, header_count * sizeof *segments) /
        sizeof *segments;
    for (uint64_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_PHDR) facts->load_bias = headers_address - segments[i].p_vaddr;
    }
    elf_head none;
    none.address = 0;
    none.count = 0;
    return read_segments(facts, &none, segments, count);
}
