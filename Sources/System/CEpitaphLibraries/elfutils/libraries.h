// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma GCC visibility push(hidden)

/// Each loads one library: NULL, or why it cannot be used.
const char *epitaph_libelf_load(void);
const char *epitaph_libdw_load(void);

#pragma GCC visibility pop
