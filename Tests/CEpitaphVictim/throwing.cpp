// SPDX-License-Identifier: Apache-2.0

#include "crashes.h"

#include <stdexcept>

extern "C" __attribute__((noinline)) void crash_throwing(void) {
    throw std::runtime_error("nobody catches this");
}
