// SPDX-License-Identifier: Apache-2.0
//
// Where the settings of a preloaded library come from: a file, and the environment.

#ifndef EPITAPH_PRELOAD_SETTINGS_SOURCES_H
#define EPITAPH_PRELOAD_SETTINGS_SOURCES_H

#include "preload_settings.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Applies the lines of a file. One that does not exist is no problem unless `is_required`.
void epitaph_preload_read_file(epitaph_preload_settings *settings, const char *path,
                               bool is_required);

/// Applies the variables that begin with EPITAPH_, but for EPITAPH_CONFIG.
void epitaph_preload_read_variables(epitaph_preload_settings *settings, char **variables);

/// The value of a variable; NULL for one that is not set or empty.
const char *epitaph_preload_variable(char **variables, const char *name);

#pragma GCC visibility pop

#endif
