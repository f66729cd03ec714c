// SPDX-License-Identifier: Apache-2.0
//
// Where a program's .eh_frame is that no program header names: gcc's -static links without
// .eh_frame_hdr. Only the section headers say it, which are in the file, and a crash may find
// another file there, or none.

#include "facts/facts.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum {
    /// A section of a program has tens of others beside it.
    SECTION_LIMIT = 4096,
    /// Of the section that are compared with the file.
    COMPARED_BYTES = 64,
    HEADERS_BYTES = 64 * sizeof(ElfW(Phdr)),
};

static bool read_at(int file, void *bytes, size_t count, uint64_t offset) {
    return pread(file, bytes, count, (off_t)offset) == (ssize_t)count;
}

static bool is_listed(const epitaph_process_facts *facts) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)facts->program_headers_address;
    for (uint64_t i = 0; i < facts->program_header_count; i++)
        if (headers[i].p_type == PT_GNU_EH_FRAME) return true;
    return false;
}

/// The file is the one that was loaded: it has the same program headers.
static bool is_of_program(int file, const ElfW(Ehdr) * head, const epitaph_process_facts *facts) {
    uint8_t headers[HEADERS_BYTES];
    size_t bytes = head->e_phnum * sizeof(ElfW(Phdr));
    bool is_alike = memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                    head->e_phentsize == sizeof(ElfW(Phdr)) &&
                    head->e_phnum == facts->program_header_count && bytes <= sizeof headers;
    return is_alike && read_at(file, headers, bytes, head->e_phoff) &&
           memcmp(headers, (const void *)facts->program_headers_address, bytes) == 0;
}

static bool find_section(int file, const ElfW(Ehdr) * head, ElfW(Shdr) * found) {
    static const char wanted[] = ".eh_frame";
    ElfW(Shdr) names;
    char name[sizeof wanted];
    if (head->e_shentsize != sizeof names || head->e_shnum > SECTION_LIMIT) return false;
    uint64_t names_offset = head->e_shoff + (uint64_t)head->e_shstrndx * sizeof names;
    if (!read_at(file, &names, sizeof names, names_offset)) return false;
    for (uint64_t i = 0; i < head->e_shnum; i++) {
        if (!read_at(file, found, sizeof *found, head->e_shoff + i * sizeof *found)) return false;
        if ((found->sh_flags & SHF_ALLOC) == 0 || found->sh_type == SHT_NOBITS) continue;
        if (!read_at(file, name, sizeof name, names.sh_offset + found->sh_name)) continue;
        if (memcmp(name, wanted, sizeof wanted) == 0) return true;
    }
    return false;
}

/// In memory it is where the file has it, and a readable segment that nobody writes to.
static bool is_loaded(const ElfW(Shdr) * section, const epitaph_process_facts *facts) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)facts->program_headers_address;
    for (uint64_t i = 0; i < facts->program_header_count; i++) {
        const ElfW(Phdr) *segment = &headers[i];
        uint64_t offset = section->sh_addr - segment->p_vaddr;
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_R) == 0) continue;
        if (offset > segment->p_filesz || section->sh_size > segment->p_filesz - offset) continue;
        return section->sh_offset - segment->p_offset == offset;
    }
    return false;
}

void epitaph_frame_section_find(epitaph_process_facts *facts) {
    ElfW(Ehdr) head;
    ElfW(Shdr) section;
    uint8_t bytes[COMPARED_BYTES];
    facts->frames_address = facts->frames_bytes = 0;
    if (facts->program_header_count == 0 || is_listed(facts)) return;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (read_at(file, &head, sizeof head, 0) && is_of_program(file, &head, facts) &&
        find_section(file, &head, &section) && section.sh_size > sizeof bytes &&
        is_loaded(&section, facts) && read_at(file, bytes, sizeof bytes, section.sh_offset)) {
        uint64_t address = facts->load_bias + section.sh_addr;
        if (memcmp(bytes, (const void *)address, sizeof bytes) == 0) {
            facts->frames_address = address;
            facts->frames_bytes = section.sh_size;
        }
    }
    close(file);
}
