// SPDX-License-Identifier: Apache-2.0
//
// libcurl, loaded to send: a daemon that never sends needs neither libcurl nor its 25 libraries.
// docs/decisions/code.md.
//
// Functions are libcurl's, with epitaph_ for curl_easy_. Call epitaph_curl_load first; it must
// return NULL. Swift cannot call the variadic curl_easy_setopt and curl_easy_getinfo, so there is
// one function per value type; the option must match.
#pragma once

#include <curl/curl.h>

/// A handle, and what stays between its transfers: connections and addresses.
struct epitaph_curl {
    CURL *handle;
    CURLM *connections;
};

/// Loads and initialises libcurl. Not thread-safe. Returns NULL, or why it is unusable, as static
/// text.
const char *epitaph_curl_load(void);

const char *epitaph_curl_version(void);
/// Members are NULL without memory. Free with epitaph_curl_cleanup.
struct epitaph_curl epitaph_curl_init(void);
void epitaph_curl_cleanup(struct epitaph_curl curl);
void epitaph_curl_reset(CURL *handle);
/// CURLE_ABORTED_BY_CALLBACK also if the process begins to end: epitaph_exit_gate.h. The handle
/// must not be used afterwards.
CURLcode epitaph_curl_perform(struct epitaph_curl curl);
const char *epitaph_curl_strerror(CURLcode code);
struct curl_slist *epitaph_curl_slist_append(struct curl_slist *list, const char *line);
void epitaph_curl_slist_free_all(struct curl_slist *list);

CURLcode epitaph_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode epitaph_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
/// Copies the string.
CURLcode epitaph_curl_set_string(CURL *handle, CURLoption option, const char *value);
/// The caller owns the list, which must outlive the transfer.
CURLcode epitaph_curl_set_headers(CURL *handle, struct curl_slist *headers);
/// The caller owns the buffer, which must outlive the transfer.
CURLcode epitaph_curl_set_error_buffer(CURL *handle, char *buffer);
CURLcode epitaph_curl_set_reader(CURL *handle, curl_read_callback read, curl_seek_callback seek,
                                 void *context);
CURLcode epitaph_curl_set_writer(CURL *handle, curl_write_callback write, void *context);
CURLcode epitaph_curl_set_header_writer(CURL *handle, curl_write_callback write, void *context);
/// Called at least once a second during a transfer; nonzero aborts it.
CURLcode epitaph_curl_set_watcher(CURL *handle, curl_xferinfo_callback watch, void *context);

/// 0 if there is no value.
long epitaph_curl_long(CURL *handle, CURLINFO info);
curl_off_t epitaph_curl_offset(CURL *handle, CURLINFO info);
/// NULL if there is no value; valid until the next transfer.
const char *epitaph_curl_string(CURL *handle, CURLINFO info);
