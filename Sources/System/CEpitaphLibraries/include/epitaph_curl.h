// SPDX-License-Identifier: Apache-2.0
//
// libcurl, loaded when something is to be sent: a daemon that never sends anything does not load
// its 25 libraries, and needs none of them installed. docs/decisions/code.md.
//
// The functions are libcurl's own of the same name, with epitaph_ instead of curl_easy_; none may
// be called before epitaph_curl_load has returned NULL. curl_easy_setopt and curl_easy_getinfo take
// variable arguments, which Swift cannot call, so there is one function per type of value here. The
// caller must pick an option of that type.
#pragma once

#include <curl/curl.h>

/// Loads libcurl. Not for several threads at once.
///
/// Returns NULL, or why it cannot be loaded, as text that stays valid.
const char *epitaph_curl_load(void);

CURLcode epitaph_curl_global_init(long flags);
const char *epitaph_curl_version(void);
CURL *epitaph_curl_init(void);
void epitaph_curl_cleanup(CURL *handle);
void epitaph_curl_reset(CURL *handle);
CURLcode epitaph_curl_perform(CURL *handle);
const char *epitaph_curl_strerror(CURLcode code);
struct curl_slist *epitaph_curl_slist_append(struct curl_slist *list, const char *line);
void epitaph_curl_slist_free_all(struct curl_slist *list);

CURLcode epitaph_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode epitaph_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
/// libcurl copies the string.
CURLcode epitaph_curl_set_string(CURL *handle, CURLoption option, const char *value);
/// The list is the caller's and must outlive the transfer.
CURLcode epitaph_curl_set_headers(CURL *handle, struct curl_slist *headers);
/// The buffer is the caller's and must outlive the transfer.
CURLcode epitaph_curl_set_error_buffer(CURL *handle, char *buffer);
CURLcode epitaph_curl_set_reader(CURL *handle, curl_read_callback read, curl_seek_callback seek,
                                 void *context);
CURLcode epitaph_curl_set_writer(CURL *handle, curl_write_callback write, void *context);
CURLcode epitaph_curl_set_header_writer(CURL *handle, curl_write_callback write, void *context);
/// Called at least once a second during a transfer; anything but 0 ends it.
CURLcode epitaph_curl_set_watcher(CURL *handle, curl_xferinfo_callback watch, void *context);

/// 0 if there is no value.
long epitaph_curl_long(CURL *handle, CURLINFO info);
/// 0 if there is no value.
curl_off_t epitaph_curl_offset(CURL *handle, CURLINFO info);
/// NULL if there is no value; valid until the next transfer.
const char *epitaph_curl_string(CURL *handle, CURLINFO info);
