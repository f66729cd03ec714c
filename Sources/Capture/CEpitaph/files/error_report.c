// SPDX-License-Identifier: Apache-2.0
//
// Dumps of errors that the program handled.

#include "base/base.h"
#include "files/files.h"

#include <stdio.h>
#include <string.h>

enum { TYPE_LIMIT = 255, SAID_SIZE = 4096 };

static bool is_type(const char *type) {
    if (type == NULL) return false;
    size_t length = strnlen(type, TYPE_LIMIT + 1);
    return length > 0 && length <= TYPE_LIMIT;
}

/// Writes `TYPE: MESSAGE`, replacing characters in the type that could end it.
static void say(char said[SAID_SIZE], const char *type, const char *message) {
    size_t length = strlen(type);
    memcpy(said, type, length);
    for (size_t i = 0; i < length; i++) {
        bool ends_type = i + 1 < length && said[i] == ':' && said[i + 1] == ' ';
        if (ends_type || (unsigned char)said[i] < ' ') said[i] = '?';
    }
    said[length] = 0;
    if (message == NULL || message[0] == 0) return;
    snprintf(said + length, SAID_SIZE - length, ": %s", message);
}

epitaph_status epitaph_error_report(const char *type, const char *message, epitaph_error *error) {
    if (!is_type(type)) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "type: an error's type has 1 to %d bytes", TYPE_LIMIT);
    }
    char said[SAID_SIZE];
    say(said, type, message);
    epitaph_live_request request = EPITAPH_LIVE_REQUEST_DEFAULT;
    request.kind = EPITAPH_REPORT_HANDLED_ERROR;
    request.threads = EPITAPH_LIVE_THREADS_SUBJECT;
    request.message = said;
    request.message_source = "error";
    return epitaph_live_dump_make(&request, NULL, error);
}
