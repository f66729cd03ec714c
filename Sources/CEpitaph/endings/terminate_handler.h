// SPDX-License-Identifier: Apache-2.0
//
// The message of a C++ exception that is not caught. QUIET-TIME.

#ifndef EPITAPH_ENDINGS_TERMINATE_HANDLER_H
#define EPITAPH_ENDINGS_TERMINATE_HANDLER_H

#pragma GCC visibility push(hidden)

/// Makes uncaught C++ exceptions leave their type and what() for the handler. Does nothing in
/// programs without a C++ runtime.
void epitaph_terminate_handler_install(void);

/// Puts the previous terminate handler back if ours is the current one.
void epitaph_terminate_handler_uninstall(void);

#pragma GCC visibility pop

#endif
