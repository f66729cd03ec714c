// SPDX-License-Identifier: Apache-2.0
//
// The headers of an ELF image in memory: its range, build id and soname.

#include "modules/modules.h"

enum { HEADER_LIMIT = 48 };

/// DT_STRTAB may not be relocated (the vdso's is not): below the image it is a file address.
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

static bool read_segments(epitaph_elf_facts *facts, const epitaph_elf_head *head,
                          const Elf64_Phdr *headers, uint64_t count) {
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
            epitaph_elf_build_id_read(facts, head, &headers[i]);
        } else if (headers[i].p_type == PT_DYNAMIC) {
            facts->dynamic_address = facts->load_bias + headers[i].p_vaddr;
            facts->dynamic_bytes = headers[i].p_memsz;
        }
    }
    if (facts->dynamic_address != 0) read_soname(facts);
    return true;
}

static bool is_elf(const epitaph_elf_head *head) {
    const Elf64_Ehdr *file = &head->file;
    const unsigned char *ident = file->e_ident;
    return head->count >= sizeof *file && ident[0] == ELFMAG0 && ident[1] == ELFMAG1 &&
           ident[2] == ELFMAG2 && ident[3] == ELFMAG3 && file->e_phentsize == sizeof(Elf64_Phdr);
}

/// The program headers, usually in `head`, otherwise read into `copy`.
static const Elf64_Phdr *find_headers(const epitaph_elf_head *head, Elf64_Phdr copy[HEADER_LIMIT],
                                      uint64_t *count) {
    uint64_t wanted = head->file.e_phnum < HEADER_LIMIT ? head->file.e_phnum : HEADER_LIMIT;
    uint64_t offset = head->file.e_phoff;
    if (offset == sizeof head->file && offset + wanted * sizeof *copy <= head->count) {
        *count = wanted;
        return (const Elf64_Phdr *)(head->bytes + sizeof head->file);
    }
    *count =
        epitaph_memory_read(copy, head->address + offset, wanted * sizeof *copy) / sizeof *copy;
    return copy;
}

bool epitaph_elf_read(epitaph_elf_facts *facts, uint64_t address) {
    epitaph_elf_head head;
    Elf64_Phdr copy[HEADER_LIMIT];
    epitaph_bytes_zero(facts, sizeof *facts);
    head.address = address;
    head.count = epitaph_memory_read(head.bytes, address, EPITAPH_ELF_HEAD_BYTES);
    if (!is_elf(&head)) return false;
    uint64_t count;
    const Elf64_Phdr *segments = find_headers(&head, copy, &count);
    // The segment at offset 0 contains the ELF header; its file address gives the bias.
    for (uint64_t i = 0; i < count; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0) {
            facts->load_bias = address - segments[i].p_vaddr;
            return read_segments(facts, &head, segments, count);
        }
    }
    return false;
}

bool epitaph_elf_read_program_headers(epitaph_elf_facts *facts, uint64_t headers_address,
                                      uint64_t header_count, uint64_t load_bias) {
    Elf64_Phdr segments[HEADER_LIMIT];
    epitaph_bytes_zero(facts, sizeof *facts);
    if (header_count > HEADER_LIMIT) header_count = HEADER_LIMIT;
    uint64_t count =
        epitaph_memory_read(segments, headers_address, header_count * sizeof *segments) /
        sizeof *segments;
    facts->load_bias = load_bias;
    epitaph_elf_head none;
    none.address = 0;
    none.count = 0;
    return read_segments(facts, &none, segments, count);
}
