// SPDX-License-Identifier: Apache-2.0
//
// What a scope knew at one moment, for a report that is made later, such as that of an error that
// the program handled. Comes with epitaph.h.

#ifndef EPITAPH_SCOPE_COPIES_H
#define EPITAPH_SCOPE_COPIES_H

#include "epitaph.h"
#include "epitaph_attribute_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// The attributes and breadcrumbs of a scope and of those around it.
typedef struct epitaph_scope_copy epitaph_scope_copy;

/// An attribute of a copy. The texts are the copy's and have no NUL.
typedef struct epitaph_copied_attribute {
    const char *name;
    size_t name_bytes;
    /// For a string, as much of it as was kept.
    epitaph_attribute value;
    /// Nonzero when the string was longer.
    int is_cut;
} epitaph_copied_attribute;

/// A breadcrumb of a copy. The texts are the copy's and have no NUL.
typedef struct epitaph_copied_breadcrumb {
    /// Its number among those of the process, or of its scope where the process has none.
    uint64_t number;
    /// CLOCK_REALTIME, nanoseconds.
    uint64_t time_ns;
    /// Nanoseconds since the start of Epitaph; UINT64_MAX for one from before.
    uint64_t uptime_ns;
    /// An epitaph_breadcrumb_level.
    uint8_t level;
    /// Nonzero when category, message or attributes were longer.
    int is_cut;
    const char *category;
    size_t category_bytes;
    const char *message;
    size_t message_bytes;
    const char *kind;
    size_t kind_bytes;
} epitaph_copied_breadcrumb;

/// What is missing in a copy.
typedef enum epitaph_scope_loss {
    /// So many attributes found no room in their scope.
    EPITAPH_SCOPE_LOST_ATTRIBUTES = 1,
    /// So many breadcrumbs were being written.
    EPITAPH_SCOPE_LOST_BREADCRUMBS = 2,
    /// The scope, or one around it, had no place, or there were more than 16 around each other.
    EPITAPH_SCOPE_LOST_SCOPES = 3,
} epitaph_scope_loss;

/// Who reads a copy. Each function is called on the reading thread with `context`.
typedef struct epitaph_scope_reader {
    void *context;
    /// An attribute; those of the innermost scope come first, and count more than others of the
    /// same name.
    void (*on_attribute)(void *context, const epitaph_copied_attribute *attribute);
    /// A breadcrumb, followed by its attributes.
    void (*on_breadcrumb)(void *context, const epitaph_copied_breadcrumb *breadcrumb);
    void (*on_breadcrumb_attribute)(void *context, const epitaph_copied_attribute *attribute);
    void (*on_loss)(void *context, epitaph_scope_loss what, uint64_t count);
} epitaph_scope_reader;

/// QUIET-TIME. Copies what the scope of this token knows now; a microsecond or two. The scope must
/// exist meanwhile, as the one that the calling code runs in does. NULL for 0, for a token that is
/// none any more, and without memory. The caller frees the copy.
epitaph_scope_copy *epitaph_scope_copy_make(uint64_t scope);

/// QUIET-TIME. Hands all of a copy to `reader`, from any thread.
void epitaph_scope_copy_read(const epitaph_scope_copy *copy, const epitaph_scope_reader *reader);

/// QUIET-TIME. Frees a copy; NULL is none.
void epitaph_scope_copy_free(epitaph_scope_copy *copy);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
