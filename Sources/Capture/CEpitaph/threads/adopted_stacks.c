// SPDX-License-Identifier: Apache-2.0
//
// Go's runtime with cgo asks the kernel itself whether a thread has an alternate stack. One of ours
// it takes for its own, and then ends the program if a handler runs elsewhere, where it would in a
// thread without one: minitSignalStack and adjustSignalStack, runtime/signal_unix.go. So once Go is
// in the process, handlers with SA_ONSTACK run on our stacks.

#include "threads/alternate_stack.h"

#include "base/base.h"
#include "epitaph_settings.h"

#include <link.h>

/// ELF_NOTE_GOBUILDID_TAG, cmd/link/internal/ld/elf.go.
static const epitaph_note_kind go_build_id = {"Go\0", 4, 4};

static int look(struct dl_phdr_info *module, size_t size, void *found) {
    (void)size;
    *(bool *)found = epitaph_module_has_note(module, &go_build_id);
    return *(bool *)found;
}

/// Tells how many modules were ever loaded, and looks at none.
static int count_loaded(struct dl_phdr_info *module, size_t size, void *count) {
    (void)size;
    *(uint64_t *)count = module->dlpi_adds;
    return 1;
}

void epitaph_adopted_stacks_look(void) {
    static uint64_t seen;
    uint32_t *are_adopted = &epitaph_capture_settings_now.stacks_are_adopted;
    uint64_t loaded = 0;
    bool found = false;
    if (__atomic_load_n(are_adopted, __ATOMIC_RELAXED) != 0) return;
    dl_iterate_phdr(count_loaded, &loaded);
    if (__atomic_exchange_n(&seen, loaded, __ATOMIC_RELAXED) == loaded) return;
    dl_iterate_phdr(look, &found);
    if (found) __atomic_store_n(are_adopted, 1, __ATOMIC_RELEASE);
}
