// SPDX-License-Identifier: Apache-2.0

#ifndef THREAD_WAYS_H
#define THREAD_WAYS_H

#include <epitaph.h>

/// The way that is called `name`, or NULL: deaths and non-deaths of processes with special threads.
void (*thread_way(const char *name))(void);

/// Settings of these ways:
///   early        two threads that exist before Epitaph starts; the crash is on one of them
///   early-main   the same, and the crash is on the main thread
///   early-large  with one of these: the threads have larger alternate stacks of their own
///   early-tiny   a raw thread exists before, whose stack has no room for a signal
///   waiting      a thread waits for SIGPROF in sigwait(3) before Epitaph starts, and ends the
///                process with 84 when it comes
///   profiled     SIGPROF has a handler before Epitaph starts, and must have it afterwards
///   left-alone   Epitaph sends nothing to threads that exist
///   ptrace       threads that block the stop signal are traced
///   no-ptrace    ptrace(2) is answered with EPERM
///   undumpable   the process may not be traced, as one that gave up its rights
int thread_setting(int count, char **arguments, const char *name);

/// To be called before Epitaph starts.
void thread_settings_before_start(int count, char **arguments, epitaph_options *options);

/// To be called last. Does not return with the setting `early`: another thread dies in `way`.
void thread_settings_before_crash(int count, char **arguments, void (*crash)(const char *),
                                  const char *way);

/// Makes a thread with raw clone(2) whose stack ends where a signal's frame would be.
void start_tiny_thread(void);

/// Whether the memory below that stack is as it was.
int is_below_tiny_thread_intact(void);

/// A way: the early threads end, and their stacks must be given back when others begin.
void end_early_threads(void);

#endif
