// SPDX-License-Identifier: Apache-2.0

#ifndef BREADCRUMB_WAYS_H
#define BREADCRUMB_WAYS_H

#include <epitaph.h>

/// `crumbs=N` among the settings: the option of that meaning.
void breadcrumb_settings_before_start(int count, char **settings, epitaph_options *options);

#endif
