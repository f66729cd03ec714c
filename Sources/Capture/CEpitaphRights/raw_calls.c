// SPDX-License-Identifier: Apache-2.0
//
// Sandboxes make children with syscall(SYS_clone), which runs no handlers of pthread_atfork(3), and
// then a filter that may kill for whatever we would ask. So such a child gets its dump file as one
// of fork(3) does, at the latest before the filter, and that is noted. Rights are given up, and
// programs end or become others, past libc's functions as well. Calls made in other ways are not
// noticed.

#include "raw_calls.h"

#include "base/base.h"
#include "endings/endings.h"
#include "signals/signals.h"
#include "start/forks.h"

#include <dlfcn.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

long (*epitaph_raw_syscall)(long number, ...);
static int (*real_prctl)(int option, ...);

// Before main: dlsym(3) takes the loader's lock. Or when a constructor that runs before ours calls.
__attribute__((constructor)) void epitaph_raw_calls_find(void) {
    real_prctl = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
    epitaph_raw_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

EPITAPH_RUN_IN_CHILDREN long epitaph_raw_fork_call(long number, long flags, long stack, long third,
                                                   long fourth, long fifth) {
    epitaph_fork_prepare();
    long result = epitaph_raw_syscall(number, flags, stack, third, fourth, fifth);
    if (result == 0) epitaph_fork_begin_in_child();
    return result;
}

/// `is_question`: libseccomp asks without a filter whether the kernel knows the call.
static void prepare_for_filter(bool is_question) {
    epitaph_rights_change_prepare(EPITAPH_REACH_CHANGES);
    if (!is_question) epitaph_signals_prepare_for_filter();
}

long epitaph_raw_seccomp_call(long number, long operation, long flags, long arguments) {
    bool is_filter = operation == SECCOMP_SET_MODE_FILTER || operation == SECCOMP_SET_MODE_STRICT;
    bool has_filter = operation == SECCOMP_SET_MODE_FILTER ? arguments != 0 : flags == 0;
    prepare_for_filter(!is_filter || !has_filter);
    long result = epitaph_raw_syscall(number, operation, flags, arguments);
    if (is_filter && result == 0) epitaph_filter_note();
    return result;
}

long epitaph_raw_user_call(long number, long first, long second, long third) {
    epitaph_rights_change_prepare(EPITAPH_USER_CHANGES);
    return epitaph_raw_syscall(number, first, second, third);
}

/// As execve(2) and _exit(2) of libc's are replaced.
EPITAPH_RUN_IN_CHILDREN long epitaph_raw_last_call(long number, long first, long second, long third,
                                                   long fourth, long fifth) {
    epitaph_exit_settle();
    return epitaph_raw_syscall(number, first, second, third, fourth, fifth);
}

// As libc does: four more arguments, whatever the option takes.
__attribute__((visibility("default"))) int prctl(int option, ...) {
    unsigned long words[4];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (real_prctl == NULL) epitaph_raw_calls_find();
    bool is_filter = option == PR_SET_SECCOMP || option == PR_SET_SYSCALL_USER_DISPATCH;
    if (is_filter) prepare_for_filter(words[0] == SECCOMP_MODE_FILTER && words[1] == 0);
    int result = real_prctl(option, words[0], words[1], words[2], words[3]);
    if (is_filter && result == 0) epitaph_filter_note();
    return result;
}
