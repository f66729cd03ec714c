// SPDX-License-Identifier: Apache-2.0
//
// Files that go with every report of the program. Comes with epitaph.h.

#ifndef EPITAPH_ATTACHMENTS_H
#define EPITAPH_ATTACHMENTS_H

#include "epitaph.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/// QUIET-TIME. From now on a dump names the file at `path`, which goes with the report, as it is
/// when the dump becomes one: in the next launch, or when `dump-convert process` runs. It is opened
/// with the rights of the owner of the database, has to be a regular file then, and may have 7 MiB
/// unless whoever converts the dump says otherwise. May be called before epitaph_start.
///
/// `path` is absolute and has at most 4,095 bytes. `name` is what the file is called in the report:
/// 1 to 207 of the characters A-Z a-z 0-9 . _ -; NULL for the last component of the path. Another
/// path of a name that is there already takes its place. Both are copied.
///
/// Returns EPITAPH_OK, EPITAPH_INVALID_OPTION for another path or name, EPITAPH_NO_ROOM when there
/// are 32 attachments already, or EPITAPH_SYSTEM_ERROR without memory.
epitaph_status epitaph_attachment_add(const char *path, const char *name);

/// QUIET-TIME. The file that is called `name` in reports goes with them no more. Does nothing if
/// there is none.
void epitaph_attachment_remove(const char *name);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
