// SPDX-License-Identifier: Apache-2.0
//
// Types used of libelf.so.1 and libdw.so.1; the sonames guarantee their layouts.
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

typedef struct {
    unsigned int code;
    unsigned int form;
    unsigned char *valp;
    Dwarf_CU *cu;
} Dwarf_Attribute;

typedef struct {
    void *addr;
    Dwarf_CU *cu;
    Dwarf_Abbrev *abbrev;
    long int padding__;
} Dwarf_Die;

typedef enum { DWARF_C_READ } Dwarf_Cmd;

// Constants used of DWARF 5, 7.5; those of GNU and MIPS are in elfutils' dwarf.h.

#define EPITAPH_DWARF_CONSTANTS(C)         \
    C(DW_AT_GNU_addr_base, 0x2133)         \
    C(DW_AT_GNU_dwo_name, 0x2130)          \
    C(DW_AT_GNU_ranges_base, 0x2132)       \
    C(DW_AT_MIPS_linkage_name, 0x2007)     \
    C(DW_AT_abstract_origin, 0x31)         \
    C(DW_AT_addr_base, 0x73)               \
    C(DW_AT_artificial, 0x34)              \
    C(DW_AT_call_column, 0x57)             \
    C(DW_AT_call_file, 0x58)               \
    C(DW_AT_call_line, 0x59)               \
    C(DW_AT_comp_dir, 0x1b)                \
    C(DW_AT_decl_column, 0x39)             \
    C(DW_AT_decl_line, 0x3b)               \
    C(DW_AT_dwo_name, 0x76)                \
    C(DW_AT_external, 0x3f)                \
    C(DW_AT_high_pc, 0x12)                 \
    C(DW_AT_language, 0x13)                \
    C(DW_AT_linkage_name, 0x6e)            \
    C(DW_AT_low_pc, 0x11)                  \
    C(DW_AT_name, 0x03)                    \
    C(DW_AT_ranges, 0x55)                  \
    C(DW_AT_specification, 0x47)           \
    C(DW_AT_stmt_list, 0x10)               \
    C(DW_AT_type, 0x49)                    \
    C(DW_FORM_GNU_addr_index, 0x1f01)      \
    C(DW_FORM_addr, 0x01)                  \
    C(DW_FORM_addrx, 0x1b)                 \
    C(DW_FORM_addrx1, 0x29)                \
    C(DW_FORM_addrx2, 0x2a)                \
    C(DW_FORM_addrx3, 0x2b)                \
    C(DW_FORM_addrx4, 0x2c)                \
    C(DW_FORM_data4, 0x06)                 \
    C(DW_FORM_rnglistx, 0x23)              \
    C(DW_FORM_sec_offset, 0x17)            \
    C(DW_TAG_base_type, 0x24)              \
    C(DW_TAG_catch_block, 0x25)            \
    C(DW_TAG_class_type, 0x02)             \
    C(DW_TAG_compile_unit, 0x11)           \
    C(DW_TAG_const_type, 0x26)             \
    C(DW_TAG_enumeration_type, 0x04)       \
    C(DW_TAG_formal_parameter, 0x05)       \
    C(DW_TAG_inlined_subroutine, 0x1d)     \
    C(DW_TAG_interface_type, 0x38)         \
    C(DW_TAG_lexical_block, 0x0b)          \
    C(DW_TAG_module, 0x1e)                 \
    C(DW_TAG_namespace, 0x39)              \
    C(DW_TAG_partial_unit, 0x3c)           \
    C(DW_TAG_pointer_type, 0x0f)           \
    C(DW_TAG_reference_type, 0x10)         \
    C(DW_TAG_rvalue_reference_type, 0x42)  \
    C(DW_TAG_skeleton_unit, 0x4a)          \
    C(DW_TAG_structure_type, 0x13)         \
    C(DW_TAG_subprogram, 0x2e)             \
    C(DW_TAG_subroutine_type, 0x15)        \
    C(DW_TAG_try_block, 0x32)              \
    C(DW_TAG_typedef, 0x16)                \
    C(DW_TAG_union_type, 0x17)             \
    C(DW_TAG_unspecified_parameters, 0x18) \
    C(DW_TAG_unspecified_type, 0x3b)       \
    C(DW_TAG_volatile_type, 0x35)          \
    C(DW_UT_skeleton, 0x04)                \
    C(DW_UT_split_compile, 0x05)
