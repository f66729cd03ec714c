// SPDX-License-Identifier: Apache-2.0
//
// A snapshot of a scope for a later report, such as that of a handled error. Comes with epitaph.h.

#ifndef EPITAPH_SCOPE_COPIES_H
#define EPITAPH_SCOPE_COPIES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// Attributes and breadcrumbs of a scope and its ancestors.
typedef struct epitaph_scope_copy epitaph_scope_copy;

/// The copy owns the texts, which are not NUL-terminated.
typedef struct epitaph_copied_attribute {
    const char *name;
    size_t name_bytes;
    /// A string holds as much as was kept.
    epitaph_attribute value;
    /// Nonzero if the string was longer.
    int is_cut;
} epitaph_copied_attribute;

/// The copy owns the texts, which are not NUL-terminated.
typedef struct epitaph_copied_breadcrumb {
    /// Sequence number in the process, or in its scope if the process keeps none.
    uint64_t number;
    /// CLOCK_REALTIME, nanoseconds.
    uint64_t time_ns;
    /// Nanoseconds since epitaph_start; UINT64_MAX for earlier ones.
    uint64_t uptime_ns;
    /// An epitaph_level.
    uint8_t level;
    /// Nonzero if category, message or attributes were longer.
    int is_cut;
    const char *category;
    size_t category_bytes;
    const char *message;
    size_t message_bytes;
    const char *kind;
    size_t kind_bytes;
} epitaph_copied_breadcrumb;

/// What a copy lacks.
typedef enum epitaph_scope_loss {
    /// Attributes that did not fit into their scope.
    EPITAPH_SCOPE_LOST_ATTRIBUTES = 1,
    /// Breadcrumbs that were being written.
    EPITAPH_SCOPE_LOST_BREADCRUMBS = 2,
    /// The scope or an ancestor had no slot, or scopes were nested more than 16 deep.
    EPITAPH_SCOPE_LOST_SCOPES = 3,
} epitaph_scope_loss;

/// Callbacks for a copy, called on the reading thread.
typedef struct epitaph_scope_reader {
    void *context;
    /// Innermost scope first; it overrides attributes of the same name.
    void (*on_attribute)(void *context, const epitaph_copied_attribute *attribute);
    /// A breadcrumb, followed by its attributes.
    void (*on_breadcrumb)(void *context, const epitaph_copied_breadcrumb *breadcrumb);
    void (*on_breadcrumb_attribute)(void *context, const epitaph_copied_attribute *attribute);
    void (*on_loss)(void *context, epitaph_scope_loss what, uint64_t count);
} epitaph_scope_reader;

/// QUIET-TIME. Copies the scope now; takes a microsecond or two. The scope must exist throughout,
/// as the calling code's own does. Returns NULL for 0, a stale token, or without memory. The caller
/// frees the copy.
epitaph_scope_copy *epitaph_scope_copy_make(uint64_t scope);

/// QUIET-TIME. Passes all of a copy to `reader`, on any thread.
void epitaph_scope_copy_read(const epitaph_scope_copy *copy, const epitaph_scope_reader *reader);

/// QUIET-TIME. Frees a copy; NULL is allowed.
void epitaph_scope_copy_free(epitaph_scope_copy *copy);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
