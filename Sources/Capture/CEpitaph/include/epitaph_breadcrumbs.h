// SPDX-License-Identifier: Apache-2.0
//
// Breadcrumbs: what led up to a crash, in the program's words. Comes with epitaph.h.

#ifndef EPITAPH_BREADCRUMBS_H
#define EPITAPH_BREADCRUMBS_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// Severity of a breadcrumb.
typedef enum epitaph_level {
    /// Details for debugging.
    EPITAPH_LEVEL_DEBUG = 1,
    /// Normal operation.
    EPITAPH_LEVEL_INFO = 2,
    /// Unusual; may lead to an error.
    EPITAPH_LEVEL_WARNING = 3,
    /// Something failed.
    EPITAPH_LEVEL_ERROR = 4,
    /// The program cannot continue.
    EPITAPH_LEVEL_FATAL = 5,
} epitaph_level;

/// ANY-TIME. Records that something happened now. Dumps have the latest `breadcrumb_limit`
/// breadcrumbs (epitaph_options) with their times; new ones overwrite the oldest. Records nothing
/// before epitaph_start. A forked child has a copy of its parent's and adds to that.
///
/// Takes no lock, allocates nothing and, where the clocks are in the vdso(7), makes no system call,
/// so any number of threads and signal handlers may call it at once.
///
/// `category`, for example "http", has up to 32 bytes of UTF-8, or is NULL; `message` up to 256.
/// Both are NUL-terminated and copied; longer ones are cut at a character boundary and marked. The
/// breadcrumb file, if any, keeps 4,000 bytes of the message. Do not include secrets: reports are
/// kept on disk and may be sent.
void epitaph_breadcrumb_add(epitaph_level level, const char *category, const char *message);

/// ANY-TIME. The same for texts with lengths in bytes instead of NUL.
void epitaph_breadcrumb_add_bytes(epitaph_level level, const char *category, size_t category_bytes,
                                  const char *message, size_t message_bytes);

/// All parts of a breadcrumb. Texts are UTF-8 with a length in bytes instead of NUL; NULL for none.
typedef struct epitaph_breadcrumb_content {
    epitaph_level level;
    /// Up to 32 bytes.
    const char *category;
    size_t category_bytes;
    /// Up to 256 bytes.
    const char *message;
    size_t message_bytes;
    /// For example "navigation", "query" or "system": up to 32 bytes.
    const char *kind;
    size_t kind_bytes;
    /// Kind, names and values share 248 bytes, including 4 for each attribute and 8 for a number.
    /// Strings are cut to fit and what does not fit is dropped; both mark the breadcrumb as cut.
    const epitaph_named_attribute *attributes;
    size_t attribute_count;
} epitaph_breadcrumb_content;

/// ANY-TIME. Like epitaph_breadcrumb_add, with attributes and a kind.
void epitaph_breadcrumb_add_content(const epitaph_breadcrumb_content *content);

/// ANY-TIME. Empties the ring of breadcrumbs and the breadcrumb file, not those of scopes
/// (epitaph_scope_breadcrumbs_clear). What other threads add meanwhile may stay or be lost; numbers
/// go on.
void epitaph_breadcrumbs_clear(void);

/// ANY-TIME. Adds the breadcrumb "SIGTERM came from process 4711". Call it first in your own
/// handler, which Epitaph does not intercept (docs/system-events.md). `sender` is `si_pid` or 0.
void epitaph_signal_note(int signal, int sender);

/// QUIET-TIME. Returns 0 while breadcrumbs also go to the breadcrumb file
/// (`breadcrumb_file_bytes`), otherwise an errno: ENOENT if none was requested, or in a forked
/// child; ENOTSUP if the file system cannot reserve blocks (copy-on-write, network) or SIGBUS is
/// not handled; EIO if another process truncated the file; or the system's error from creating it.
int epitaph_breadcrumb_file_check(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
