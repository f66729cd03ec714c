// SPDX-License-Identifier: Apache-2.0
//
// Finds the note of base/presence_note.c in any module but ours.

#include "program.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char owner[8] = "Epitaph";

static bool has_note(const unsigned char *notes, size_t bytes, size_t alignment) {
    size_t unit = alignment == 8 ? 8 : 4;
    for (size_t offset = 0; bytes - offset >= sizeof(ElfW(Nhdr));) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + offset, sizeof note);
        size_t name = offset + sizeof note;
        size_t contents = (name + note.n_namesz + unit - 1) / unit * unit;
        size_t end = (contents + note.n_descsz + unit - 1) / unit * unit;
        if (contents > bytes || contents + note.n_descsz > bytes) return false;
        if (note.n_type == 1 && note.n_namesz == sizeof owner &&
            memcmp(notes + name, owner, sizeof owner) == 0) {
            return true;
        }
        if (end > bytes) return false;
        offset = end;
    }
    return false;
}

static int look(struct dl_phdr_info *module, size_t size, void *found) {
    (void)size;
    bool is_own = false, has = false;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uintptr_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && (uintptr_t)look - start < segment->p_memsz) is_own = true;
        if (segment->p_type != PT_NOTE) continue;
        if (has_note((const unsigned char *)start, segment->p_memsz, segment->p_align)) has = true;
    }
    *(bool *)found = has && !is_own;
    return *(bool *)found;
}

bool epitaph_preload_finds_linked_copy(void) {
    bool found = false;
    dl_iterate_phdr(look, &found);
    return found;
}
