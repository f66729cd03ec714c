// SPDX-License-Identifier: Apache-2.0
//
// What the first record has of modules.

#include "modules/modules.h"

#include <link.h>

enum {
    /// For a module, apart from its path.
    MODULE_ROOM = 256,
};

static void store_module(epitaph_stored_values *values, const char *path,
                         epitaph_dump_module_kind kind, const epitaph_elf_facts *facts) {
    epitaph_store_command(values, EPITAPH_COMMAND_MAP_START);
    epitaph_store_bytes(values, EPITAPH_KEY_MODULE_NAME, path,
                        epitaph_text_length(path, EPITAPH_PATH_SIZE));
    epitaph_store_number(values, EPITAPH_KEY_MODULE_KIND, kind, 1);
    epitaph_store_number(values, EPITAPH_KEY_MODULE_ADDRESS, facts->start, 8);
    epitaph_store_number(values, EPITAPH_KEY_MODULE_SIZE, facts->end - facts->start, 8);
    epitaph_store_number(values, EPITAPH_KEY_MODULE_LOAD_BIAS, facts->load_bias, 8);
    epitaph_store_number(values, EPITAPH_KEY_MODULE_DYNAMIC_ADDRESS, facts->dynamic_address, 8);
    if (facts->build_id_bytes > 0) {
        epitaph_store_bytes(values, EPITAPH_KEY_MODULE_BUILD_ID, facts->build_id,
                            facts->build_id_bytes);
    }
    epitaph_store_command(values, EPITAPH_COMMAND_MAP_END);
}

void epitaph_executable_store(epitaph_stored_values *values) {
    const char *path = epitaph_capture_settings_now.facts.executable_path;
    const epitaph_known_modules *known = epitaph_known_modules_now();
    if (!known->has_executable) return;
    epitaph_store_keyed_command(values, EPITAPH_COMMAND_ARRAY_START, EPITAPH_KEY_MODULES);
    store_module(values, path, EPITAPH_MODULE_EXECUTABLE, &known->executable);
    epitaph_store_command(values, EPITAPH_COMMAND_ARRAY_END);
}

static bool is_in(uint64_t address, uint64_t start, uint64_t end) {
    return address - start < end - start;
}

static uint64_t bit_of_module_at(const epitaph_known_modules *known, uint64_t address) {
    // Most words point elsewhere, and every repaired fault comes here.
    if (!is_in(address, known->extent.start, known->extent.end)) return 0;
    for (uint32_t i = 0; i < known->count; i++) {
        if (is_in(address, known->entries[i].facts.start, known->entries[i].facts.end))
            return 1ull << i;
    }
    return 0;
}

/// One bit for each known module that the instruction pointer or a word of the stack points into.
static uint64_t find_wanted(uint64_t instruction_pointer, epitaph_copy stack) {
    const epitaph_known_modules *known = epitaph_known_modules_now();
    uint64_t wanted = bit_of_module_at(known, instruction_pointer);
    uint64_t word;
    for (uint64_t i = -stack.address % sizeof word; i + sizeof word <= stack.count;
         i += sizeof word) {
        epitaph_bytes_copy(&word, stack.bytes + i, sizeof word);
        wanted |= bit_of_module_at(known, word);
    }
    return wanted;
}

/// The loader's entry of a module, or NULL: that of an unloaded one is gone, or another's.
static const struct link_map *find_listed(const epitaph_known_module *module) {
    uint64_t address = epitaph_capture_settings_now.facts.r_debug_address;
    const struct link_map *entry = ((const struct r_debug *)address)->r_map;
    for (uint32_t i = 0; entry != NULL && i < EPITAPH_MODULE_LIMIT; i++, entry = entry->l_next) {
        if ((uint64_t)entry != module->entry) continue;
        // The build id would be proof, but its page may have to come from a file server.
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
    const epitaph_known_modules *known = epitaph_known_modules_now();
    const wanted_modules *wanted = argument;
    for (uint32_t i = 0; i < known->count; i++) {
        const epitaph_known_module *module = &known->entries[i];
        const struct link_map *entry = (wanted->bits >> i & 1) != 0 ? find_listed(module) : NULL;
        if (entry == NULL) continue;
        size_t room = (size_t)(wanted->values->end - wanted->values->next);
        if (room < MODULE_ROOM + epitaph_text_length(entry->l_name, EPITAPH_PATH_SIZE)) continue;
        store_module(wanted->values, entry->l_name, module->kind, &module->facts);
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
