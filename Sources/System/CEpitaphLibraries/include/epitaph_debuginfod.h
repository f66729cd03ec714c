// SPDX-License-Identifier: Apache-2.0
//
// libdebuginfod of elfutils, debuginfod_find_debuginfo(3). Loaded only to fetch, because it loads
// libcurl. docs/decisions/code.md. Call epitaph_debuginfod_problem first; it must return NULL.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define debuginfod_begin epitaph_debuginfod_begin
#define debuginfod_end epitaph_debuginfod_end
#define debuginfod_find_debuginfo epitaph_debuginfod_find_debuginfo
#define debuginfod_find_executable epitaph_debuginfod_find_executable
#define debuginfod_find_source epitaph_debuginfod_find_source
#define debuginfod_get_user_data epitaph_debuginfod_get_user_data
#define debuginfod_set_progressfn epitaph_debuginfod_set_progressfn
#define debuginfod_set_user_data epitaph_debuginfod_set_user_data
#define debuginfod_client epitaph_debuginfod_client
#define debuginfod_progressfn_t epitaph_debuginfod_progressfn_t

#include "../declared/epitaph_debuginfod_calls.h"

#pragma GCC visibility push(hidden)

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_debuginfod_problem(void);

#pragma GCC visibility pop
