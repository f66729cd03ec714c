// SPDX-License-Identifier: Apache-2.0
//
// What only the program's file says, by its section headers, because a crash may find another file
// there, or none: where .eh_frame is that no program header names, as gcc's -static links without
// .eh_frame_hdr, and where a static program has an object that dlsym(3) does not find there.

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
    SYMBOL_LIMIT = 1 << 17,
    SYMBOLS_AT_ONCE = 64,
    NAME_BYTES = 32,
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

/// The file that was loaded; -1 if it is not at hand.
static int open_program(ElfW(Ehdr) * head, const epitaph_process_facts *facts) {
    int file = facts->program_header_count == 0 ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    if (read_at(file, head, sizeof *head, 0) && is_of_program(file, head, facts) &&
        head->e_shentsize == sizeof(ElfW(Shdr)) && head->e_shnum <= SECTION_LIMIT) {
        return file;
    }
    close(file);
    return -1;
}

static bool read_section(int file, const ElfW(Ehdr) * head, uint64_t index, ElfW(Shdr) * section) {
    return index < head->e_shnum &&
           read_at(file, section, sizeof *section, head->e_shoff + index * sizeof *section);
}

static bool find_frames(int file, const ElfW(Ehdr) * head, ElfW(Shdr) * found) {
    static const char wanted[] = ".eh_frame";
    ElfW(Shdr) names;
    char name[sizeof wanted];
    if (!read_section(file, head, head->e_shstrndx, &names)) return false;
    for (uint64_t i = 0; read_section(file, head, i, found); i++) {
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
    int file = is_listed(facts) ? -1 : open_program(&head, facts);
    if (file < 0) return;
    if (find_frames(file, &head, &section) && section.sh_size > sizeof bytes &&
        is_loaded(&section, facts) && read_at(file, bytes, sizeof bytes, section.sh_offset)) {
        uint64_t address = facts->load_bias + section.sh_addr;
        if (memcmp(bytes, (const void *)address, sizeof bytes) == 0) {
            facts->frames_address = address;
            facts->frames_bytes = section.sh_size;
        }
    }
    close(file);
}

/// In memory that the program may write to.
static bool is_variable(const epitaph_process_facts *facts, uint64_t file_address, uint64_t bytes) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)facts->program_headers_address;
    for (uint64_t i = 0; i < facts->program_header_count; i++) {
        uint64_t offset = file_address - headers[i].p_vaddr;
        if (headers[i].p_type != PT_LOAD || (headers[i].p_flags & PF_W) == 0) continue;
        if (offset <= headers[i].p_memsz && bytes <= headers[i].p_memsz - offset) return true;
    }
    return false;
}

typedef struct search {
    int file;
    const char *name;
    uint64_t bytes;
    /// Of the section with the names.
    uint64_t names_offset;
} search;

static uint64_t look_up(const search *search, const ElfW(Sym) * symbols, uint64_t count,
                        const epitaph_process_facts *facts) {
    char name[NAME_BYTES];
    size_t length = strlen(search->name) + 1;
    for (uint64_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &symbols[i];
        // Few are of this size: names are read one by one.
        if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size != search->bytes ||
            symbol->st_shndx == SHN_UNDEF || !is_variable(facts, symbol->st_value, search->bytes)) {
            continue;
        }
        if (!read_at(search->file, name, length, search->names_offset + symbol->st_name)) continue;
        if (memcmp(name, search->name, length) == 0) return facts->load_bias + symbol->st_value;
    }
    return 0;
}

static uint64_t search_symbols(search *search, const ElfW(Ehdr) * head,
                               const epitaph_process_facts *facts) {
    ElfW(Shdr) table, names;
    ElfW(Sym) symbols[SYMBOLS_AT_ONCE];
    uint64_t index = 0, found = 0;
    do {
        if (!read_section(search->file, head, index++, &table)) return 0;
    } while (table.sh_type != SHT_SYMTAB);
    if (!read_section(search->file, head, table.sh_link, &names)) return 0;
    search->names_offset = names.sh_offset;
    uint64_t left = table.sh_size / sizeof *symbols;
    if (left > SYMBOL_LIMIT) left = SYMBOL_LIMIT;
    for (uint64_t offset = table.sh_offset; left > 0 && found == 0;) {
        uint64_t count = left < SYMBOLS_AT_ONCE ? left : SYMBOLS_AT_ONCE;
        if (!read_at(search->file, symbols, count * sizeof *symbols, offset)) return 0;
        found = look_up(search, symbols, count, facts);
        offset += count * sizeof *symbols;
        left -= count;
    }
    return found;
}

uint64_t epitaph_program_variable_find(const epitaph_process_facts *facts, const char *name,
                                       uint64_t bytes) {
    ElfW(Ehdr) head;
    search search = {.name = name, .bytes = bytes};
    if (strlen(name) >= NAME_BYTES) return 0;
    search.file = open_program(&head, facts);
    if (search.file < 0) return 0;
    uint64_t found = search_symbols(&search, &head, facts);
    close(search.file);
    return found;
}
