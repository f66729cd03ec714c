// SPDX-License-Identifier: Apache-2.0
#include <libunwind-x86_64.h>

// Finds the procedure of `ip` in a binary search table, reading through the address space's
// accessors. Exported by the library and declared in its private headers only (include/dwarf.h of
// libunwind 1.6.2).
int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
                                       unw_proc_info_t *procedure, int needs_unwind_info,
                                       void *argument);
