// SPDX-License-Identifier: Apache-2.0
//
// A program of signal actions that a seed chooses. It prints each step, so that the same seed can
// be compared with and without Epitaph.

#ifndef RANDOM_H
#define RANDOM_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAULTING_PAGE_BYTES = 4096 };

/// What a thread jumps back to out of a handler.
extern __thread sigjmp_buf way_out;
extern __thread bool has_way_out;
/// Not readable until a handler repairs it.
extern char *faulting_page;

// chance.c

void choose_seed(uint64_t seed);
/// A number below `limit`; the same in each run of a seed, in the order of the calls.
unsigned chance(unsigned limit);
int any_signal(void);

// telling.c

void prepare_telling(void);
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
/// SIGSEGV without "SIG".
const char *signal_name(int signal);
/// Has another process send this one a signal, and returns once it has.
void be_sent(int signal, bool has_value);
void tell_mask(const char *what, const sigset_t *mask);
void tell_status(void);

// faults.c

void prepare_faults(void);
void fault(void);
/// Repairs the cause of a fault, or goes past the instruction.
void repair(int signal, const siginfo_t *info, void *context);

// sending.c

void send(int signal);

// actions.c

void install(int signal);
void change_action(void);
void ask_action(int signal);
void change_mask(void);
void ask_pending(void);
void take_pending(void);
void set_stack(void);
void ask_stack(void);

// handling.c

void plain_handler(int signal);
void informed_handler(int signal, siginfo_t *info, void *context);

#endif
