// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../include/epitaph_loaded_library.h"

/// A session; one thread at a time.
typedef struct debuginfod_client debuginfod_client;

/// Called several times a second; nonzero cancels. `total` is 0 while unknown.
typedef int (*debuginfod_progressfn_t)(debuginfod_client *client, long done, long total);

// Return a descriptor or a negative errno; `path` is then allocated with malloc(3).
#define EPITAPH_DEBUGINFOD_CALLS(CALL, OWN)                                                  \
    CALL(debuginfod_client *, debuginfod_begin, (void), ())                                  \
    CALL(void, debuginfod_end, (debuginfod_client * client), (client))                       \
    CALL(int, debuginfod_find_debuginfo,                                                     \
         (debuginfod_client * client, const unsigned char *build_id, int build_id_length,    \
          char **path),                                                                      \
         (client, build_id, build_id_length, path))                                          \
    CALL(int, debuginfod_find_executable,                                                    \
         (debuginfod_client * client, const unsigned char *build_id, int build_id_length,    \
          char **path),                                                                      \
         (client, build_id, build_id_length, path))                                          \
    CALL(int, debuginfod_find_source,                                                        \
         (debuginfod_client * client, const unsigned char *build_id, int build_id_length,    \
          const char *file_name, char **path),                                               \
         (client, build_id, build_id_length, file_name, path))                               \
    CALL(void, debuginfod_set_progressfn,                                                    \
         (debuginfod_client * client, debuginfod_progressfn_t function), (client, function)) \
    CALL(void, debuginfod_set_user_data, (debuginfod_client * client, void *value),          \
         (client, value))                                                                    \
    CALL(void *, debuginfod_get_user_data, (debuginfod_client * client), (client))

EPITAPH_DEBUGINFOD_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
