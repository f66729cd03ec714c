// SPDX-License-Identifier: Apache-2.0
//
// Finds the note of base/presence_note.c in other modules. Of two preloaded libraries, such as a
// system's and a unit's, the first one loaded works: its functions come before the other's.

#include "base/base.h"
#include "program.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

// Type 2: a preloaded library.
__asm__(".pushsection .note.epitaph, \"a\", %note\n"
        ".balign 4\n"
        ".long 8\n"
        ".long 4\n"
        ".long 2\n"
        ".asciz \"Epitaph\"\n"
        ".long 1\n"
        ".popsection\n");

static const epitaph_note_kind any = {"Epitaph", sizeof "Epitaph", 1};
static const epitaph_note_kind preloaded = {"Epitaph", sizeof "Epitaph", 2};

typedef struct search {
    bool is_past_own;
    epitaph_preload_other found;
} search;

static bool is_own(const struct dl_phdr_info *module) {
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uintptr_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (uintptr_t)is_own - start < segment->p_memsz) return true;
    }
    return false;
}

/// In the order of loading, dl_iterate_phdr(3): the program, then what is preloaded.
static int look(struct dl_phdr_info *module, size_t size, void *argument) {
    (void)size;
    search *search = argument;
    if (is_own(module)) {
        search->is_past_own = true;
    } else if (epitaph_module_has_note(module, &preloaded)) {
        if (!search->is_past_own) search->found = EPITAPH_PRELOAD_OTHER_PRELOADED;
    } else if (epitaph_module_has_note(module, &any)) {
        search->found = EPITAPH_PRELOAD_OTHER_LINKED;
    }
    return search->found != EPITAPH_PRELOAD_ALONE;
}

epitaph_preload_other epitaph_preload_find_other(void) {
    search search = {false, EPITAPH_PRELOAD_ALONE};
    dl_iterate_phdr(look, &search);
    return search.found;
}
