// SPDX-License-Identifier: Apache-2.0
//
// What quiet time asks of the sections of a dump. Internal to the package.

#ifndef EPITAPH_SECTIONS_H
#define EPITAPH_SECTIONS_H

#include "epitaph_dump_file_state.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Writes another kind and duration into a dump that is whole, with one write, so that
/// whoever reads it finds both as they were or as they are now. Returns 0 or a negative errno.
long epitaph_report_request_amend(epitaph_dump_file *file, uint8_t kind, uint64_t duration_ns);

#pragma GCC visibility pop

#endif
