// SPDX-License-Identifier: Apache-2.0
//
// What the environment says, all over the process: `SECRET_TOKEN`, which came with it, and
// `LATE_TOKEN`, the same backwards, which is set here. The program's own files hold neither.

#include "private_ways.h"

#include "ways.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_LIMIT = 256, HEAP_BYTES = 4096, BESIDE_ADDRESS = 4, ADDRESS_BYTES = 6 };

static atomic_int ready;

/// Sets LATE_TOKEN, which lies on the heap, and returns it.
static const char *set_late_token(void) {
    const char *token = getenv("SECRET_TOKEN");
    char late[TOKEN_LIMIT];
    size_t count = token == NULL ? 0 : strlen(token);
    if (count == 0 || count >= sizeof late) _exit(64);
    for (size_t i = 0; i < count; i++)
        late[i] = token[count - 1 - i];
    late[count] = 0;
    setenv("LATE_TOKEN", late, 1);
    memset(late, 0, sizeof late);
    __asm__ volatile("" : : "r"(late) : "memory");
    return getenv("LATE_TOKEN");
}

#if defined(__x86_64__)

// Whole registers at the beginning, in the middle, and with what lies before the value; the last
// instruction dies, or goes on for ever.
#define WITH_REGISTERS(registers, ending)                     \
    __asm__ volatile(registers ending                         \
                     :                                        \
                     : "r"(token), "r"(late), "r"(token - 11) \
                     : "rax", "rbx", "r8", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "memory")

#define NARROW                 \
    "movdqu (%0), %%xmm1\n\t"  \
    "movdqu 5(%0), %%xmm2\n\t" \
    "movdqu (%1), %%xmm3\n\t"  \
    "movdqu 7(%1), %%xmm4\n\t" \
    "movdqu (%2), %%xmm5\n\t"  \
    "movq 3(%0), %%rbx\n\t"    \
    "movq 9(%1), %%r8\n\t"
#define WIDE                     \
    "vmovdqu (%0), %%ymm1\n\t"   \
    "vmovdqu 5(%0), %%ymm2\n\t"  \
    "vmovdqu (%1), %%ymm3\n\t"   \
    "vmovdqu 11(%1), %%ymm4\n\t" \
    "vmovdqu (%2), %%ymm5\n\t"   \
    "movq 3(%0), %%rbx\n\t"      \
    "movq 9(%1), %%r8\n\t"
#define DIES "movl $16, %%eax\n\tmovl $1, (%%rax)"
#define STAYS "1: jmp 1b"

__attribute__((noinline)) static void die_with(const char *token, const char *late) {
    if (__builtin_cpu_supports("avx")) WITH_REGISTERS(WIDE, DIES);
    WITH_REGISTERS(NARROW, DIES);
}

__attribute__((noinline)) static void stay_with(const char *token, const char *late) {
    if (__builtin_cpu_supports("avx")) WITH_REGISTERS(WIDE, STAYS);
    WITH_REGISTERS(NARROW, STAYS);
}

#else

#define WITH_REGISTERS(ending)                                \
    __asm__ volatile("ldr q1, [%0]\n\t"                       \
                     "ldur q2, [%0, #5]\n\t"                  \
                     "ldr q3, [%1]\n\t"                       \
                     "ldur q4, [%1, #7]\n\t"                  \
                     "ldr q5, [%2]\n\t"                       \
                     "ldur x3, [%0, #3]\n\t"                  \
                     "ldur x4, [%1, #9]\n\t" ending           \
                     :                                        \
                     : "r"(token), "r"(late), "r"(token - 11) \
                     : "x3", "x4", "x9", "v1", "v2", "v3", "v4", "v5", "memory")
#define DIES "mov x9, #16\n\tstr w9, [x9]"
#define STAYS "1: b 1b"

__attribute__((noinline)) static void die_with(const char *token, const char *late) {
    WITH_REGISTERS(DIES);
}

__attribute__((noinline)) static void stay_with(const char *token, const char *late) {
    WITH_REGISTERS(STAYS);
}

#endif

/// Copies of both on the stack, in small pieces of it and at odd places, and on the heap.
#define SPREAD_OUT(token, late)                  \
    char first[TOKEN_LIMIT] = {0};               \
    char second[TOKEN_LIMIT] = {0};              \
    char *volatile heap = calloc(1, HEAP_BYTES); \
    strcpy(first + 3, token);                    \
    strcpy(second + 8, late);                    \
    strcpy(heap + 1, token);                     \
    strcpy(heap + 64, late);                     \
    __asm__ volatile("" : : "r"(first), "r"(second) : "memory")

static void *stay(void *argument) {
    const char *token = getenv("SECRET_TOKEN");
    const char *late = getenv("LATE_TOKEN");
    SPREAD_OUT(token, late);
    atomic_fetch_add(&ready, 1);
    stay_with(token, late);
    return argument;
}

/// The same where it has a large stack, which goes to the file in pieces.
static void *stay_deep(void *argument) {
    volatile char used[150 << 10];
    for (size_t i = 0; i < sizeof used; i++)
        used[i] = (char)(i | 1);
    stay(argument);
    used[0] = used[1];
    return argument;
}

static void *stay_deaf(void *argument) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return stay(argument);
}

static void die_with_secrets(void) {
    const char *late = set_late_token();
    const char *token = getenv("SECRET_TOKEN");
    start_threads(1, stay);
    start_threads(1, stay_deep);
    start_threads(1, stay_deaf);
    while (atomic_load(&ready) < 3)
        usleep(1000);
    static char registered[TOKEN_LIMIT];
    strcpy(registered + 5, token);
    epitaph_memory_register(registered, sizeof registered);
    SPREAD_OUT(token, late);
    die_with(token, late);
}

/// A variable that happens to end like an address of this program's code, and both on the stack.
static void die_beside_address(void) {
    struct {
        uint64_t mark;
        char text[8];
        uint64_t address;
        uint64_t end;
    } volatile frame = {.mark = 0x1122334455667788, .address = (uint64_t)die_beside_address};
    // In one piece, whatever the compiler could do with its members.
    __asm__ volatile("" : : "r"(&frame) : "memory");
    // Where a call might have returned to, without a zero in the bytes that stay the same.
    while (frame.address % 256 == 0 || frame.address / 256 % 256 == 0)
        frame.address++;
    char value[BESIDE_ADDRESS + ADDRESS_BYTES + 1] = "abcd";
    uint64_t address = frame.address;
    memcpy(value + BESIDE_ADDRESS, &address, ADDRESS_BYTES);
    // With a zero in it it can be in no variable: another run has other addresses.
    if (strlen(value) < BESIDE_ADDRESS + ADDRESS_BYTES) _exit(75);
    setenv("LATE_TOKEN", value, 1);
    memcpy((char *)frame.text, "....abcd", sizeof frame.text);
    frame.end = frame.mark;
    memset(value, 0, sizeof value);
    __asm__ volatile("" : : "r"(value) : "memory");
    *(volatile int *)(uintptr_t)16 = 1;
}

void private_settings_before_start(int count, char **settings, epitaph_options *options) {
    static const char *const allowed[] = {"SECRET_TOKEN", NULL};
    for (int i = 4; i < count; i++) {
        if (strcmp(settings[i], "allowed") == 0) options->environment_allow_list = allowed;
    }
}

const way private_ways[] = {
    {"secrets", die_with_secrets}, {"beside-address", die_beside_address}, {NULL, NULL}};
