// SPDX-License-Identifier: Apache-2.0
//
// libdebuginfod of elfutils, loaded when a file is to be fetched from a symbol server: most reports
// are explained without one, and the library loads libcurl.
// docs/decisions/code.md.
//
// The calls are the library's own, declared here so that its header need not be installed. None may
// be called before epitaph_debuginfod_problem has returned NULL. debuginfod_find_debuginfo(3).
#pragma once

// Names of our own: epitaph_loaded_library.h.
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

/// Loads the library, once.
///
/// Returns NULL, or why it cannot be used, as text that stays valid.
const char *epitaph_debuginfod_problem(void);

#pragma GCC visibility pop
