// SPDX-License-Identifier: Apache-2.0
//
// What the used stacks of the benchmark's threads hold.

#ifndef BENCHMARK_CONTENTS_H
#define BENCHMARK_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

/// Fills `bytes` with the content of that name; false if there is none: `touched` (four stores a
/// page), `zeros`, `pointers`, `ramp` (all byte values in order), `english`, `http`, `base64`,
/// `json` and `random`. The same bytes each time; variables and texts share words.
bool benchmark_fill(const char *content, char *bytes, size_t count);

/// The environment of a service in a container, 2 KiB, with the same kinds of words.
extern const char *const benchmark_environment[];

#endif
