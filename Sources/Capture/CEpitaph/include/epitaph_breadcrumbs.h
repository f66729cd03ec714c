// SPDX-License-Identifier: Apache-2.0
//
// What led up to a crash, in the program's own words. Comes with epitaph.h.

#ifndef EPITAPH_BREADCRUMBS_H
#define EPITAPH_BREADCRUMBS_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// How serious what a breadcrumb says is.
typedef enum epitaph_level {
    /// Least serious: details for finding faults.
    EPITAPH_LEVEL_DEBUG = 1,
    /// Something that belongs to normal work.
    EPITAPH_LEVEL_INFO = 2,
    /// Something unusual that may lead to an error.
    EPITAPH_LEVEL_WARNING = 3,
    /// Something failed.
    EPITAPH_LEVEL_ERROR = 4,
    /// Most serious: the program cannot go on.
    EPITAPH_LEVEL_FATAL = 5,
} epitaph_level;

/// ANY-TIME. Records that something happened now. A dump holds the latest `breadcrumb_limit`
/// breadcrumbs (epitaph_options), each with its time, so that a report shows what the program did
/// before it crashed. A new one overwrites the oldest. Before epitaph_start nothing is recorded. A
/// forked child has a copy of its parent's and adds to that.
///
/// Any number of threads and signal handlers may call this at once: it takes no lock, allocates
/// nothing and makes no system call on common hardware, where the clocks are read in the vdso(7).
///
/// `category` says what it is about, for example "http" or "sql": up to 32 bytes of UTF-8, or NULL.
/// `message` has up to 256 bytes of UTF-8. Both end with NUL and are copied; a longer one is cut at
/// a character boundary and marked as cut. The breadcrumb file, if there is one, keeps 4,000 bytes
/// of it. Do not put secrets in: reports are kept on disk and may
/// be sent.
void epitaph_breadcrumb_add(epitaph_level level, const char *category, const char *message);

/// ANY-TIME. The same for texts that are given by their lengths, in bytes, and need no NUL.
void epitaph_breadcrumb_add_bytes(epitaph_level level, const char *category, size_t category_bytes,
                                  const char *message, size_t message_bytes);

/// A breadcrumb with everything it may have. Texts are UTF-8, are given by their lengths in bytes
/// and need no NUL; NULL for none.
typedef struct epitaph_breadcrumb_content {
    /// How serious it is.
    epitaph_level level;
    /// What it is about: up to 32 bytes.
    const char *category;
    size_t category_bytes;
    /// What happened: up to 256 bytes.
    const char *message;
    size_t message_bytes;
    /// Of what kind it is, for example "navigation", "query" or "system": up to 32 bytes.
    const char *kind;
    size_t kind_bytes;
    /// What else there is to know. Kind, names and values of all have 248 bytes together, of which
    /// each takes 4 for itself and a number 8. A string that is too long for the rest is cut, and
    /// what finds no room is left out; both mark the breadcrumb as cut.
    const epitaph_named_attribute *attributes;
    size_t attribute_count;
} epitaph_breadcrumb_content;

/// ANY-TIME. As epitaph_breadcrumb_add, with attributes and a kind.
void epitaph_breadcrumb_add_content(const epitaph_breadcrumb_content *content);

/// ANY-TIME. Adds the breadcrumb "SIGTERM came from process 4711": for the first line of a signal
/// handler of the program's. Epitaph installs no handler in front of the program's own, so it does
/// not see such signals itself (docs/system-events.md). `sender` is the `si_pid` of the siginfo, or
/// 0 where there is none.
void epitaph_signal_note(int signal, int sender);

/// QUIET-TIME. 0 while breadcrumbs are written to the breadcrumb file (`breadcrumb_file_bytes` of
/// epitaph_options) as well; otherwise why they are not, an errno: ENOENT when none was asked for,
/// or in a forked child; ENOTSUP where the file system cannot keep blocks aside (copy-on-write and
/// network file systems) or SIGBUS is not among the signals; EIO when another process truncated the
/// file; or what the system said when it was to be made.
int epitaph_breadcrumb_file_check(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
