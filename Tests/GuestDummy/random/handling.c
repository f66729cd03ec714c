// SPDX-License-Identifier: Apache-2.0
//
// The program's handlers: they tell what they find, and do what the seed says.

#include "random/random.h"

#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

enum { MAXIMUM_DEPTH = 5, MAXIMUM_CALLS = 60, TOO_MANY = 99, STEPS = 3 };

static volatile int depth;
static volatile int calls;

static const char *stack_of(const void *here) {
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0) return "unknown";
    uintptr_t start = (uintptr_t)stack.ss_sp;
    bool is_inside = (stack.ss_flags & SS_DISABLE) == 0 && (uintptr_t)here - start < stack.ss_size;
    return is_inside ? "alternate" : "usual";
}

/// Whether the signal returns to where it came from is decided by what it returns to.
static void go_back(int signal) {
    say("  resets\n");
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
}

static void leave(bool runs_exit) {
    int status = (int)chance(5);
    say("  exits %d\n", status);
    if (runs_exit) exit(status);
    _exit(status);
}

static void jump(void) {
    if (!has_way_out) return;
    say("  jumps\n");
    depth = 0;
    siglongjmp(way_out, 1);
}

static void change_return_mask(void *context) {
    ucontext_t *returned = context;
    int signal = any_signal();
    say("  returns with %s changed\n", signal_name(signal));
    if (sigismember(&returned->uc_sigmask, signal)) {
        sigdelset(&returned->uc_sigmask, signal);
    } else {
        sigaddset(&returned->uc_sigmask, signal);
    }
}

/// False if the handler is to return now.
static bool step(int signal, const siginfo_t *info, void *context) {
    switch (chance(24)) {
    case 0: send(signal); return true;
    case 1: send(any_signal()); return true;
    case 2: send(SIGABRT); return true;
    case 3:
        go_back(signal);
        send(signal);
        return true;
    case 4: go_back(signal); return false;
    case 5: change_action(); return true;
    case 6: install(signal); return true;
    case 7: leave(false); return true;
    case 8:
        if (chance(3) == 0) leave(true);
        return true;
    case 9: change_mask(); return true;
    case 10:
        if (context != NULL) change_return_mask(context);
        return true;
    case 11: fault(); return true;
    case 12: ask_action(signal); return true;
    case 13: ask_pending(); return true;
    case 14:
        if (chance(2) == 0) set_stack();
        ask_stack();
        return true;
    case 15:
    case 16:
    case 17: jump(); return true;
    case 18:
    case 19:
    case 20:
    case 21:
        if (context != NULL) repair(signal, info, context);
        return false;
    default: return false;
    }
}

static void act(int signal, const siginfo_t *info, void *context) {
    if (++calls > MAXIMUM_CALLS) {
        say("too many\n");
        _exit(TOO_MANY);
    }
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    tell_mask("inside blocked", &blocked);
    if (depth >= MAXIMUM_DEPTH) return;
    depth++;
    for (int i = 0; i < STEPS && step(signal, info, context); i++) {
    }
    depth--;
    say("  returns from %s\n", signal_name(signal));
}

void plain_handler(int signal) {
    say("handler %s on its %s stack\n", signal_name(signal), stack_of(&signal));
    act(signal, NULL, NULL);
}

void informed_handler(int signal, siginfo_t *info, void *context) {
    say("handler %s code %d on its %s stack\n", signal_name(signal), info->si_code,
        stack_of(&signal));
    if (info->si_code > 0) {
        uintptr_t offset = (uintptr_t)info->si_addr - (uintptr_t)faulting_page;
        if (offset < FAULTING_PAGE_BYTES)
            say("  in the page at %d\n", (int)offset);
        else if ((uintptr_t)info->si_addr < FAULTING_PAGE_BYTES)
            say("  at %p\n", info->si_addr);
    } else {
        say("  of itself %d, value %d\n", info->si_pid == getpid(),
            info->si_code == SI_QUEUE ? info->si_int : 0);
    }
    tell_mask("came with", &((ucontext_t *)context)->uc_sigmask);
    act(signal, info, context);
}
