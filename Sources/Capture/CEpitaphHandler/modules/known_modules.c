// SPDX-License-Identifier: Apache-2.0
//
// The modules of the start. Their headers are read then, so that the first record can name the
// functions on its stack: without libc's unwind tables the callers of abort(3) are guesses.

#include "modules/modules.h"

#include "epitaph_handler.h"

#include <link.h>

enum {
    KNOWN_LIMIT = 64,
    /// For a module, apart from its path.
    MODULE_ROOM = 256,
};

typedef struct known_module {
    uint64_t entry;
    epitaph_dump_module_kind kind;
    epitaph_elf_facts facts;
} known_module;

static known_module known[KNOWN_LIMIT];
static uint32_t known_count;
/// From the first byte of any of them to the last.
static epitaph_range known_extent;

static void remember(void *argument, const epitaph_listed_module *module) {
    const epitaph_elf_facts *facts = &module->facts;
    (void)argument;
    if (!module->has_facts || known_count == KNOWN_LIMIT) return;
    if (known_count == 0) known_extent.start = known_extent.end = facts->start;
    if (facts->start < known_extent.start) known_extent.start = facts->start;
    if (facts->end > known_extent.end) known_extent.end = facts->end;
    known_module *place = &known[known_count++];
    place->entry = module->address;
    place->kind = module->kind;
    epitaph_bytes_copy(&place->facts, facts, sizeof *facts);
}

static void read_listed(void) {
    struct r_debug debug;
    known_count = 0;
    if (epitaph_loader_read(&debug)) epitaph_modules_visit(&debug, NULL, remember);
}

void epitaph_modules_prepare(void) {
    epitaph_memory_begin(NULL);
    epitaph_executable_read();
    read_listed();
    epitaph_memory_end();
}

static bool is_in(uint64_t address, uint64_t start, uint64_t end) {
    return address - start < end - start;
}

static uint64_t bit_of_module_at(uint64_t address) {
    // Most words point elsewhere, and every repaired fault comes here.
    if (!is_in(address, known_extent.start, known_extent.end)) return 0;
    for (uint32_t i = 0; i < known_count; i++) {
        if (is_in(address, known[i].facts.start, known[i].facts.end)) return 1ull << i;
    }
    return 0;
}

/// One bit for each known module that the instruction pointer or a word of the stack points into.
static uint64_t find_wanted(uint64_t instruction_pointer, epitaph_copy stack) {
    uint64_t wanted = bit_of_module_at(instruction_pointer);
    uint64_t word;
    for (uint64_t i = -stack.address % sizeof word; i + sizeof word <= stack.count;
         i += sizeof word) {
        epitaph_bytes_copy(&word, stack.bytes + i, sizeof word);
        wanted |= bit_of_module_at(word);
    }
    return wanted;
}

/// The loader's entry of a module, or NULL: that of an unloaded one is gone, or another's.
static const struct link_map *find_listed(const known_module *module) {
    uint64_t address = epitaph_capture_settings_now.facts.r_debug_address;
    const struct link_map *entry = ((const struct r_debug *)address)->r_map;
    for (uint32_t i = 0; entry != NULL && i < EPITAPH_MODULE_LIMIT; i++, entry = entry->l_next) {
        if ((uint64_t)entry != module->entry) continue;
        bool is_same = (uint64_t)entry->l_ld == module->facts.dynamic_address &&
                       entry->l_addr == module->facts.load_bias;
        return is_same ? entry : NULL;
    }
    return NULL;
}

typedef struct wanted_modules {
    epitaph_stored_values *values;
    uint64_t bits;
} wanted_modules;

static void store_listed(void *argument) {
    const wanted_modules *wanted = argument;
    for (uint32_t i = 0; i < known_count; i++) {
        const known_module *module = &known[i];
        const struct link_map *entry = (wanted->bits >> i & 1) != 0 ? find_listed(module) : NULL;
        if (entry == NULL) continue;
        size_t room = (size_t)(wanted->values->end - wanted->values->next);
        if (room < MODULE_ROOM + epitaph_text_length(entry->l_name, EPITAPH_PATH_SIZE)) continue;
        epitaph_module_store(wanted->values, entry->l_name, module->kind, &module->facts);
    }
}

void epitaph_known_modules_store(epitaph_stored_values *values, uint64_t instruction_pointer,
                                 epitaph_copy stack) {
    wanted_modules wanted = {values, find_wanted(instruction_pointer, stack)};
    // A whole module or none: a fault leaves the values of the modules before.
    epitaph_stored_values stored = *values;
    wanted.values = &stored;
    if (wanted.bits != 0 && epitaph_guard_run(store_listed, &wanted)) *values = stored;
}
