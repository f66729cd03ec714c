// SPDX-License-Identifier: Apache-2.0
//
// libdw and libelf of elfutils, loaded for names and lines, which otherwise come from symbol
// tables. docs/decisions/code.md. Call elf_version first: it loads them, or fails.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define dwarf_attr epitaph_dwarf_attr
#define dwarf_attr_integrate epitaph_dwarf_attr_integrate
#define dwarf_begin_elf epitaph_dwarf_begin_elf
#define dwarf_child epitaph_dwarf_child
#define dwarf_cu_info epitaph_dwarf_cu_info
#define dwarf_cuoffset epitaph_dwarf_cuoffset
#define dwarf_dieoffset epitaph_dwarf_dieoffset
#define dwarf_end epitaph_dwarf_end
#define dwarf_filesrc epitaph_dwarf_filesrc
#define dwarf_formaddr epitaph_dwarf_formaddr
#define dwarf_formref_die epitaph_dwarf_formref_die
#define dwarf_formstring epitaph_dwarf_formstring
#define dwarf_formudata epitaph_dwarf_formudata
#define dwarf_getsrc_die epitaph_dwarf_getsrc_die
#define dwarf_getsrcfiles epitaph_dwarf_getsrcfiles
#define dwarf_getsrclines epitaph_dwarf_getsrclines
#define dwarf_lineaddr epitaph_dwarf_lineaddr
#define dwarf_linecol epitaph_dwarf_linecol
#define dwarf_lineno epitaph_dwarf_lineno
#define dwarf_linesrc epitaph_dwarf_linesrc
#define dwarf_lowpc epitaph_dwarf_lowpc
#define dwarf_nextcu epitaph_dwarf_nextcu
#define dwarf_offdie epitaph_dwarf_offdie
#define dwarf_onesrcline epitaph_dwarf_onesrcline
#define dwarf_ranges epitaph_dwarf_ranges
#define dwarf_setalt epitaph_dwarf_setalt
#define dwarf_siblingof epitaph_dwarf_siblingof
#define dwarf_tag epitaph_dwarf_tag
#define elf_end epitaph_elf_end
#define elf_memory epitaph_elf_memory
#define elf_version epitaph_elf_version
#define Dwarf epitaph_Dwarf
#define Dwarf_Abbrev epitaph_Dwarf_Abbrev
#define Dwarf_Addr epitaph_Dwarf_Addr
#define Dwarf_Attribute epitaph_Dwarf_Attribute
#define Dwarf_CU epitaph_Dwarf_CU
#define Dwarf_Cmd epitaph_Dwarf_Cmd
#define Dwarf_Die epitaph_Dwarf_Die
#define Dwarf_Files epitaph_Dwarf_Files
#define Dwarf_Half epitaph_Dwarf_Half
#define Dwarf_Line epitaph_Dwarf_Line
#define Dwarf_Lines epitaph_Dwarf_Lines
#define Dwarf_Off epitaph_Dwarf_Off
#define Dwarf_Word epitaph_Dwarf_Word
#define Elf epitaph_Elf
#define Elf_Scn epitaph_Elf_Scn

#include "../declared/epitaph_elfutils_types.h"

#include "../declared/epitaph_elfutils_calls.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
enum { EPITAPH_DWARF_CONSTANTS(EPITAPH_ENUMERATOR) };
#undef EPITAPH_ENUMERATOR

#pragma GCC visibility push(hidden)

/// Loads the libraries once. Returns NULL, or why they are unusable, as static text.
const char *epitaph_elfutils_problem(void);

/// Loads libdw only, for epitaph_elfutils_problem.
const char *epitaph_libdw_load(void);

#pragma GCC visibility pop
