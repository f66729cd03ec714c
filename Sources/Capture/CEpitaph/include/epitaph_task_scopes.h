// SPDX-License-Identifier: Apache-2.0
//
// Scopes: attributes and breadcrumbs that belong to one piece of work, such as a request, and not
// to the whole process. Each thread can have one. Comes with epitaph.h.

#ifndef EPITAPH_TASK_SCOPES_H
#define EPITAPH_TASK_SCOPES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct epitaph_breadcrumb_content;

/// QUIET-TIME. Begins a scope of the calling thread with the given attributes; NULL for none. What
/// this thread crashes of until epitaph_thread_scope_end has them in its report, and those of the
/// scopes around it; an inner attribute counts more than an outer one of the same name, and that
/// more than one of the process. Scopes of other threads have nothing to do with it. Each begin
/// needs an end.
///
/// A scope has room for 1,720 bytes of attributes: 4 for each, its name, and its text or 8 for a
/// number. What finds no room is left out, which the report says. 4,096 scopes may exist at once;
/// of work that is in a further one the report says that its scope is missing.
///
/// Returns EPITAPH_OK, or EPITAPH_NO_ROOM; the end is needed then, too.
epitaph_status epitaph_thread_scope_begin(const epitaph_named_attribute *attributes, size_t count);

/// QUIET-TIME. Ends the innermost scope of the calling thread; does nothing when there is none.
void epitaph_thread_scope_end(void);

/// ANY-TIME. The innermost scope of the calling thread, for the functions that take a scope; 0 for
/// none.
uint64_t epitaph_thread_scope(void);

/// QUIET-TIME. Sets an attribute of a scope, or replaces it. Any thread may. Returns EPITAPH_OK;
/// EPITAPH_INVALID_OPTION for a name that is empty or longer than 255 bytes, a NULL, an unknown
/// type, or a scope that is none or has ended; EPITAPH_NO_ROOM when it does not fit: it is counted
/// as left out, and an earlier value of that name stays.
epitaph_status epitaph_scope_attribute_set(uint64_t scope,
                                           const epitaph_named_attribute *attribute);

/// ANY-TIME. Adds a breadcrumb to the latest eight of a scope and to those of the process. With no
/// scope, or one that has ended, to those of the process alone.
void epitaph_scope_breadcrumb_add(uint64_t scope, const struct epitaph_breadcrumb_content *content);

/// QUIET-TIME. Makes a scope that belongs to no thread yet, for work that moves between threads:
/// epitaph_thread_scope_replace gives it to one. `parent` is 0 or a scope that exists longer than
/// this one. The result is never 0: without room it stands for a scope without a place, which all
/// functions take.
uint64_t epitaph_scope_make(uint64_t parent, const epitaph_named_attribute *attributes,
                            size_t count);
/// QUIET-TIME. Ends it: nothing finds it any more.
void epitaph_scope_free(uint64_t scope);
/// QUIET-TIME. Makes a scope, or with 0 none, the calling thread's own and returns the one it had.
uint64_t epitaph_thread_scope_replace(uint64_t scope);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
