// SPDX-License-Identifier: Apache-2.0
//
// libelf, for ELF files in memory.

#include "epitaph_elfutils.h"

#include "epitaph_loaded_library.h"
#include "libraries.h"

/// The functions of libelf.so.1 that are called.
#define ELF_FUNCTIONS(FUNCTION) \
    FUNCTION(elf_end)           \
    FUNCTION(elf_memory)        \
    FUNCTION(elf_version)

EPITAPH_LIBRARY("libelf.so.1", ELF_FUNCTIONS)

const char *epitaph_libelf_load(void) {
    return load_library();
}

int elf_end(Elf *elf) {
    return library.elf_end(elf);
}

Elf *elf_memory(char *image, size_t size) {
    return library.elf_memory(image, size);
}

unsigned int elf_version(unsigned int version) {
    if (epitaph_elfutils_problem() != NULL) return EV_NONE;
    return library.elf_version(version);
}
