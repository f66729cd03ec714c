// SPDX-License-Identifier: Apache-2.0
//
// Variables of the environment whose values are no secret, or may be in dumps.

#include "epitaph_settings.h"
#include "system/bytes.h"

bool epitaph_variable_is_exempt(const char *text, size_t count) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    const char *next = facts->exempt_names;
    const char *end = next + facts->exempt_names_bytes;
    while (next < end) {
        size_t length = epitaph_text_length(next, (size_t)(end - next));
        size_t same = 0;
        while (same < length && same < count && text[same] == next[same])
            same++;
        // A name that ends in `_` stands for all that begin with it: LC_, XDG_.
        bool is_family = length > 1 && next[length - 1] == '_';
        if (same == length && (is_family || (length < count && text[length] == '='))) return true;
        next += length + 1;
    }
    return false;
}
