// SPDX-License-Identifier: Apache-2.0

#ifndef CRASH_DUMMY_PRIVATE_WAYS_H
#define CRASH_DUMMY_PRIVATE_WAYS_H

#include <epitaph.h>

/// The setting `allowed`: the environment variable SECRET_TOKEN may be in dumps.
void private_settings_before_start(int count, char **settings, epitaph_options *options);

#endif
