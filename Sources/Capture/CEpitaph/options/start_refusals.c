// SPDX-License-Identifier: Apache-2.0
//
// Reasons not to start: more rights than the user's, a debugger, limits that leave
// no room for us.

#include "options/options.h"

#include "base/base.h"

#include <sys/auxv.h>
#include <sys/resource.h>

/// We take seven descriptors and some 23 MB of addresses: what we leave must be most of it.
static const rlim_t least_files = 32;
static const rlim_t least_memory_bytes = 64 << 20;

epitaph_status epitaph_debugger_check(const epitaph_options *options, epitaph_error *error) {
    if (options->allows_debugger) return EPITAPH_OK;
    int tracer = epitaph_tracer_find();
    if (tracer == 0) return EPITAPH_OK;
    return epitaph_error_set(
        error, EPITAPH_DEBUGGER_ATTACHED, 0,
        "a debugger (process %d) is attached, so crashes are left to it and not recorded unless "
        "options.allows_debugger is set",
        tracer);
}

epitaph_status epitaph_secure_execution_check(const epitaph_options *options,
                                              epitaph_error *error) {
    if (getauxval(AT_SECURE) == 0 || options->allows_secure_execution) return EPITAPH_OK;
    return epitaph_error_set(
        error, EPITAPH_SECURE_EXECUTION, 0,
        "this program has more rights than the user who runs it, so its crashes are not recorded "
        "unless options.allows_secure_execution is set");
}

epitaph_status epitaph_limits_check(epitaph_error *error) {
    struct rlimit files, addresses, data;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || getrlimit(RLIMIT_AS, &addresses) != 0 ||
        getrlimit(RLIMIT_DATA, &data) != 0) {
        return EPITAPH_OK;
    }
    if (files.rlim_cur < least_files) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, 0,
                                 "the process may open fewer than 32 files");
    }
    if (addresses.rlim_cur < least_memory_bytes || data.rlim_cur < least_memory_bytes) {
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0,
                                 "the process may have less than 64 MiB of memory");
    }
    return EPITAPH_OK;
}
