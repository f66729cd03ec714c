// SPDX-License-Identifier: Apache-2.0
//
// Finds the note of base/presence_note.c in any module but ours.

#include "base/base.h"
#include "program.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

static const epitaph_note_kind any = {"Epitaph", sizeof "Epitaph", 1};

static int look(struct dl_phdr_info *module, size_t size, void *found) {
    (void)size;
    bool is_own = false;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uintptr_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (uintptr_t)look - start < segment->p_memsz) is_own = true;
    }
    *(bool *)found = !is_own && epitaph_module_has_note(module, &any);
    return *(bool *)found;
}

bool epitaph_preload_finds_linked_copy(void) {
    bool found = false;
    dl_iterate_phdr(look, &found);
    return found;
}
