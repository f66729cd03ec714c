// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#define SAME_SIZE(ours, theirs) \
    _Static_assert(sizeof(ours) == sizeof(theirs), #theirs " has another size")

#define SAME_PLACE(ours, theirs, member)                                             \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, member) &&             \
                       sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->member), \
                   #member " of " #theirs " is elsewhere")

#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name " is another number");
