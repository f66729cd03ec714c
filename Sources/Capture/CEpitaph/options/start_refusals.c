// SPDX-License-Identifier: Apache-2.0
//
// Reasons not to start: more rights than the user's, a debugger.

#include "options/options.h"

#include "base/base.h"

#include <sys/auxv.h>

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
