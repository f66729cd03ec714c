// SPDX-License-Identifier: Apache-2.0

#include "CElfutils.h"

#include "libraries.h"
#include <CLoadedLibrary.h>

/// What is called of libelf.so.1.
#define ELF_FUNCTIONS(FUNCTION) \
    FUNCTION(elf_end)           \
    FUNCTION(elf_getdata)       \
    FUNCTION(elf_getshdrstrndx) \
    FUNCTION(elf_memory)        \
    FUNCTION(elf_nextscn)       \
    FUNCTION(elf_rawfile)       \
    FUNCTION(elf_strptr)        \
    FUNCTION(elf_version)       \
    FUNCTION(gelf_getshdr)

EPITAPH_LIBRARY("libelf.so.1", ELF_FUNCTIONS)

const char *epitaph_libelf_load(void) {
    return load_library();
}

int elf_end(Elf *elf) {
    return library.elf_end(elf);
}

Elf_Data *elf_getdata(Elf_Scn *scn, Elf_Data *data) {
    return library.elf_getdata(scn, data);
}

int elf_getshdrstrndx(Elf *elf, size_t *dst) {
    return library.elf_getshdrstrndx(elf, dst);
}

Elf *elf_memory(char *image, size_t size) {
    return library.elf_memory(image, size);
}

Elf_Scn *elf_nextscn(Elf *elf, Elf_Scn *scn) {
    return library.elf_nextscn(elf, scn);
}

char *elf_rawfile(Elf *elf, size_t *nbytes) {
    return library.elf_rawfile(elf, nbytes);
}

char *elf_strptr(Elf *elf, size_t index, size_t offset) {
    return library.elf_strptr(elf, index, offset);
}

unsigned int elf_version(unsigned int version) {
    if (epitaph_elfutils_problem() != NULL) return EV_NONE;
    return library.elf_version(version);
}

GElf_Shdr *gelf_getshdr(Elf_Scn *scn, GElf_Shdr *dst) {
    return library.gelf_getshdr(scn, dst);
}
