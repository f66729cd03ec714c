// SPDX-License-Identifier: Apache-2.0
//
// Names from signal(7) and sigaction(2).

#include "signals/actions.h"

#include "epitaph_signal_names.h"

typedef struct code_name {
    /// 0: codes of any signal.
    int signal;
    int code;
    const char *name;
} code_name;

#define SIGNAL_NAME(name) [SIG##name] = "SIG" #name,
static const char *const signal_names[] = {EPITAPH_SIGNAL_NAMES(SIGNAL_NAME)};
#undef SIGNAL_NAME

static const code_name code_names[] = {
    {0, SI_USER, "SI_USER"},
    {0, SI_KERNEL, "SI_KERNEL"},
    {0, SI_QUEUE, "SI_QUEUE"},
    {0, SI_TIMER, "SI_TIMER"},
    {0, SI_TKILL, "SI_TKILL"},
    {SIGSEGV, SEGV_MAPERR, "SEGV_MAPERR"},
    {SIGSEGV, SEGV_ACCERR, "SEGV_ACCERR"},
    {SIGBUS, BUS_ADRALN, "BUS_ADRALN"},
    {SIGBUS, BUS_ADRERR, "BUS_ADRERR"},
    {SIGBUS, BUS_OBJERR, "BUS_OBJERR"},
    {SIGILL, ILL_ILLOPC, "ILL_ILLOPC"},
    {SIGILL, ILL_ILLOPN, "ILL_ILLOPN"},
    {SIGILL, ILL_ILLTRP, "ILL_ILLTRP"},
    {SIGILL, ILL_PRVOPC, "ILL_PRVOPC"},
    {SIGFPE, FPE_INTDIV, "FPE_INTDIV"},
    {SIGFPE, FPE_INTOVF, "FPE_INTOVF"},
    {SIGFPE, FPE_FLTDIV, "FPE_FLTDIV"},
    {SIGFPE, FPE_FLTOVF, "FPE_FLTOVF"},
    {SIGFPE, FPE_FLTUND, "FPE_FLTUND"},
    {SIGFPE, FPE_FLTRES, "FPE_FLTRES"},
    {SIGFPE, FPE_FLTINV, "FPE_FLTINV"},
    {SIGTRAP, TRAP_BRKPT, "TRAP_BRKPT"},
    {SIGTRAP, TRAP_TRACE, "TRAP_TRACE"},
    // asm-generic/siginfo.h
    {SIGSYS, 1, "SYS_SECCOMP"},
};

enum {
    SIGNAL_NAME_COUNT = sizeof signal_names / sizeof *signal_names,
    CODE_NAME_COUNT = sizeof code_names / sizeof *code_names,
};

const char *epitaph_signal_name(int signal) {
    return signal > 0 && signal < SIGNAL_NAME_COUNT ? signal_names[signal] : NULL;
}

const char *epitaph_signal_code_name(int signal, int code) {
    for (int i = 0; i < CODE_NAME_COUNT; i++) {
        if (code_names[i].code != code) continue;
        if (code_names[i].signal == 0 || code_names[i].signal == signal) return code_names[i].name;
    }
    return NULL;
}
