// SPDX-License-Identifier: Apache-2.0
//
// Errors as sentences.

#include "base/error.h"

#include "epitaph.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        char reason[128];
        // The GNU version of strerror_r(3): the text may be outside the buffer.
        snprintf(error->message + length, sizeof error->message - (size_t)length, ": %s",
                 strerror_r(error_number, reason, sizeof reason));
    }
    return status;
}
