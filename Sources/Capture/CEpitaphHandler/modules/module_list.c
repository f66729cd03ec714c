// SPDX-License-Identifier: Apache-2.0
//
// Follows the dynamic linker's own list (`struct r_debug`, link.h) as untrusted memory:
// dl_iterate_phdr(3) takes the loader's lock, which the dying thread may hold.

#include "modules/modules.h"

static epitaph_range range_of(const void *start, uint64_t count) {
    epitaph_range range = {(uint64_t)start, (uint64_t)start + count};
    return range;
}

// Five calls for each of a hundred libraries would be a tenth of the crash time.
static void read_ahead(const struct link_map *entry, bool is_wanted) {
    epitaph_range ranges[] = {
        range_of(entry->l_next, sizeof *entry),
        range_of((const void *)entry->l_addr, EPITAPH_ELF_HEAD_BYTES),
        range_of(entry->l_ld, EPITAPH_ELF_DYNAMIC_BYTES),
        range_of(entry->l_name, EPITAPH_SHORT_TEXT_SIZE),
    };
    uint32_t skipped = entry->l_next != NULL ? 0 : 1;
    uint32_t end = is_wanted ? 4 : 1;
    epitaph_memory_read_ahead(ranges + skipped, end - skipped);
}

bool epitaph_loader_read(struct r_debug *debug) {
    uint64_t address = epitaph_capture_settings_now.facts.r_debug_address;
    return address != 0 && epitaph_memory_read_exactly(debug, address, sizeof *debug);
}

epitaph_list_end epitaph_modules_visit(const struct r_debug *debug, void *argument,
                                       epitaph_module_visit visit) {
    uint64_t vdso = epitaph_capture_settings_now.facts.vdso_address;
    uint64_t next = (uint64_t)debug->r_map;
    epitaph_listed_module module;
    uint32_t count = 0;
    for (; next != 0 && count < EPITAPH_MODULE_LIMIT; count++) {
        module.address = next;
        if (!epitaph_memory_read_exactly(&module.entry, next, sizeof module.entry)) break;
        next = (uint64_t)module.entry.l_next;
        // The first one is the executable.
        bool is_wanted = count > 0 && module.entry.l_addr != vdso;
        read_ahead(&module.entry, is_wanted);
        if (!is_wanted) continue;
        bool is_loader = module.entry.l_addr == debug->r_ldbase;
        module.kind = is_loader ? EPITAPH_MODULE_LOADER : EPITAPH_MODULE_SHARED_OBJECT;
        module.has_facts = epitaph_elf_read(&module.facts, module.entry.l_addr);
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
