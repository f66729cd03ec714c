// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of libunwind are those of the library's own headers.

#include <libunwind-x86_64.h>

#include "same.h"

// A function that is declared twice must be declared alike.
#include "declared/epitaph_unwind_calls.h"

// The structs are defined once more, by other names.
#define unw_accessors our_accessors
#define unw_accessors_t our_accessors_t
#define unw_cursor our_cursor
#define unw_cursor_t our_cursor_t
#define unw_dyn_info our_dyn_info
#define unw_dyn_info_t our_dyn_info_t
#define unw_dyn_remote_table_info our_table
#define unw_dyn_remote_table_info_t our_table_t
#define unw_proc_info our_proc_info
#define unw_proc_info_t our_proc_info_t
#include "declared/epitaph_unwind_types.h"
#undef unw_accessors
#undef unw_accessors_t
#undef unw_cursor
#undef unw_cursor_t
#undef unw_dyn_info
#undef unw_dyn_info_t
#undef unw_dyn_remote_table_info
#undef unw_dyn_remote_table_info_t
#undef unw_proc_info
#undef unw_proc_info_t

SAME_SIZE(our_cursor_t, unw_cursor_t);
SAME_SIZE(our_proc_info_t, unw_proc_info_t);

SAME_SIZE(our_dyn_info_t, unw_dyn_info_t);
SAME_PLACE(our_dyn_info_t, unw_dyn_info_t, start_ip);
SAME_PLACE(our_dyn_info_t, unw_dyn_info_t, end_ip);
SAME_PLACE(our_dyn_info_t, unw_dyn_info_t, format);
SAME_PLACE(our_dyn_info_t, unw_dyn_info_t, u.rti.segbase);
SAME_PLACE(our_dyn_info_t, unw_dyn_info_t, u.rti.table_len);
SAME_PLACE(our_dyn_info_t, unw_dyn_info_t, u.rti.table_data);

// Copied as a whole by the library: it must not be longer than ours.
_Static_assert(sizeof(our_accessors_t) >= sizeof(unw_accessors_t), "unw_accessors_t is longer");
SAME_PLACE(our_accessors_t, unw_accessors_t, find_proc_info);
SAME_PLACE(our_accessors_t, unw_accessors_t, put_unwind_info);
SAME_PLACE(our_accessors_t, unw_accessors_t, get_dyn_info_list_addr);
SAME_PLACE(our_accessors_t, unw_accessors_t, access_mem);
SAME_PLACE(our_accessors_t, unw_accessors_t, access_reg);
SAME_PLACE(our_accessors_t, unw_accessors_t, access_fpreg);
SAME_PLACE(our_accessors_t, unw_accessors_t, resume);
SAME_PLACE(our_accessors_t, unw_accessors_t, get_proc_name);

#define SAME_VALUES(name, values) values
EPITAPH_UNWIND_ENUMS(SAME_VALUES, SAME_VALUE)
