// SPDX-License-Identifier: Apache-2.0
//
// Files attached to every report. Comes with epitaph.h.

#ifndef EPITAPH_ATTACHMENTS_H
#define EPITAPH_ATTACHMENTS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// QUIET-TIME. Attaches the file at `path` to reports. It is read when the dump is converted: in
/// the next launch, or by `dump-convert process`. It is opened with the rights of the database's
/// owner, must be a regular file, and may have 7 MiB unless the converter sets another limit. May
/// be called before epitaph_start.
///
/// `path` is absolute, at most 4,095 bytes. `name` is the file's name in the report: 1 to 207 of
/// the characters A-Z a-z 0-9 . _ -; NULL for the last component of the path. A name that is in use
/// gets the new path. Copies both.
///
/// Returns EPITAPH_OK, EPITAPH_INVALID_OPTION for an invalid path or name, EPITAPH_NO_ROOM if there
/// are 32 attachments, or EPITAPH_SYSTEM_ERROR without memory.
epitaph_status epitaph_attachment_add(const char *path, const char *name);

/// QUIET-TIME. Removes the attachment `name`, if any.
void epitaph_attachment_remove(const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
