// SPDX-License-Identifier: Apache-2.0
//
// libdw, for the lines and inlined calls of debug information.

#include "epitaph_elfutils.h"

#include "epitaph_loaded_library.h"
#include "libraries.h"

/// The functions of libdw.so.1 that are called.
#define DW_FUNCTIONS(FUNCTION)     \
    FUNCTION(dwarf_attr)           \
    FUNCTION(dwarf_attr_integrate) \
    FUNCTION(dwarf_begin_elf)      \
    FUNCTION(dwarf_child)          \
    FUNCTION(dwarf_cu_info)        \
    FUNCTION(dwarf_dieoffset)      \
    FUNCTION(dwarf_end)            \
    FUNCTION(dwarf_filesrc)        \
    FUNCTION(dwarf_formaddr)       \
    FUNCTION(dwarf_formref_die)    \
    FUNCTION(dwarf_formstring)     \
    FUNCTION(dwarf_formudata)      \
    FUNCTION(dwarf_getsrc_die)     \
    FUNCTION(dwarf_getsrcfiles)    \
    FUNCTION(dwarf_getsrclines)    \
    FUNCTION(dwarf_lineaddr)       \
    FUNCTION(dwarf_linecol)        \
    FUNCTION(dwarf_lineno)         \
    FUNCTION(dwarf_linesrc)        \
    FUNCTION(dwarf_lowpc)          \
    FUNCTION(dwarf_nextcu)         \
    FUNCTION(dwarf_offdie)         \
    FUNCTION(dwarf_onesrcline)     \
    FUNCTION(dwarf_ranges)         \
    FUNCTION(dwarf_setalt)         \
    FUNCTION(dwarf_siblingof)      \
    FUNCTION(dwarf_tag)

EPITAPH_LIBRARY("libdw.so.1", DW_FUNCTIONS)

const char *epitaph_libdw_load(void) {
    return load_library();
}

Dwarf_Attribute *dwarf_attr(Dwarf_Die *die, unsigned int search_name, Dwarf_Attribute *result) {
    return library.dwarf_attr(die, search_name, result);
}

Dwarf_Attribute *dwarf_attr_integrate(Dwarf_Die *die, unsigned int search_name,
                                      Dwarf_Attribute *result) {
    return library.dwarf_attr_integrate(die, search_name, result);
}

Dwarf *dwarf_begin_elf(Elf *elf, Dwarf_Cmd cmd, Elf_Scn *scngrp) {
    return library.dwarf_begin_elf(elf, cmd, scngrp);
}

int dwarf_child(Dwarf_Die *die, Dwarf_Die *result) {
    return library.dwarf_child(die, result);
}

int dwarf_cu_info(Dwarf_CU *cu, Dwarf_Half *version, uint8_t *unit_type, Dwarf_Die *cudie,
                  Dwarf_Die *subdie, uint64_t *unit_id, uint8_t *address_size,
                  uint8_t *offset_size) {
    return library.dwarf_cu_info(cu, version, unit_type, cudie, subdie, unit_id, address_size,
                                 offset_size);
}

Dwarf_Off dwarf_dieoffset(Dwarf_Die *die) {
    return library.dwarf_dieoffset(die);
}

int dwarf_end(Dwarf *dwarf) {
    return library.dwarf_end(dwarf);
}

const char *dwarf_filesrc(Dwarf_Files *file, size_t idx, Dwarf_Word *mtime, Dwarf_Word *length) {
    return library.dwarf_filesrc(file, idx, mtime, length);
}

int dwarf_formaddr(Dwarf_Attribute *attr, Dwarf_Addr *return_addr) {
    return library.dwarf_formaddr(attr, return_addr);
}

Dwarf_Die *dwarf_formref_die(Dwarf_Attribute *attr, Dwarf_Die *result) {
    return library.dwarf_formref_die(attr, result);
}

const char *dwarf_formstring(Dwarf_Attribute *attrp) {
    return library.dwarf_formstring(attrp);
}

int dwarf_formudata(Dwarf_Attribute *attr, Dwarf_Word *return_uval) {
    return library.dwarf_formudata(attr, return_uval);
}

Dwarf_Line *dwarf_getsrc_die(Dwarf_Die *cudie, Dwarf_Addr addr) {
    return library.dwarf_getsrc_die(cudie, addr);
}

int dwarf_getsrcfiles(Dwarf_Die *cudie, Dwarf_Files **files, size_t *nfiles) {
    return library.dwarf_getsrcfiles(cudie, files, nfiles);
}

int dwarf_getsrclines(Dwarf_Die *cudie, Dwarf_Lines **lines, size_t *nlines) {
    return library.dwarf_getsrclines(cudie, lines, nlines);
}

int dwarf_lineaddr(Dwarf_Line *line, Dwarf_Addr *addrp) {
    return library.dwarf_lineaddr(line, addrp);
}

int dwarf_linecol(Dwarf_Line *line, int *colp) {
    return library.dwarf_linecol(line, colp);
}

int dwarf_lineno(Dwarf_Line *line, int *linep) {
    return library.dwarf_lineno(line, linep);
}

const char *dwarf_linesrc(Dwarf_Line *line, Dwarf_Word *mtime, Dwarf_Word *length) {
    return library.dwarf_linesrc(line, mtime, length);
}

int dwarf_lowpc(Dwarf_Die *die, Dwarf_Addr *return_addr) {
    return library.dwarf_lowpc(die, return_addr);
}

int dwarf_nextcu(Dwarf *dwarf, Dwarf_Off off, Dwarf_Off *next_off, size_t *header_sizep,
                 Dwarf_Off *abbrev_offsetp, uint8_t *address_sizep, uint8_t *offset_sizep) {
    return library.dwarf_nextcu(dwarf, off, next_off, header_sizep, abbrev_offsetp, address_sizep,
                                offset_sizep);
}

Dwarf_Die *dwarf_offdie(Dwarf *dbg, Dwarf_Off offset, Dwarf_Die *result) {
    return library.dwarf_offdie(dbg, offset, result);
}

Dwarf_Line *dwarf_onesrcline(Dwarf_Lines *lines, size_t idx) {
    return library.dwarf_onesrcline(lines, idx);
}

ptrdiff_t dwarf_ranges(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *basep, Dwarf_Addr *startp,
                       Dwarf_Addr *endp) {
    return library.dwarf_ranges(die, offset, basep, startp, endp);
}

void dwarf_setalt(Dwarf *main, Dwarf *alt) {
    library.dwarf_setalt(main, alt);
}

int dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result) {
    return library.dwarf_siblingof(die, result);
}

int dwarf_tag(Dwarf_Die *die) {
    return library.dwarf_tag(die);
}
