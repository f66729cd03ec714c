// SPDX-License-Identifier: Apache-2.0
//
// The address in a pointer. On aarch64 the processor ignores the highest byte of a pointer to data
// ("Top Byte Ignore", Arm ARM D8.8), which memory tagging and HWASan use, and with pointer
// authentication the bits below it may hold a code. Maps of the address space contain neither.
// ANY-TIME.

#ifndef EPITAPH_PROCESSOR_POINTER_ADDRESS_H
#define EPITAPH_PROCESSOR_POINTER_ADDRESS_H

#include "epitaph_settings.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

static inline uint64_t epitaph_pointer_address(uint64_t pointer) {
#if defined(__aarch64__)
    const uint64_t kernel_bit = 1ull << 55;
    const uint64_t below_tag = (1ull << 56) - 1;
    uint64_t mask = epitaph_capture_settings_now.facts.address_mask;
    // An address of the kernel: all bits above are set, and none of them is a tag.
    if ((pointer & kernel_bit) != 0) return pointer;
    return pointer & (mask == 0 ? below_tag : mask);
#else
    return pointer;
#endif
}

#pragma GCC visibility pop

#endif
