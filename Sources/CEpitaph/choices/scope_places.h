// SPDX-License-Identifier: Apache-2.0
//
// The places of scopes, as the rest of this library uses them: in a shared library a call of the
// functions of epitaph_task_scopes.h would go through the loader. QUIET-TIME.

#ifndef EPITAPH_CHOICES_SCOPE_PLACES_H
#define EPITAPH_CHOICES_SCOPE_PLACES_H

#include "epitaph_task_scopes.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What epitaph_scope_make does.
uint64_t epitaph_scope_place_take(uint64_t parent, const epitaph_named_attribute *attributes,
                                  size_t count);

/// What epitaph_scope_free does.
void epitaph_scope_place_give(uint64_t token);

#pragma GCC visibility pop

#endif
