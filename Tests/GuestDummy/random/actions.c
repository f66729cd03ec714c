// SPDX-License-Identifier: Apache-2.0
//
// Changes of and questions about actions, masks, pending signals and the alternate stack.

#include "random/random.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

typedef void (*handler_of)(int);

static const char *handler_name(handler_of handler) {
    if (handler == SIG_DFL) return "default";
    if (handler == SIG_IGN) return "ignore";
    if (handler == SIG_ERR) return "error";
    if (handler == (handler_of)2) return "hold";
    if (handler == plain_handler) return "plain";
    if ((void *)handler == (void *)informed_handler) return "informed";
    return "another's";
}

static void tell(const struct sigaction *action) {
    say("  %s flags %#x\n", handler_name(action->sa_handler), (unsigned)action->sa_flags);
    tell_mask("its mask", &action->sa_mask);
}

static sigset_t any_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    for (unsigned count = chance(4); count > 0; count--)
        sigaddset(&set, any_signal());
    return set;
}

/// A signal that is never captured goes from the kernel to its handler, where SA_ONSTACK finds the
/// stack that Epitaph gave the thread: docs/limits.md.
static bool may_be_elsewhere(int signal) {
    static const int captured[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGBUS, SIGSYS};
    for (size_t i = 0; i < sizeof captured / sizeof *captured; i++)
        if (captured[i] == signal) return true;
    return false;
}

void install(int signal) {
    static const int flags[] = {(int)SA_RESETHAND, SA_NODEFER, SA_ONSTACK, SA_RESTART};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = plain_handler;
    if (chance(3) > 0) {
        action.sa_sigaction = informed_handler;
        action.sa_flags = SA_SIGINFO;
    }
    for (int i = 0; i < 4; i++)
        if (chance(4) == 0 && (flags[i] != SA_ONSTACK || may_be_elsewhere(signal)))
            action.sa_flags |= flags[i];
    action.sa_mask = any_signals();
    struct sigaction old;
    memset(&old, 0, sizeof old);
    int result = sigaction(signal, &action, chance(4) == 0 ? &old : NULL);
    say("sigaction %s %#x: %d\n", signal_name(signal), (unsigned)action.sa_flags, result);
    tell(&old);
}

void ask_action(int signal) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    say("ask %s: %d\n", signal_name(signal), sigaction(signal, NULL, &action));
    tell(&action);
}

void change_action(void) {
    int signal_number = any_signal();
    static const handler_of handlers[] = {SIG_DFL, SIG_IGN, plain_handler, plain_handler};
    handler_of handler = handlers[chance(4)];
    unsigned way = chance(10);
    if (way > 6) {
        install(signal_number);
        return;
    }
    handler_of old = SIG_DFL;
    int result = 0;
    switch (way) {
    case 0: old = sigset(signal_number, chance(4) == 0 ? (handler_of)2 : handler); break;
    case 1: result = sigignore(signal_number); break;
    case 2: result = siginterrupt(signal_number, (int)chance(2)); break;
    case 3: old = sysv_signal(signal_number, handler); break;
    default: old = signal(signal_number, handler); break;
    }
    say("change %s %u to %s: %d, was %s\n", signal_name(signal_number), way, handler_name(handler),
        result, handler_name(old));
}

void change_mask(void) {
    static const int ways[] = {SIG_BLOCK, SIG_UNBLOCK, SIG_UNBLOCK, SIG_SETMASK};
    int way = ways[chance(4)];
    sigset_t set = any_signals();
    sigset_t old;
    tell_mask(way == SIG_BLOCK ? "block" : way == SIG_UNBLOCK ? "unblock" : "set", &set);
    sigprocmask(way, &set, &old);
    tell_mask("was", &old);
}

void ask_pending(void) {
    sigset_t set;
    sigpending(&set);
    tell_mask("pending", &set);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    tell_mask("blocked", &set);
}

void take_pending(void) {
    sigset_t set;
    sigpending(&set);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    struct timespec no_time = {0, 0};
    int signal = sigtimedwait(&set, &info, &no_time);
    say("take %d, code %d\n", signal, signal < 0 ? errno : info.si_code);
}

enum { STACK_BYTES = 1 << 17 };

static void tell_stack(const char *what, const stack_t *stack) {
    const char *whose = stack->ss_size == STACK_BYTES ? "own" : "another";
    say("  %s stack %s, flags %d\n", what, stack->ss_sp == NULL ? "none" : whose, stack->ss_flags);
}

void ask_stack(void) {
    stack_t stack;
    memset(&stack, 0x5a, sizeof stack);
    say("ask stack: %d\n", sigaltstack(NULL, &stack));
    tell_stack("present", &stack);
}

/// One of its own, or none; refused inside of a handler on it.
void set_stack(void) {
    stack_t stack = {.ss_flags = SS_DISABLE};
    stack_t old = {.ss_flags = 0};
    if (chance(4) > 0) {
        stack.ss_flags = 0;
        stack.ss_size = STACK_BYTES;
        stack.ss_sp =
            mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    int result = sigaltstack(&stack, chance(2) == 0 ? &old : NULL);
    say("stack %d: %d\n", stack.ss_flags, result);
    tell_stack("earlier", &old);
}
