// SPDX-License-Identifier: Apache-2.0
//
// Deaths by a jump to where no code is.

#include "ways.h"

#include <stdint.h>
#include <string.h>

static void (*volatile nobody)(void);

static KEEP void call_nobody(void) {
    nobody();
    zero++;
}

static KEEP void to_null(void) {
    call_nobody();
    zero++;
}

static KEEP void to_unmapped(void) {
    nobody = (void (*)(void))(uintptr_t)0x123450;
    call_nobody();
    zero++;
}

static KEEP void to_data(void) {
    static int data[4] = {1, 2, 3, 4};
    nobody = (void (*)(void))(uintptr_t)data;
    call_nobody();
    zero++;
}

#ifdef __x86_64__
// A stub of the procedure linkage table, found by decoding the call to it.
long probe(long value);
__asm__(".text\n.type probe, @function\nprobe:\n.cfi_startproc\n"
        "call labs@PLT\nret\n.cfi_endproc\n.size probe, . - probe\n");

/// The first `jmp *slot(%rip)` from `code` on, and the slot it reads. Intel SDM 2A, JMP: FF /4.
static void *volatile *slot_of_jump(const unsigned char *code) {
    while (code[0] != 0xff || code[1] != 0x25)
        code++;
    int32_t distance;
    memcpy(&distance, code + 2, sizeof distance);
    return (void *volatile *)(uintptr_t)(code + 6 + distance);
}

/// Where the `call` or `jmp` with a relative operand at `code` leads to.
static const unsigned char *target(const unsigned char *code) {
    int32_t distance;
    memcpy(&distance, code + 1, sizeof distance);
    return code + 5 + distance;
}

/// No canonical address: the jump itself faults, and not what it leads to.
static void *const impossible = (void *)(uintptr_t)0x4141414141414141;

static KEEP void probe_it(void) {
    zero = (int)probe(zero - 1);
    zero++;
}

static KEEP void in_stub(void) {
    *slot_of_jump(target((const unsigned char *)probe)) = impossible;
    probe_it();
}

static KEEP void through_stub_to_null(void) {
    *slot_of_jump(target((const unsigned char *)probe)) = NULL;
    probe_it();
}

// Before a function's first call its slot leads to code that pushes its number and jumps to the
// table's first entry, which pushes another word and jumps into the dynamic linker.
static KEEP void in_first_stub(void) {
    const unsigned char *code = *slot_of_jump(target((const unsigned char *)probe));
    while (code[0] != 0xe9)
        code++;
    *slot_of_jump(target(code)) = impossible;
    probe_it();
}

#endif

const struct way jump_ways[] = {
#ifdef __x86_64__
    {"stub", in_stub},
    {"stub-to-null", through_stub_to_null},
    {"first-stub", in_first_stub},
#endif
    {"jump-to-null", to_null},
    {"jump-to-unmapped", to_unmapped},
    {"jump-to-data", to_data},
    {0, 0},
};
