// SPDX-License-Identifier: Apache-2.0
//
// Every limit of a dump, once: the name of its field in `epitaph_options` and `epitaph_limits`, and
// its default. What copies, changes or defaults limits is made from this table, and so are the
// constants below, which other languages can use. Comes with epitaph.h.

#ifndef EPITAPH_LIMIT_TABLE_H
#define EPITAPH_LIMIT_TABLE_H

#include <stdint.h>

/// BYTES(field, default in bytes), MILLISECONDS(field without `_ms`, default in milliseconds).
#define EPITAPH_LIMIT_TABLE(BYTES, MILLISECONDS) \
    BYTES(crashing_stack_bytes, 1 << 20)         \
    BYTES(other_stack_bytes, 256 << 10)          \
    BYTES(all_stacks_bytes, 64 << 20)            \
    BYTES(crashing_memory_bytes, 64 << 10)       \
    BYTES(other_memory_bytes, 4 << 10)           \
    BYTES(all_memory_bytes, 512 << 10)           \
    BYTES(registered_memory_bytes, 1 << 20)      \
    BYTES(reserved_bytes, 1 << 20)               \
    BYTES(unwind_tables_bytes, 8 << 20)          \
    MILLISECONDS(stop_timeout, 500)              \
    MILLISECONDS(capture_timeout, 5000)

#define EPITAPH_LIMIT_BYTES(field, value) static const uint64_t epitaph_default_##field = value;
#define EPITAPH_LIMIT_MS(field, value) static const uint32_t epitaph_default_##field##_ms = value;
/// The default of the limit of this name, in bytes, or in milliseconds if the name ends with _ms.
EPITAPH_LIMIT_TABLE(EPITAPH_LIMIT_BYTES, EPITAPH_LIMIT_MS)
#undef EPITAPH_LIMIT_BYTES
#undef EPITAPH_LIMIT_MS

/// How many dumps of a bundle may wait to be converted unless the options say otherwise.
static const uint32_t epitaph_default_max_pending_dumps = 50;
/// How much disk space they may take together, in bytes.
static const uint64_t epitaph_default_max_pending_bytes = 256 << 20;

#endif
