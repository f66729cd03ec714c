// SPDX-License-Identifier: Apache-2.0
//
// The processor's maker and features, from cpuid or /proc/cpuinfo.

#include "facts/facts.h"

#include <string.h>
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

size_t epitaph_signal_frame_bytes(void) {
    // By an emulator: arm64's frame has 4,688 bytes, MINSIGSTKSZ of its asm/signal.h is this.
    const size_t untold = 5120;
    size_t told = getauxval(AT_MINSIGSTKSZ);
    return told != 0 ? told : untold;
}

#if defined(__x86_64__)

#include <cpuid.h>

enum { XSTATE_LEAF = 0x0d, FIRST_EXTENDED_COMPONENT = 2 };

/// Which components the kernel has enabled: Intel SDM 1, 13.3. Other ones are in no signal frame.
static uint64_t enabled_components(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/// Intel SDM 2, CPUID leaf 0DH: EAX is the component's size, EBX its offset in the standard format.
static void collect_xstate(epitaph_process_facts *facts) {
    uint64_t enabled = enabled_components();
    unsigned a, b, c, d;
    for (unsigned i = FIRST_EXTENDED_COMPONENT; i < EPITAPH_XSTATE_COMPONENT_COUNT; i++) {
        if ((enabled >> i & 1) == 0) continue;
        __cpuid_count(XSTATE_LEAF, i, a, b, c, d);
        if (a != 0) facts->xstate_end_bytes[i] = a + b;
    }
}

// In a virtual machine each cpuid is an exit to the host, of some microseconds.
void epitaph_processor_facts_collect(epitaph_process_facts *facts) {
    unsigned highest, a, b, c, d;
    __cpuid(0, highest, b, c, d);
    memcpy(facts->processor_vendor, &b, 4);
    memcpy(facts->processor_vendor + 4, &d, 4);
    memcpy(facts->processor_vendor + 8, &c, 4);
    __cpuid(1, a, b, c, d);
    facts->processor_signature = a;
    facts->processor_features = d;
    if ((c & bit_OSXSAVE) != 0 && highest >= XSTATE_LEAF) collect_xstate(facts);
    facts->hardware_capabilities = getauxval(AT_HWCAP);
    facts->hardware_capabilities_2 = getauxval(AT_HWCAP2);
}

#elif defined(__aarch64__)

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#ifndef HWCAP_PACA
#define HWCAP_PACA (1ul << 30)
#endif

enum { USER_ADDRESS_BITS = 48 };

/// With pointer authentication the bits above the address, except bit 55, may hold a code. Only
/// ptrace(2) reveals the exact mask (NT_ARM_PAC_MASK), so assume the usual 48 bits.
void epitaph_processor_facts_collect(epitaph_process_facts *facts) {
    facts->hardware_capabilities = getauxval(AT_HWCAP);
    facts->hardware_capabilities_2 = getauxval(AT_HWCAP2);
    if ((facts->hardware_capabilities & HWCAP_PACA) != 0) {
        facts->address_mask = (1ull << USER_ADDRESS_BITS) - 1;
    }
}

#endif
