// SPDX-License-Identifier: Apache-2.0
//
// libdw and libelf of elfutils, loaded when a name or a line is wanted: without them frames are
// named by symbol tables alone. docs/decisions/libraries-when-needed.md.
//
// The calls are the libraries' own, declared here so that their headers need not be installed; each
// one that is used is listed here and in its library's table. elf_version is the first to be
// called: it loads the libraries, and fails if that fails.
#pragma once

#pragma redefine_extname dwarf_attr epitaph_dwarf_attr
#pragma redefine_extname dwarf_attr_integrate epitaph_dwarf_attr_integrate
#pragma redefine_extname dwarf_begin_elf epitaph_dwarf_begin_elf
#pragma redefine_extname dwarf_child epitaph_dwarf_child
#pragma redefine_extname dwarf_cu_info epitaph_dwarf_cu_info
#pragma redefine_extname dwarf_dieoffset epitaph_dwarf_dieoffset
#pragma redefine_extname dwarf_end epitaph_dwarf_end
#pragma redefine_extname dwarf_filesrc epitaph_dwarf_filesrc
#pragma redefine_extname dwarf_formaddr epitaph_dwarf_formaddr
#pragma redefine_extname dwarf_formref_die epitaph_dwarf_formref_die
#pragma redefine_extname dwarf_formstring epitaph_dwarf_formstring
#pragma redefine_extname dwarf_formudata epitaph_dwarf_formudata
#pragma redefine_extname dwarf_getsrc_die epitaph_dwarf_getsrc_die
#pragma redefine_extname dwarf_getsrcfiles epitaph_dwarf_getsrcfiles
#pragma redefine_extname dwarf_getsrclines epitaph_dwarf_getsrclines
#pragma redefine_extname dwarf_lineaddr epitaph_dwarf_lineaddr
#pragma redefine_extname dwarf_linecol epitaph_dwarf_linecol
#pragma redefine_extname dwarf_lineno epitaph_dwarf_lineno
#pragma redefine_extname dwarf_linesrc epitaph_dwarf_linesrc
#pragma redefine_extname dwarf_lowpc epitaph_dwarf_lowpc
#pragma redefine_extname dwarf_nextcu epitaph_dwarf_nextcu
#pragma redefine_extname dwarf_offdie epitaph_dwarf_offdie
#pragma redefine_extname dwarf_onesrcline epitaph_dwarf_onesrcline
#pragma redefine_extname dwarf_ranges epitaph_dwarf_ranges
#pragma redefine_extname dwarf_setalt epitaph_dwarf_setalt
#pragma redefine_extname dwarf_siblingof epitaph_dwarf_siblingof
#pragma redefine_extname dwarf_tag epitaph_dwarf_tag
#pragma redefine_extname elf_end epitaph_elf_end
#pragma redefine_extname elf_memory epitaph_elf_memory
#pragma redefine_extname elf_version epitaph_elf_version

#include "dwarf_constants.h"
#include "elfutils_types.h"

#include "elfutils_calls.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
enum { EPITAPH_DWARF_CONSTANTS(EPITAPH_ENUMERATOR) };
#undef EPITAPH_ENUMERATOR

#pragma GCC visibility push(hidden)

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as text that stays valid.
const char *epitaph_elfutils_problem(void);

#pragma GCC visibility pop
