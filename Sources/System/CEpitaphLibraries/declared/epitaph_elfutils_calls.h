// SPDX-License-Identifier: Apache-2.0
//
// Functions used of libelf.so.1 and libdw.so.1. Include after the types.
#pragma once

#include "../include/epitaph_loaded_library.h"

#define EPITAPH_ELF_CALLS(CALL, OWN)                                   \
    CALL(int, elf_end, (Elf * elf), (elf))                             \
    CALL(Elf *, elf_memory, (char *image, size_t size), (image, size)) \
    OWN(unsigned int, elf_version, (unsigned int version))

EPITAPH_ELF_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)

#define EPITAPH_DW_CALLS(CALL, OWN)                                                               \
    CALL(Dwarf_Attribute *, dwarf_attr,                                                           \
         (Dwarf_Die * die, unsigned int search_name, Dwarf_Attribute *result),                    \
         (die, search_name, result))                                                              \
    CALL(Dwarf_Attribute *, dwarf_attr_integrate,                                                 \
         (Dwarf_Die * die, unsigned int search_name, Dwarf_Attribute *result),                    \
         (die, search_name, result))                                                              \
    CALL(Dwarf *, dwarf_begin_elf, (Elf * elf, Dwarf_Cmd cmd, Elf_Scn * scngrp),                  \
         (elf, cmd, scngrp))                                                                      \
    CALL(int, dwarf_child, (Dwarf_Die * die, Dwarf_Die * result), (die, result))                  \
    CALL(int, dwarf_cu_info,                                                                      \
         (Dwarf_CU * cu, Dwarf_Half * version, uint8_t * unit_type, Dwarf_Die * cudie,            \
          Dwarf_Die * subdie, uint64_t * unit_id, uint8_t * address_size, uint8_t * offset_size), \
         (cu, version, unit_type, cudie, subdie, unit_id, address_size, offset_size))             \
    CALL(Dwarf_Off, dwarf_cuoffset, (Dwarf_Die * die), (die))                                     \
    CALL(Dwarf_Off, dwarf_dieoffset, (Dwarf_Die * die), (die))                                    \
    CALL(int, dwarf_end, (Dwarf * dwarf), (dwarf))                                                \
    CALL(const char *, dwarf_filesrc,                                                             \
         (Dwarf_Files * file, size_t idx, Dwarf_Word * mtime, Dwarf_Word * length),               \
         (file, idx, mtime, length))                                                              \
    CALL(int, dwarf_formaddr, (Dwarf_Attribute * attr, Dwarf_Addr * return_addr),                 \
         (attr, return_addr))                                                                     \
    CALL(Dwarf_Die *, dwarf_formref_die, (Dwarf_Attribute * attr, Dwarf_Die * result),            \
         (attr, result))                                                                          \
    CALL(const char *, dwarf_formstring, (Dwarf_Attribute * attrp), (attrp))                      \
    CALL(int, dwarf_formudata, (Dwarf_Attribute * attr, Dwarf_Word * return_uval),                \
         (attr, return_uval))                                                                     \
    CALL(Dwarf_Line *, dwarf_getsrc_die, (Dwarf_Die * cudie, Dwarf_Addr addr), (cudie, addr))     \
    CALL(int, dwarf_getsrcfiles, (Dwarf_Die * cudie, Dwarf_Files * *files, size_t * nfiles),      \
         (cudie, files, nfiles))                                                                  \
    CALL(int, dwarf_getsrclines, (Dwarf_Die * cudie, Dwarf_Lines * *lines, size_t * nlines),      \
         (cudie, lines, nlines))                                                                  \
    CALL(int, dwarf_lineaddr, (Dwarf_Line * line, Dwarf_Addr * addrp), (line, addrp))             \
    CALL(int, dwarf_linecol, (Dwarf_Line * line, int *colp), (line, colp))                        \
    CALL(int, dwarf_lineno, (Dwarf_Line * line, int *linep), (line, linep))                       \
    CALL(const char *, dwarf_linesrc,                                                             \
         (Dwarf_Line * line, Dwarf_Word * mtime, Dwarf_Word * length), (line, mtime, length))     \
    CALL(int, dwarf_lowpc, (Dwarf_Die * die, Dwarf_Addr * return_addr), (die, return_addr))       \
    CALL(int, dwarf_nextcu,                                                                       \
         (Dwarf * dwarf, Dwarf_Off off, Dwarf_Off * next_off, size_t * header_sizep,              \
          Dwarf_Off * abbrev_offsetp, uint8_t * address_sizep, uint8_t * offset_sizep),           \
         (dwarf, off, next_off, header_sizep, abbrev_offsetp, address_sizep, offset_sizep))       \
    CALL(Dwarf_Die *, dwarf_offdie, (Dwarf * dbg, Dwarf_Off offset, Dwarf_Die * result),          \
         (dbg, offset, result))                                                                   \
    CALL(Dwarf_Line *, dwarf_onesrcline, (Dwarf_Lines * lines, size_t idx), (lines, idx))         \
    CALL(ptrdiff_t, dwarf_ranges,                                                                 \
         (Dwarf_Die * die, ptrdiff_t offset, Dwarf_Addr * basep, Dwarf_Addr * startp,             \
          Dwarf_Addr * endp),                                                                     \
         (die, offset, basep, startp, endp))                                                      \
    CALL(void, dwarf_setalt, (Dwarf * main, Dwarf * alt), (main, alt))                            \
    CALL(int, dwarf_siblingof, (Dwarf_Die * die, Dwarf_Die * result), (die, result))              \
    CALL(int, dwarf_tag, (Dwarf_Die * die), (die))

EPITAPH_DW_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
