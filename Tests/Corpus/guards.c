// SPDX-License-Identifier: Apache-2.0
//
// main WAY: dies of what aarch64 checks besides permissions. Compiled with signed return addresses
// (-mbranch-protection=standard) and memory tags (+memtag).

#include "ways.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

// <asm/mman.h>, <linux/prctl.h>: older headers do not have them.
enum {
    READ_WRITE_TAGGED = PROT_READ | PROT_WRITE | 0x20,
    LANDING_PADS = 0x10,
    CHECK_AT_ONCE = 0x1 | 0x2,
    ALL_TAGS_BUT_ZERO = 0xfffe << 3,
    BLOCK = 16,
    LARGEST_PAGE = 1 << 16,
};

int *volatile nowhere;
volatile int zero;

KEEP void touch(int value) {
    *nowhere = value;
    zero++;
}

/// A block with the tag 5, then memory with the tag 0.
static KEEP char *tagged_block(void) {
    prctl(PR_SET_TAGGED_ADDR_CTRL, CHECK_AT_ONCE | ALL_TAGS_BUT_ZERO, 0, 0, 0);
    char *block = mmap(NULL, 4096, READ_WRITE_TAGGED, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return NULL;
    uintptr_t tagged = (uintptr_t)block | (uintptr_t)5 << 56;
    __asm__ volatile("stg %0, [%0]" : : "r"(tagged) : "memory");
    return (char *)tagged;
}

static KEEP int read_at(const volatile char *place) {
    int value = *place;
    zero++;
    return value;
}

static KEEP void read_beside_block(void) {
    zero += read_at(tagged_block() + BLOCK);
}

static KEEP void write_at(volatile char *place) {
    *place = 1;
    zero++;
}

static KEEP void write_with_old_tag(void) {
    uintptr_t block = (uintptr_t)tagged_block();
    write_at((char *)(block ^ (uintptr_t)3 << 56));
    zero++;
}

// Alone in its pages, of which the largest have 64 KiB. Its first instruction is no landing pad.
__asm__(".text\n"
        ".balign 65536\n"
        ".type no_landing_pad, %function\n"
        "no_landing_pad:\n"
        ".cfi_startproc\n"
        "  nop\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size no_landing_pad, . - no_landing_pad\n"
        ".balign 65536\n");
extern void no_landing_pad(void);

static KEEP void call(void (*volatile callee)(void)) {
    callee();
    zero++;
}

static KEEP void call_no_landing_pad(void) {
    mprotect((void *)no_landing_pad, LARGEST_PAGE, PROT_READ | PROT_EXEC | LANDING_PADS);
    call(no_landing_pad);
    zero++;
}

/// The frame record of the caller, of which the return address is the second word. Of its signature
/// these bits are there in every size of address: others are neither right nor, by chance, the mark
/// of a signature that failed.
static KEEP void overwrite(uintptr_t *record) {
    const int shift = 52;
    uintptr_t signature = record[1] >> shift & 7;
    uintptr_t other = (signature ^ 4) == 2 ? signature ^ 1 : signature ^ 4;
    record[1] ^= (signature ^ other) << shift;
    zero++;
}

static KEEP void return_with_broken_signature(void) {
    overwrite(__builtin_frame_address(0));
    zero++;
}

static KEEP void fill(uintptr_t *record) {
    memset(&record[1], 'A', sizeof record[1]);
    zero++;
}

static KEEP void return_to_text(void) {
    fill(__builtin_frame_address(0));
    zero++;
}

static const struct way guard_ways[] = {
    {"tag-read", read_beside_block},      {"tag-write", write_with_old_tag},
    {"landing-pad", call_no_landing_pad}, {"broken-signature", return_with_broken_signature},
    {"return-to-text", return_to_text},   {NULL, NULL},
};

int main(int count, char **arguments) {
    for (const struct way *way = guard_ways; count > 1 && way->name != NULL; way++) {
        if (strcmp(way->name, arguments[1]) == 0) way->go();
    }
    fprintf(stderr, "no such way\n");
    return zero + 2;
}
