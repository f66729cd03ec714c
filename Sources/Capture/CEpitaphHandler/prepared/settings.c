// SPDX-License-Identifier: Apache-2.0
//
// The initial values of the settings, before anything is prepared.

#include "epitaph_settings.h"

epitaph_capture_settings epitaph_capture_settings_now = {
    .directory = {.fd = -1},
    .reserved_files = {{.fd = -1}, {.fd = -1}, {.fd = -1}, {.fd = -1}},
    .status_file = {.fd = -1},
    .dump_file = {.file = {.fd = -1}, .directory = {.fd = -1}}};
_Static_assert(EPITAPH_RESERVED_FD_COUNT == 4, "the initialiser above names them all");
