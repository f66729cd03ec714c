// SPDX-License-Identifier: Apache-2.0
//
// The types of libelf.so.1 and libdw.so.1 that are used, as their users see them. The layouts are
// part of the sonames: elfutils adds functions and changes no struct.
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Elf Elf;
typedef struct Elf_Scn Elf_Scn;

typedef struct Dwarf Dwarf;
typedef struct Dwarf_Abbrev Dwarf_Abbrev;
typedef struct Dwarf_CU Dwarf_CU;
typedef struct Dwarf_Files_s Dwarf_Files;
typedef struct Dwarf_Lines_s Dwarf_Lines;
typedef struct Dwarf_Line_s Dwarf_Line;
typedef Elf64_Half Dwarf_Half;
typedef Elf64_Off Dwarf_Off;
typedef Elf64_Addr Dwarf_Addr;
typedef Elf64_Xword Dwarf_Word;

/// An attribute of an entry; libdw fills it in.
typedef struct {
    unsigned int code;
    unsigned int form;
    unsigned char *valp;
    Dwarf_CU *cu;
} Dwarf_Attribute;

/// An entry; libdw fills it in.
typedef struct {
    void *addr;
    Dwarf_CU *cu;
    Dwarf_Abbrev *abbrev;
    long int padding__;
} Dwarf_Die;

typedef enum { DWARF_C_READ } Dwarf_Cmd;
