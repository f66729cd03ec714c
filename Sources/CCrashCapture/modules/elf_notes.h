// SPDX-License-Identifier: Apache-2.0
//
// The build id among the notes of an image in memory: elf(5). CRASH-TIME.

#ifndef EPITAPH_MODULES_ELF_NOTES_H
#define EPITAPH_MODULES_ELF_NOTES_H

#include "modules/elf_facts.h"

#include <elf.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The first bytes of an image: its headers and, where linkers put them, its notes.
typedef struct epitaph_elf_head {
    uint64_t address;
    uint64_t count;
    union {
        uint8_t bytes[EPITAPH_ELF_HEAD_BYTES];
        Elf64_Ehdr file;
    };
} epitaph_elf_head;

/// Searches the notes of one segment, of which `head` may have a copy, for NT_GNU_BUILD_ID and
/// stores it in `facts`, whose bias is known.
void epitaph_elf_build_id_read(epitaph_elf_facts *facts, const epitaph_elf_head *head,
                               const Elf64_Phdr *segment);

#pragma GCC visibility pop

#endif
