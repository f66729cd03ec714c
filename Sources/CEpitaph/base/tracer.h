// SPDX-License-Identifier: Apache-2.0
//
// Whether somebody debugs this process.

#ifndef EPITAPH_BASE_TRACER_H
#define EPITAPH_BASE_TRACER_H

#pragma GCC visibility push(hidden)

/// ANY-TIME. The process that traces this one, ptrace(2); 0 for none, or where there is no /proc.
int epitaph_tracer_find(void);

#pragma GCC visibility pop

#endif
