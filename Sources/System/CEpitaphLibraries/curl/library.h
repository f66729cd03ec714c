// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

/// The functions of libcurl that are called: each is a member of `epitaph_curl`.
#define EPITAPH_CURL_FUNCTIONS(FUNCTION) \
    FUNCTION(curl_global_init)           \
    FUNCTION(curl_version)               \
    FUNCTION(curl_easy_init)             \
    FUNCTION(curl_easy_cleanup)          \
    FUNCTION(curl_easy_reset)            \
    FUNCTION(curl_easy_perform)          \
    FUNCTION(curl_easy_setopt)           \
    FUNCTION(curl_easy_getinfo)          \
    FUNCTION(curl_easy_strerror)         \
    FUNCTION(curl_slist_append)          \
    FUNCTION(curl_slist_free_all)

// curl/typecheck-gcc.h makes these macros, which would also replace the members.
#undef curl_easy_setopt
#undef curl_easy_getinfo

#define EPITAPH_CURL_MEMBER(function) __typeof__(function) *function;

/// The functions of the loaded library; all NULL before.
extern struct epitaph_curl { EPITAPH_CURL_FUNCTIONS(EPITAPH_CURL_MEMBER) } epitaph_curl;
