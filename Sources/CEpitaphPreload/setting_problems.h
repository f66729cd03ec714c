// SPDX-License-Identifier: Apache-2.0
//
// What cannot be used of the settings, in sentences for standard error.

#ifndef EPITAPH_PRELOAD_SETTING_PROBLEMS_H
#define EPITAPH_PRELOAD_SETTING_PROBLEMS_H

#include "preload_settings.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Notes that something cannot be used. `format` is printf(3)'s.
void epitaph_preload_problem_note(epitaph_preload_settings *settings,
                                  const epitaph_preload_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Writes what was noted. Until it is known that the settings are meant for this program nothing
/// may be said.
void epitaph_preload_problems_print(const epitaph_preload_settings *settings);

/// Writes a line to standard error, if that cannot make the program wait: pipe(7) promises room for
/// PIPE_BUF bytes once poll(2) reports room.
void epitaph_preload_line_print(const char *text, size_t count);

#pragma GCC visibility pop

#endif
