// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef uint64_t unw_word_t;
typedef int unw_regnum_t;
typedef struct unw_addr_space *unw_addr_space_t;

typedef struct unw_cursor {
    unw_word_t opaque[127];
} unw_cursor_t;

typedef struct unw_proc_info {
    unw_word_t start_ip;
    unw_word_t end_ip;
    unw_word_t lsda;
    unw_word_t handler;
    unw_word_t gp;
    unw_word_t flags;
    int format;
    int unwind_info_size;
    void *unwind_info;
    struct {
        char unused;
    } extra;
} unw_proc_info_t;

typedef struct unw_dyn_remote_table_info {
    unw_word_t name_ptr;
    unw_word_t segbase;
    /// In words.
    unw_word_t table_len;
    unw_word_t table_data;
} unw_dyn_remote_table_info_t;

typedef struct unw_dyn_info {
    struct unw_dyn_info *next;
    struct unw_dyn_info *prev;
    unw_word_t start_ip;
    unw_word_t end_ip;
    unw_word_t gp;
    /// An unw_dyn_info_format_t.
    int32_t format;
    int32_t pad;
    unw_word_t load_offset;
    union {
        unw_dyn_remote_table_info_t rti;
    } u;
} unw_dyn_info_t;

/// Callbacks that access the other process.
typedef struct unw_accessors {
    int (*find_proc_info)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, int, void *);
    void (*put_unwind_info)(unw_addr_space_t, unw_proc_info_t *, void *);
    int (*get_dyn_info_list_addr)(unw_addr_space_t, unw_word_t *, void *);
    int (*access_mem)(unw_addr_space_t, unw_word_t, unw_word_t *, int, void *);
    int (*access_reg)(unw_addr_space_t, unw_regnum_t, unw_word_t *, int, void *);
    int (*access_fpreg)(unw_addr_space_t, unw_regnum_t, void *, int, void *);
    int (*resume)(unw_addr_space_t, unw_cursor_t *, void *);
    int (*get_proc_name)(unw_addr_space_t, unw_word_t, char *, size_t, unw_word_t *, void *);
    /// Callbacks of later versions with this soname (1.8 has three more); NULL for none.
    void *later[4];
} unw_accessors_t;

// Constants used of libunwind-x86_64.so.8.

/// ENUM(type, numbers) with VALUE(name, number).
#define EPITAPH_UNWIND_ENUMS(ENUM, VALUE)                                                \
    ENUM(unw_error_t, VALUE(UNW_EBADREG, 3) VALUE(UNW_EINVAL, 8) VALUE(UNW_ENOINFO, 10)) \
    ENUM(unw_caching_policy_t, VALUE(UNW_CACHE_GLOBAL, 1))                               \
    ENUM(unw_dyn_info_format_t, VALUE(UNW_INFO_FORMAT_REMOTE_TABLE, 2))
