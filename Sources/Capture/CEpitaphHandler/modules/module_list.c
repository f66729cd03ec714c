// SPDX-License-Identifier: Apache-2.0
//
// Follows the dynamic linker's own list (`struct r_debug`, link.h) as untrusted memory:
// dl_iterate_phdr(3) takes the loader's lock, which the dying thread may hold.

#include "modules/modules.h"

static epitaph_range range_of(const void *start, uint64_t count) {
    epitaph_range range = {(uint64_t)start, (uint64_t)start + count};
    return range;
}

// A call for each of a hundred libraries' parts would be a tenth of the crash time. `known`: of a
/// library whose build id has only to be compared.
static void read_ahead(const struct link_map *entry, bool is_wanted,
                       const epitaph_elf_facts *known) {
    epitaph_range ranges[] = {
        range_of(entry->l_next, sizeof *entry),
        range_of(entry->l_name, EPITAPH_SHORT_TEXT_SIZE),
        range_of((const void *)entry->l_addr, EPITAPH_ELF_HEAD_BYTES),
        range_of(entry->l_ld, EPITAPH_ELF_DYNAMIC_BYTES),
    };
    uint32_t end = !is_wanted ? 1 : known == NULL ? 4 : 3;
    if (known != NULL) {
        ranges[2] = range_of((const void *)known->build_id_address, known->build_id_bytes);
    }
    uint32_t skipped = entry->l_next != NULL ? 0 : 1;
    epitaph_memory_read_ahead(ranges + skipped, end - skipped);
}

static bool is_unchanged(const epitaph_elf_facts *known) {
    uint8_t build_id[EPITAPH_BUILD_ID_LIMIT];
    uint32_t count = known->build_id_bytes;
    if (!epitaph_memory_read_exactly(build_id, known->build_id_address, count)) return false;
    return epitaph_build_id_is(known, build_id);
}

// glibc 2.35's `struct r_debug_extended`, link.h.
typedef struct loader_list {
    struct r_debug debug;
    uint64_t next;
} loader_list;

enum {
    /// From this `r_version` on there may be lists besides the program's own.
    LISTS_VERSION = 2,
    /// DL_NNS of glibc, sysdeps/generic/ldsodefs.h.
    LIST_LIMIT = 16,
};

/// Libraries of dlmopen(3), and those in LD_AUDIT, have lists of their own. Returns the next list's
/// first entry; 0 after the last. `count` is of those that were seen.
static uint64_t next_list(const struct r_debug *debug, loader_list *list, uint32_t *count) {
    if (debug->r_version < LISTS_VERSION) return 0;
    while (*count < LIST_LIMIT) {
        uint64_t program = epitaph_capture_settings_now.facts.r_debug_address;
        uint64_t address = *count == 0 ? program : list->next;
        if (address == 0 || !epitaph_memory_read_exactly(list, address, sizeof *list)) return 0;
        bool is_program = (*count)++ == 0;
        if (!is_program && list->debug.r_map != NULL) return (uint64_t)list->debug.r_map;
    }
    return 0;
}

bool epitaph_loader_read(struct r_debug *debug) {
    uint64_t address = epitaph_capture_settings_now.facts.r_debug_address;
    return address != 0 && epitaph_memory_read_exactly(debug, address, sizeof *debug);
}

epitaph_list_end epitaph_modules_visit(const struct r_debug *debug, epitaph_module_find find_known,
                                       void *argument, epitaph_module_visit visit) {
    uint64_t vdso = epitaph_capture_settings_now.facts.vdso_address;
    uint64_t next = (uint64_t)debug->r_map;
    epitaph_listed_module module;
    epitaph_elf_facts facts;
    uint32_t count = 0;
    loader_list list;
    uint32_t list_count = 0;
    for (; count < EPITAPH_MODULE_LIMIT; count++) {
        if (next == 0) next = next_list(debug, &list, &list_count);
        if (next == 0) break;
        module.address = next;
        if (!epitaph_memory_read_exactly(&module.entry, next, sizeof module.entry)) break;
        next = (uint64_t)module.entry.l_next;
        bool is_loader = module.entry.l_addr == debug->r_ldbase;
        // The first one is the executable. Each list has the loader.
        bool is_wanted = count > 0 && module.entry.l_addr != vdso && !(is_loader && list_count > 0);
        const epitaph_elf_facts *known = NULL;
        if (is_wanted && find_known != NULL) known = find_known(&module);
        read_ahead(&module.entry, is_wanted, known);
        if (!is_wanted) continue;
        module.kind = is_loader ? EPITAPH_MODULE_LOADER : EPITAPH_MODULE_SHARED_OBJECT;
        module.facts = NULL;
        if (known != NULL && is_unchanged(known)) {
            module.facts = known;
        } else if (epitaph_elf_read(&facts, module.entry.l_addr)) {
            module.facts = &facts;
        }
        visit(argument, &module);
    }
    epitaph_memory_read_ahead(NULL, 0);
    bool has_many = count == EPITAPH_MODULE_LIMIT;
    epitaph_list_end end;
    end.is_early = next != 0;
    end.why = has_many ? EPITAPH_WHY_TOO_MANY : EPITAPH_WHY_UNREADABLE;
    end.subject = has_many ? count : next;
    return end;
}
