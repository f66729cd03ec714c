// SPDX-License-Identifier: Apache-2.0
//
// Whose function a name leads to. dlsym(3) answers that, but for a program that is not
// position-independent and takes the function's address: for all of the process, that is the
// program's own entry of its procedure linkage table (psABI 5.2, "Function Addresses"). The
// program's symbol is then undefined and has a value; calls pass it over, and reach the first
// definition in the order of loading.

#ifndef EPITAPH_HEAP_IS_WRAPPED

#include "heap.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/// Of one object: a program, or a library.
typedef struct symbol_tables {
    uintptr_t symbols;
    uintptr_t names;
    uintptr_t hash;
    uintptr_t gnu_hash;
} symbol_tables;

typedef struct lookup {
    const char *name;
    /// What dlsym(3) answers.
    uintptr_t answer;
    bool is_entry;
    /// The first one; 0: not found yet.
    uintptr_t definition;
} lookup;

static bool has(const struct dl_phdr_info *object, uintptr_t address) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address - start < segment->p_memsz) return true;
    }
    return false;
}

/// glibc adds the load bias in the dynamic section itself, where that can be written; musl does
/// not. False if the address is in the object neither way.
static bool place(const struct dl_phdr_info *object, uintptr_t address, uintptr_t *placed) {
    *placed = has(object, address) ? address : object->dlpi_addr + address;
    return has(object, *placed);
}

static bool read_dynamic(const struct dl_phdr_info *object, const ElfW(Dyn) * entry,
                         symbol_tables *tables) {
    for (; entry->d_tag != DT_NULL; entry++) {
        uintptr_t *table = NULL;
        switch (entry->d_tag) {
        case DT_SYMTAB: table = &tables->symbols; break;
        case DT_STRTAB: table = &tables->names; break;
        case DT_HASH: table = &tables->hash; break;
        case DT_GNU_HASH: table = &tables->gnu_hash; break;
        }
        if (table != NULL && !place(object, entry->d_un.d_ptr, table)) return false;
    }
    return true;
}

static bool find_tables(const struct dl_phdr_info *object, symbol_tables *tables) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_DYNAMIC) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        return read_dynamic(object, (const ElfW(Dyn) *)start, tables);
    }
    return true;
}

/// Of any version: another allocator is one by whatever name it was asked for.
static void compare(lookup *lookup, uintptr_t bias, const symbol_tables *tables, uint32_t index) {
    const ElfW(Sym) *symbol = (const ElfW(Sym) *)tables->symbols + index;
    const char *names = (const char *)tables->names;
    if (strcmp(names + symbol->st_name, lookup->name) != 0) return;
    uintptr_t address = bias + symbol->st_value;
    if (symbol->st_shndx != SHN_UNDEF) {
        lookup->definition = address;
    } else if (address == lookup->answer) {
        lookup->is_entry = true;
    }
}

/// The table's head: the number of buckets, the first symbol that has a hash, and the number of
/// words, of an address's size, of a filter. It ends with a hash for each symbol, of which the
/// lowest bit marks the last of a bucket.
static void compare_bucket(lookup *lookup, uintptr_t bias, const symbol_tables *tables) {
    const uint32_t *head = (const uint32_t *)tables->gnu_hash;
    const uint32_t *buckets = head + 4 + head[2] * (sizeof(ElfW(Addr)) / sizeof *head);
    const uint32_t *hashes = buckets + head[0];
    uint32_t hash = 5381;
    for (const char *letter = lookup->name; *letter != 0; letter++)
        hash = hash * 33 + (unsigned char)*letter;
    uint32_t index = head[0] == 0 ? 0 : buckets[hash % head[0]];
    if (index < head[1]) return;
    do {
        compare(lookup, bias, tables, index);
    } while ((hashes[index++ - head[1]] & 1) == 0);
}

/// Returns 1 to see no more objects.
static int look(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    lookup *lookup = context;
    symbol_tables tables = {0};
    if (!find_tables(object, &tables)) return 1;
    if (tables.gnu_hash != 0) {
        compare_bucket(lookup, object->dlpi_addr, &tables);
    } else if (tables.hash != 0) {
        // Its second word is the number of symbols.
        uint32_t count = ((const uint32_t *)tables.hash)[1];
        for (uint32_t i = 0; i < count; i++)
            compare(lookup, object->dlpi_addr, &tables, i);
    }
    return lookup->definition != 0;
}

bool epitaph_heap_is_reached(const char *name, const void *function) {
    lookup lookup = {.name = name, .answer = (uintptr_t)dlsym(RTLD_DEFAULT, name)};
    if (lookup.answer == (uintptr_t)function) return true;
    dl_iterate_phdr(look, &lookup);
    return lookup.is_entry && lookup.definition == (uintptr_t)function;
}

#endif
