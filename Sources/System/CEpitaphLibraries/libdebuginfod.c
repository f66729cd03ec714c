// SPDX-License-Identifier: Apache-2.0
//
// libdebuginfod, opened when it is first needed.

#include "epitaph_debuginfod.h"

#include "epitaph_loaded_library.h"

/// The functions of libdebuginfod.so.1 that are called.
#define DEBUGINFOD_FUNCTIONS(FUNCTION)   \
    FUNCTION(debuginfod_begin)           \
    FUNCTION(debuginfod_end)             \
    FUNCTION(debuginfod_find_debuginfo)  \
    FUNCTION(debuginfod_find_executable) \
    FUNCTION(debuginfod_find_source)     \
    FUNCTION(debuginfod_get_user_data)   \
    FUNCTION(debuginfod_set_progressfn)  \
    FUNCTION(debuginfod_set_user_data)

EPITAPH_LIBRARY("libdebuginfod.so.1", DEBUGINFOD_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_debuginfod_problem, load_library)

debuginfod_client *debuginfod_begin(void) {
    return library.debuginfod_begin();
}

void debuginfod_end(debuginfod_client *client) {
    library.debuginfod_end(client);
}

int debuginfod_find_debuginfo(debuginfod_client *client, const unsigned char *build_id,
                              int build_id_length, char **path) {
    return library.debuginfod_find_debuginfo(client, build_id, build_id_length, path);
}

int debuginfod_find_executable(debuginfod_client *client, const unsigned char *build_id,
                               int build_id_length, char **path) {
    return library.debuginfod_find_executable(client, build_id, build_id_length, path);
}

int debuginfod_find_source(debuginfod_client *client, const unsigned char *build_id,
                           int build_id_length, const char *file_name, char **path) {
    return library.debuginfod_find_source(client, build_id, build_id_length, file_name, path);
}

void debuginfod_set_progressfn(debuginfod_client *client, debuginfod_progressfn_t function) {
    library.debuginfod_set_progressfn(client, function);
}

void debuginfod_set_user_data(debuginfod_client *client, void *value) {
    library.debuginfod_set_user_data(client, value);
}

void *debuginfod_get_user_data(debuginfod_client *client) {
    return library.debuginfod_get_user_data(client);
}
