// SPDX-License-Identifier: Apache-2.0
//
// Who awaits a Swift task: each async function's context begins with {Parent, ResumeParent}, its
// caller's context and where the caller continues. The callers' frames are on no stack, so without
// these words a report of a task ends at the executor. CRASH-TIME.

#ifndef EPITAPH_STACKS_ASYNC_CONTEXTS_H
#define EPITAPH_STACKS_ASYNC_CONTEXTS_H

#include "capture/capture.h"
#include "system/range.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Forgets an earlier capture.
void epitaph_async_chains_forget(epitaph_capture *capture);
/// Begin and end a thread; the end writes ASYNC_CHAIN_CUTS.
void epitaph_async_chains_begin(epitaph_capture *capture);
void epitaph_async_chains_end(epitaph_capture *capture);

/// Requests the chain of contexts behind every one of `words` that looks like the address of one.
void epitaph_async_contexts_add(epitaph_capture *capture, const uint64_t *words, uint32_t count);

/// Reads the outermost words of `stack` into the workspace; returns how many, or 0 unless the
/// thread runs a task, which shows by return addresses of the concurrency runtime among them. The
/// running async function is there, too, however much stack the functions it calls use.
uint32_t epitaph_async_outer_words_read(epitaph_capture *capture, epitaph_range stack);

#pragma GCC visibility pop

#endif
