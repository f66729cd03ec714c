// SPDX-License-Identifier: Apache-2.0
//
// The fields of a siginfo that are set, by signal and code: sigaction(2).

#include "signals/actions.h"

#include "epitaph_system.h"

/// In other signals the bytes of si_addr are a pid or a timer, sigaction(2).
static bool has_address(int signal, int code) {
    if (code <= 0) return false;
    return epitaph_signals_have(epitaph_fault_signals(), signal);
}

static bool has_sender(int code) {
    return code == SI_USER || code == SI_TKILL || code == SI_QUEUE;
}

epitaph_signal_values epitaph_signal_values_of(int signal, const siginfo_t *info) {
    epitaph_signal_values values;
    values.has_address = has_address(signal, info->si_code);
    values.has_sender = has_sender(info->si_code);
    // For SIGSYS this is si_call_addr, at the same place.
    values.address = values.has_address ? (uint64_t)info->si_addr : 0;
    values.sender_pid = values.has_sender ? info->si_pid : 0;
    values.sender_uid = values.has_sender ? info->si_uid : 0;
    return values;
}
