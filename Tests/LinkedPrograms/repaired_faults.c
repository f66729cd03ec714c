// SPDX-License-Identifier: Apache-2.0
//
// What a handler that repairs a fault finds: stack, masks, floating-point registers, and what its
// changes to them do. Printed, so that it can be compared with and without Epitaph.
//
//     repaired_faults DATABASE|none

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, STACK_BYTES = 1 << 17, NEAR_BYTES = 1 << 15, ROUNDS = 3 };

static volatile char *page;
static volatile sig_atomic_t requests;

static uint64_t mask_of(const sigset_t *set) {
    uint64_t mask;
    memcpy(&mask, set, sizeof mask);
    return mask;
}

#if defined(__x86_64__)

static uintptr_t stack_pointer(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/// The low half of the register that `fault` uses.
static uint64_t *float_in_frame(ucontext_t *context) {
    return (uint64_t *)&context->uc_mcontext.fpregs->_xmm[7];
}

static uint64_t fault(uint64_t value) {
    __asm__ volatile("movq %0, %%xmm7\n"
                     "movb $1, (%1)\n"
                     "movq %%xmm7, %0"
                     : "+r"(value)
                     : "r"(page)
                     : "xmm7", "memory");
    return value;
}

#else

static uintptr_t stack_pointer(const ucontext_t *context) {
    return (uintptr_t)context->uc_mcontext.sp;
}

static uint64_t *float_in_frame(ucontext_t *context) {
    struct fpsimd_context *floats = (struct fpsimd_context *)context->uc_mcontext.__reserved;
    return (uint64_t *)&floats->vregs[7];
}

static uint64_t fault(uint64_t value) {
    __asm__ volatile("fmov d7, %0\n"
                     "strb wzr, [%1]\n"
                     "fmov %0, d7"
                     : "+r"(value)
                     : "r"(page)
                     : "v7", "memory");
    return value;
}

#endif

static void on_request(int signal) {
    (void)signal;
    requests++;
}

static void tell(const siginfo_t *info, ucontext_t *context) {
    char text[256];
    sigset_t blocked;
    stack_t stack;
    uintptr_t here = (uintptr_t)&stack;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigaltstack(NULL, &stack);
    bool has_own = (stack.ss_flags & SS_DISABLE) == 0 && stack.ss_size == STACK_BYTES;
    bool is_on_own = has_own && here - (uintptr_t)stack.ss_sp < STACK_BYTES;
    bool is_below = stack_pointer(context) - here < NEAR_BYTES;
    bool is_aligned = (uintptr_t)float_in_frame(context) % 16 == 0;
    uint64_t *value = float_in_frame(context);
    bool is_near = (uintptr_t)value - here < NEAR_BYTES;
    int length = snprintf(text, sizeof text,
                          "  code %d at %d, %s%s, mask %#lx, interrupted %#lx, floats %s%s%lu\n",
                          info->si_code, (int)((char *)info->si_addr - (char *)page),
                          is_on_own  ? "on its stack"
                          : is_below ? "on the usual stack"
                                     : "elsewhere",
                          has_own ? ", has one" : "", (unsigned long)mask_of(&blocked),
                          (unsigned long)mask_of(&context->uc_sigmask), is_near ? "" : "far ",
                          is_aligned ? "" : "crooked ", (unsigned long)*value);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) _exit(71);
    *value += 1000;
}

static void mend(int signal, siginfo_t *info, void *context) {
    tell(info, context);
    // Comes now, unless it is blocked here.
    pthread_kill(pthread_self(), SIGUSR1);
    if (mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE) != 0) _exit(72);
    (void)signal;
}

static void fault_with(int flags, int masked) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = mend;
    action.sa_flags = SA_SIGINFO | flags;
    if (masked != 0) sigaddset(&action.sa_mask, masked);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        sigset_t blocked;
        sigaction(SIGSEGV, &action, NULL);
        mprotect((void *)page, PAGE_BYTES, PROT_READ);
        uint64_t value = fault(i + 1);
        sigprocmask(SIG_BLOCK, NULL, &blocked);
        struct sigaction after;
        sigaction(SIGSEGV, NULL, &after);
        printf("flags %#x: value %lu, mask %#lx, requests %d%s\n", (unsigned)flags,
               (unsigned long)value, (unsigned long)mask_of(&blocked), (int)requests,
               after.sa_handler == SIG_DFL ? ", default" : "");
        fflush(stdout);
    }
}

static void fault_with_all(void) {
    static const int flags[] = {0,          SA_ONSTACK,       SA_NODEFER, SA_ONSTACK | SA_NODEFER,
                                SA_RESTART, (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        fault_with(flags[i], 0);
        fault_with(flags[i], SIGUSR1);
    }
}

static void *fault_in_thread(void *has_own_stack) {
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    sigset_t some;
    if (has_own_stack != NULL) sigaltstack(&stack, NULL);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    fault_with_all();
    // SS_AUTODISARM of linux/signal.h: handlers find no alternate stack.
    stack.ss_flags = (int)(1u << 31);
    if (has_own_stack != NULL && sigaltstack(&stack, NULL) == 0) fault_with_all();
    return NULL;
}

static void run(void *has_own_stack) {
    pthread_t thread;
    printf("a thread with%s a stack of its own\n", has_own_stack != NULL ? "" : "out");
    fflush(stdout);
    pthread_create(&thread, NULL, fault_in_thread, has_own_stack);
    pthread_join(thread, NULL);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    if (strcmp(arguments[1], "none") != 0) {
        epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
        options.database_path = arguments[1];
        options.bundle_id = "org.example.repaired";
        options.allows_debugger = 1;
        epitaph_error error;
        if (epitaph_start(&options, &error) != EPITAPH_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 70;
        }
    }
    signal(SIGUSR1, on_request);
    page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 73;
    fault_with_all();
    run(NULL);
    run((void *)page);
    return 0;
}
