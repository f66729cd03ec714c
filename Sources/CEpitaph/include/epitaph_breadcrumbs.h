// SPDX-License-Identifier: Apache-2.0
//
// What led up to a crash, in the program's own words. Comes with epitaph.h.

#ifndef EPITAPH_BREADCRUMBS_H
#define EPITAPH_BREADCRUMBS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// How bad is what a breadcrumb tells of.
typedef enum epitaph_level {
    EPITAPH_LEVEL_DEBUG = 1,
    EPITAPH_LEVEL_INFO = 2,
    EPITAPH_LEVEL_WARNING = 3,
    EPITAPH_LEVEL_ERROR = 4,
    EPITAPH_LEVEL_FATAL = 5,
} epitaph_level;

/// ANY-TIME. Notes that something happened now. The latest `breadcrumb_limit` breadcrumbs
/// (epitaph_options) are in a dump, each with its time, so that a report tells what the program did
/// before it crashed.
///
/// From any thread, any number at once, and from signal handlers: no lock, no allocation, no system
/// call. Each overwrites the oldest. Before epitaph_start nothing is kept. A forked child keeps a
/// copy of its parent's and goes on with that.
///
/// `category` says what it is about, for example "http" or "sql": up to 32 bytes, NULL for nothing.
/// `message` has up to 256 bytes, UTF-8. Longer ones are cut before a character and marked. Do not
/// put in secrets: reports are kept on disk and may be sent.
void epitaph_breadcrumb_add(epitaph_level level, const char *category, const char *message);

/// ANY-TIME. The same for texts that do not end with NUL.
void epitaph_breadcrumb_add_bytes(epitaph_level level, const char *category, size_t category_bytes,
                                  const char *message, size_t message_bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
