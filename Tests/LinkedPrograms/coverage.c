// SPDX-License-Identifier: Apache-2.0
//
// What the library knows of the threads that come through it, for programs outside of it. Linked
// into the library.

#include "threads/thread_start.h"

int coverage(void);

__attribute__((visibility("default"))) int coverage(void) {
    return (int)epitaph_threads_covered();
}
