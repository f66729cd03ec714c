// SPDX-License-Identifier: Apache-2.0
//
// The functions of libelf.so.1 and libdw.so.1 that are called. To be included behind the types.
#pragma once

Dwarf_Attribute *dwarf_attr(Dwarf_Die *die, unsigned int search_name, Dwarf_Attribute *result);
Dwarf_Attribute *dwarf_attr_integrate(Dwarf_Die *die, unsigned int search_name,
                                      Dwarf_Attribute *result);
Dwarf *dwarf_begin_elf(Elf *elf, Dwarf_Cmd cmd, Elf_Scn *scngrp);
int dwarf_child(Dwarf_Die *die, Dwarf_Die *result);
int dwarf_cu_info(Dwarf_CU *cu, Dwarf_Half *version, uint8_t *unit_type, Dwarf_Die *cudie,
                  Dwarf_Die *subdie, uint64_t *unit_id, uint8_t *address_size,
                  uint8_t *offset_size);
Dwarf_Off dwarf_dieoffset(Dwarf_Die *die);
int dwarf_end(Dwarf *dwarf);
const char *dwarf_filesrc(Dwarf_Files *file, size_t idx, Dwarf_Word *mtime, Dwarf_Word *length);
int dwarf_formaddr(Dwarf_Attribute *attr, Dwarf_Addr *return_addr);
Dwarf_Die *dwarf_formref_die(Dwarf_Attribute *attr, Dwarf_Die *result);
const char *dwarf_formstring(Dwarf_Attribute *attrp);
int dwarf_formudata(Dwarf_Attribute *attr, Dwarf_Word *return_uval);
Dwarf_Line *dwarf_getsrc_die(Dwarf_Die *cudie, Dwarf_Addr addr);
int dwarf_getsrcfiles(Dwarf_Die *cudie, Dwarf_Files **files, size_t *nfiles);
int dwarf_getsrclines(Dwarf_Die *cudie, Dwarf_Lines **lines, size_t *nlines);
int dwarf_lineaddr(Dwarf_Line *line, Dwarf_Addr *addrp);
int dwarf_linecol(Dwarf_Line *line, int *colp);
int dwarf_lineno(Dwarf_Line *line, int *linep);
const char *dwarf_linesrc(Dwarf_Line *line, Dwarf_Word *mtime, Dwarf_Word *length);
int dwarf_lowpc(Dwarf_Die *die, Dwarf_Addr *return_addr);
int dwarf_nextcu(Dwarf *dwarf, Dwarf_Off off, Dwarf_Off *next_off, size_t *header_sizep,
                 Dwarf_Off *abbrev_offsetp, uint8_t *address_sizep, uint8_t *offset_sizep);
Dwarf_Die *dwarf_offdie(Dwarf *dbg, Dwarf_Off offset, Dwarf_Die *result);
Dwarf_Line *dwarf_onesrcline(Dwarf_Lines *lines, size_t idx);
ptrdiff_t dwarf_ranges(Dwarf_Die *die, ptrdiff_t offset, Dwarf_Addr *basep, Dwarf_Addr *startp,
                       Dwarf_Addr *endp);
void dwarf_setalt(Dwarf *main, Dwarf *alt);
int dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result);
int dwarf_tag(Dwarf_Die *die);

int elf_end(Elf *elf);
Elf *elf_memory(char *image, size_t size);
unsigned int elf_version(unsigned int version);
