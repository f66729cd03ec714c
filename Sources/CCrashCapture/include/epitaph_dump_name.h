// SPDX-License-Identifier: Apache-2.0
//
// The names of dump files: `<bundle-id>@<uuid>.locked`, and the same without `.locked`. Internal
// to the package.

#ifndef EPITAPH_DUMP_NAME_H
#define EPITAPH_DUMP_NAME_H

#include "epitaph_dump_file_state.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// ANY-TIME. Makes a random UUID, RFC 4122, 4.4. Returns 0 or a negative errno.
long epitaph_uuid_make(uint8_t uuid[16]);

/// ANY-TIME. The same for the file of a forked child of a process that may give up its rights:
/// version 8 marks such a file for all readers. The directory's owner chooses its name, whatever
/// the child writes into the file.
long epitaph_dump_uuid_make_handed_out(uint8_t uuid[16]);
bool epitaph_dump_uuid_is_handed_out(const uint8_t uuid[16]);

/// ANY-TIME. The name of a locked file of this bundle, and the sealed one; false when `locked` is
/// too short for one.
void epitaph_dump_name_make(char name[EPITAPH_DUMP_NAME_SIZE], const uint8_t uuid[16]);
bool epitaph_dump_name_seal(char sealed[EPITAPH_DUMP_NAME_SIZE],
                            const char locked[EPITAPH_DUMP_NAME_SIZE]);

#pragma GCC visibility pop

#endif
