// SPDX-License-Identifier: Apache-2.0
//
// ELF notes of loaded modules, elf(5): each has a header, the owner's name and contents.

#include "base/base.h"

#include <link.h>
#include <string.h>

static bool has_note(const unsigned char *notes, size_t bytes, size_t alignment,
                     const epitaph_note_kind *kind) {
    size_t unit = alignment == 8 ? 8 : 4;
    for (size_t offset = 0; bytes - offset >= sizeof(ElfW(Nhdr));) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + offset, sizeof note);
        size_t name = offset + sizeof note;
        size_t contents = (name + note.n_namesz + unit - 1) / unit * unit;
        size_t end = (contents + note.n_descsz + unit - 1) / unit * unit;
        if (contents > bytes || contents + note.n_descsz > bytes) return false;
        if (note.n_type == kind->type && note.n_namesz == kind->owner_bytes &&
            memcmp(notes + name, kind->owner, kind->owner_bytes) == 0) {
            return true;
        }
        if (end > bytes) return false;
        offset = end;
    }
    return false;
}

bool epitaph_module_has_note(const struct dl_phdr_info *module, const epitaph_note_kind *kind) {
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        const void *notes = (const void *)(module->dlpi_addr + segment->p_vaddr);
        if (segment->p_type == PT_NOTE &&
            has_note(notes, segment->p_memsz, segment->p_align, kind)) {
            return true;
        }
    }
    return false;
}
