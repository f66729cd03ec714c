// SPDX-License-Identifier: Apache-2.0
//
// The names of the standard signals in signal(7), once: the crash says them, and settings are
// written with them.

#ifndef EPITAPH_SIGNAL_NAMES_H
#define EPITAPH_SIGNAL_NAMES_H

/// SIGNAL(name without SIG)
#define EPITAPH_SIGNAL_NAMES(SIGNAL)                                                    \
    SIGNAL(HUP) SIGNAL(INT) SIGNAL(QUIT) SIGNAL(ILL) SIGNAL(TRAP) SIGNAL(ABRT)          \
    SIGNAL(BUS) SIGNAL(FPE) SIGNAL(KILL) SIGNAL(USR1) SIGNAL(SEGV) SIGNAL(USR2)         \
    SIGNAL(PIPE) SIGNAL(ALRM) SIGNAL(TERM) SIGNAL(STKFLT) SIGNAL(CHLD) SIGNAL(CONT)     \
    SIGNAL(STOP) SIGNAL(TSTP) SIGNAL(TTIN) SIGNAL(TTOU) SIGNAL(URG) SIGNAL(XCPU)        \
    SIGNAL(XFSZ) SIGNAL(VTALRM) SIGNAL(PROF) SIGNAL(WINCH) SIGNAL(IO) SIGNAL(PWR)       \
    SIGNAL(SYS)

#endif
