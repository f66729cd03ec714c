// SPDX-License-Identifier: Apache-2.0
//
// Arguments and environment, above the main stack, which stay out of dumps.

#include "privacy/privacy.h"

enum {
    /// The most that execve(2) takes, a quarter of the usual 8 MiB stack, and more.
    ARGUMENTS_LIMIT = 8 << 20,
};

epitaph_range epitaph_argument_area(const epitaph_capture *capture) {
    epitaph_range range;
    range.start = epitaph_capture_settings_now.facts.main_stack_end;
    range.end = range.start;
    if (range.start == 0) return range;
    const epitaph_mapping *mapping = epitaph_mappings_find(&capture->mappings, range.start);
    range.end = mapping == NULL ? range.start + ARGUMENTS_LIMIT : mapping->end;
    return range;
}

bool epitaph_range_is_private(const epitaph_capture *capture, epitaph_range range) {
    epitaph_range private = epitaph_argument_area(capture);
    return range.start < private.end && range.end > private.start;
}
