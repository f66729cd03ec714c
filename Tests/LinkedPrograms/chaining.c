// SPDX-License-Identifier: Apache-2.0
//
// With CHAINING: a library in front of libc that keeps the program's actions in a table which its
// own handler asks, as sanitizers and libjsig do. Without: a program that repairs three faults by a
// jump.
//
//     chaining DATABASE earlier|later
//
// When the program installs its handler: before or after the start of Epitaph.

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifdef CHAINING

static struct sigaction table[65];

static void handle(int signal, siginfo_t *info, void *context) {
    if ((table[signal].sa_flags & SA_SIGINFO) != 0) {
        table[signal].sa_sigaction(signal, info, context);
    } else {
        table[signal].sa_handler(signal);
    }
}

int __interceptor_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    typedef int (*function)(int, const struct sigaction *, struct sigaction *);
    struct sigaction before = table[signal];
    struct sigaction own;
    if (action != NULL) {
        table[signal] = own = *action;
        if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
            own.sa_flags |= SA_SIGINFO;
            own.sa_sigaction = handle;
        }
        int result = ((function)dlsym(RTLD_NEXT, "sigaction"))(signal, &own, NULL);
        if (result != 0) return result;
    }
    if (old != NULL) *old = before;
    return 0;
}

int sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
    return __interceptor_sigaction(signal, action, old);
}

#else

#include <epitaph.h>

static sigjmp_buf before_fault;

static void jump(int signal) {
    (void)signal;
    siglongjmp(before_fault, 1);
}

static void install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = jump;
    if (sigaction(SIGSEGV, &action, NULL) != 0) perror("sigaction");
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    int is_later = strcmp(arguments[2], "later") == 0;
    if (!is_later) install();
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.chaining";
    options.allows_debugger = 1;
    epitaph_error error;
    if (epitaph_start(&options, &error) != EPITAPH_OK) return 70;
    if (is_later) install();
    for (volatile int i = 0; i < 3; i++) {
        if (sigsetjmp(before_fault, 1) == 0) *(volatile int *)16 = 1;
    }
    puts("repaired");
    return 0;
}

#endif
