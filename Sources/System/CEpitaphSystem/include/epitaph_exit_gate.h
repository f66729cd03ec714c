// SPDX-License-Identifier: Apache-2.0
//
// exit(3) runs OPENSSL_cleanup(3) and the destructors of libraries while the other threads go on.
// Who is within such a library then crashes, and the program with it. So our threads enter them
// through a gate, which exit closes before their clean-up. docs/decisions/delivery.md
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// False once the process is ending: the library must not be called any more, not even to free
/// what it gave. Otherwise pair it with epitaph_exit_gate_leave; between them no waiting, for exit
/// waits for us. From any thread.
bool epitaph_exit_gate_enter(void);
void epitaph_exit_gate_leave(void);

bool epitaph_exit_gate_is_closed(void);

/// What exit(3) calls once something was loaded that must be left alone from then on. Waits at most
/// two seconds for who is within.
void epitaph_exit_gate_close(void);

#pragma GCC visibility pop
