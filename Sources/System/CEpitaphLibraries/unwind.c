// SPDX-License-Identifier: Apache-2.0

#include "epitaph_unwind.h"

EPITAPH_LIBRARY("libunwind-x86_64.so.8", EPITAPH_UNWIND_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_unwind_problem, load_library)

unw_addr_space_t _Ux86_64_create_addr_space(unw_accessors_t *accessors, int byte_order) {
    if (epitaph_unwind_problem() != NULL) return NULL;
    return library._Ux86_64_create_addr_space(accessors, byte_order);
}
