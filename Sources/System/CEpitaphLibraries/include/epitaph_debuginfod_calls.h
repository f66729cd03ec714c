// SPDX-License-Identifier: Apache-2.0
//
// The functions and types of libdebuginfod.so.1 that are used.
#pragma once

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
