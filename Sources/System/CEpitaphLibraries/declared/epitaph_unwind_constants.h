// SPDX-License-Identifier: Apache-2.0
//
// The numbers of libunwind-x86_64.so.8 that are used.
#pragma once

/// Each type for a macro of its name and its numbers, each number for one of name and value.
#define EPITAPH_UNWIND_ENUMS(ENUM, VALUE)                                                \
    ENUM(unw_error_t, VALUE(UNW_EBADREG, 3) VALUE(UNW_EINVAL, 8) VALUE(UNW_ENOINFO, 10)) \
    ENUM(unw_caching_policy_t, VALUE(UNW_CACHE_GLOBAL, 1))                               \
    ENUM(unw_dyn_info_format_t, VALUE(UNW_INFO_FORMAT_REMOTE_TABLE, 2))
