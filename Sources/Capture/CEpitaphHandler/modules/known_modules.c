// SPDX-License-Identifier: Apache-2.0
//
// The modules of the start. Their headers are read then: the first record names the functions on
// its stack, as without libc's unwind tables the callers of abort(3) are guesses, and the list of a
// crash has only to compare build ids.

#include "modules/modules.h"

#include "epitaph_handler.h"
#include "epitaph_placement.h"

static EPITAPH_SPARSE epitaph_known_modules known;

const epitaph_known_modules *epitaph_known_modules_now(void) {
    return &known;
}

static void remember(void *argument, const epitaph_listed_module *module) {
    const epitaph_elf_facts *facts = module->facts;
    (void)argument;
    if (facts == NULL || known.count == EPITAPH_KNOWN_MODULE_LIMIT) return;
    if (known.count == 0) known.extent.start = known.extent.end = facts->start;
    if (facts->start < known.extent.start) known.extent.start = facts->start;
    if (facts->end > known.extent.end) known.extent.end = facts->end;
    epitaph_known_module *place = &known.entries[known.count++];
    place->entry = module->address;
    place->kind = module->kind;
    epitaph_bytes_copy(&place->facts, facts, sizeof *facts);
}

static void read_listed(void) {
    struct r_debug debug;
    known.count = 0;
    if (epitaph_loader_read(&debug)) epitaph_modules_visit(&debug, NULL, NULL, remember);
}

void epitaph_executable_read(void) {
    const epitaph_process_facts *process = &epitaph_capture_settings_now.facts;
    known.has_executable =
        epitaph_elf_read_program_headers(&known.executable, process->program_headers_address,
                                         process->program_header_count, process->load_bias);
}

void epitaph_modules_prepare(void) {
    uint64_t vdso_address = epitaph_capture_settings_now.facts.vdso_address;
    epitaph_memory_begin(NULL);
    epitaph_executable_read();
    known.has_vdso = vdso_address != 0 && epitaph_elf_read(&known.vdso, vdso_address);
    read_listed();
    epitaph_memory_end();
}

const epitaph_elf_facts *epitaph_known_module_find(const epitaph_listed_module *module) {
    for (uint32_t i = 0; i < known.count; i++) {
        if (known.entries[i].entry != module->address) continue;
        const epitaph_elf_facts *facts = &known.entries[i].facts;
        bool is_same = (uint64_t)module->entry.l_ld == facts->dynamic_address &&
                       module->entry.l_addr == facts->load_bias && facts->build_id_bytes > 0;
        return is_same ? facts : NULL;
    }
    return NULL;
}
