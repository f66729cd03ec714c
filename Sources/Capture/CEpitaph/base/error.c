// SPDX-License-Identifier: Apache-2.0
//
// Errors as sentences.

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// The text may be in `buffer`.
static const char *reason(int error_number, char *buffer, size_t size) {
#ifdef __GLIBC__
    return strerror_r(error_number, buffer, size);
#else
    // POSIX version, strerror_r(3).
    return strerror_r(error_number, buffer, size) == 0 ? buffer : "unknown error";
#endif
}

epitaph_status epitaph_error_set(epitaph_error *error, epitaph_status status, int error_number,
                                 const char *format, ...) {
    if (error == NULL) return status;
    error->status = status;
    error->error_number = error_number;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (error_number != 0 && length >= 0 && (size_t)length < sizeof error->message) {
        char buffer[128];
        snprintf(error->message + length, sizeof error->message - (size_t)length, ": %s",
                 reason(error_number, buffer, sizeof buffer));
    }
    return status;
}
