// SPDX-License-Identifier: Apache-2.0
//
// libdebuginfod of elfutils, loaded when a file is to be fetched from a symbol server: most reports
// are explained without one, and the library loads libcurl.
// docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared here so that its header need not be installed. None may
// be called before epitaph_debuginfod_problem has returned NULL. debuginfod_find_debuginfo(3).
#pragma once

#pragma redefine_extname debuginfod_begin epitaph_debuginfod_begin
#pragma redefine_extname debuginfod_end epitaph_debuginfod_end
#pragma redefine_extname debuginfod_find_debuginfo epitaph_debuginfod_find_debuginfo
#pragma redefine_extname debuginfod_find_executable epitaph_debuginfod_find_executable
#pragma redefine_extname debuginfod_find_source epitaph_debuginfod_find_source
#pragma redefine_extname debuginfod_get_user_data epitaph_debuginfod_get_user_data
#pragma redefine_extname debuginfod_set_progressfn epitaph_debuginfod_set_progressfn
#pragma redefine_extname debuginfod_set_user_data epitaph_debuginfod_set_user_data

/// A session, for one thread at a time.
typedef struct debuginfod_client debuginfod_client;

/// Called several times a second while a file is fetched; anything but 0 stops that. `total` is 0
/// while it is not known, and `done` counts calls until a server has begun to send.
typedef int (*debuginfod_progressfn_t)(debuginfod_client *client, long done, long total);

debuginfod_client *debuginfod_begin(void);
void debuginfod_end(debuginfod_client *client);

// Each returns a descriptor, or a negated errno; `path` is then allocated with malloc(3).
int debuginfod_find_debuginfo(debuginfod_client *client, const unsigned char *build_id,
                              int build_id_length, char **path);
int debuginfod_find_executable(debuginfod_client *client, const unsigned char *build_id,
                               int build_id_length, char **path);
int debuginfod_find_source(debuginfod_client *client, const unsigned char *build_id,
                           int build_id_length, const char *file_name, char **path);

void debuginfod_set_progressfn(debuginfod_client *client, debuginfod_progressfn_t function);
void debuginfod_set_user_data(debuginfod_client *client, void *value);
void *debuginfod_get_user_data(debuginfod_client *client);

#pragma GCC visibility push(hidden)

/// Loads the library, once.
///
/// Returns NULL, or why it cannot be used, as text that stays valid.
const char *epitaph_debuginfod_problem(void);

#pragma GCC visibility pop
