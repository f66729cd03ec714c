// SPDX-License-Identifier: Apache-2.0
//
// _exit(2) and _Exit(3), which leave no mark. But a program that left the handler of a fault by a
// jump shows here that it has survived: what the fault left in the armed file is no crash.
// docs/decisions/dying-the-true-death.md

#include "base/base.h"
#include "endings/endings.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*real_exit)(int status);

// Before main: dlsym(3) takes the loader's lock.
__attribute__((constructor)) static void find(void) {
    real_exit = (void (*)(int))dlsym(RTLD_NEXT, "_exit");
}

EPITAPH_RUN_IN_CHILDREN static _Noreturn void end(int status) {
    epitaph_exit_settle();
    if (real_exit != NULL) real_exit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

EPITAPH_RUN_IN_CHILDREN __attribute__((visibility("default"))) _Noreturn void _exit(int status) {
    end(status);
}

EPITAPH_RUN_IN_CHILDREN __attribute__((visibility("default"))) _Noreturn void _Exit(int status) {
    end(status);
}
