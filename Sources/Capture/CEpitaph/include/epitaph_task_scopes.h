// SPDX-License-Identifier: Apache-2.0
//
// Scopes: attributes and breadcrumbs of one piece of work. Comes with epitaph.h.

#ifndef EPITAPH_TASK_SCOPES_H
#define EPITAPH_TASK_SCOPES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct epitaph_breadcrumb_content;

/// QUIET-TIME. Begins a scope of the calling thread with the given attributes; NULL for none.
/// Crashes of this thread until epitaph_thread_scope_end report them and those of enclosing scopes;
/// inner attributes override outer ones, which override the process's. Each begin needs an end.
///
/// A scope holds 1,720 bytes of attributes: 4 each, plus the name, plus the text or 8 for a number.
/// Reports mention attributes that did not fit. At most 4,096 scopes exist at once; reports mention
/// a scope beyond that as missing.
///
/// Returns EPITAPH_OK, or EPITAPH_NO_ROOM, which needs an end as well.
epitaph_status epitaph_thread_scope_begin(const epitaph_named_attribute *attributes, size_t count);

/// QUIET-TIME. Ends the innermost scope of the calling thread, if any.
void epitaph_thread_scope_end(void);

/// ANY-TIME. The innermost scope of the calling thread, to pass to other functions; 0 for none.
uint64_t epitaph_thread_scope(void);

/// QUIET-TIME. Sets or replaces an attribute of a scope, from any thread. Returns EPITAPH_OK;
/// EPITAPH_INVALID_OPTION for NULL, a name that is empty or over 255 bytes, an unknown type, or a
/// scope that has ended; EPITAPH_NO_ROOM if it does not fit: it is counted as dropped and the old
/// value stays.
epitaph_status epitaph_scope_attribute_set(uint64_t scope,
                                           const epitaph_named_attribute *attribute);

/// ANY-TIME. Adds a breadcrumb to the process's and to the latest eight of the scope, if it exists.
void epitaph_scope_breadcrumb_add(uint64_t scope, const struct epitaph_breadcrumb_content *content);

/// ANY-TIME. Does what epitaph_breadcrumbs_clear does, and empties the scope's, if it exists.
void epitaph_scope_breadcrumbs_clear(uint64_t scope);

/// QUIET-TIME. Makes a scope without a thread, for work that moves between threads; see
/// epitaph_thread_scope_replace. `parent` is 0 or a scope that outlives this one. Never returns 0:
/// without room the result stands for a missing scope, which all functions accept.
uint64_t epitaph_scope_make(uint64_t parent, const epitaph_named_attribute *attributes,
                            size_t count);
/// QUIET-TIME. Ends the scope.
void epitaph_scope_free(uint64_t scope);
/// QUIET-TIME. Sets the calling thread's scope, 0 for none, and returns the previous one.
uint64_t epitaph_thread_scope_replace(uint64_t scope);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
