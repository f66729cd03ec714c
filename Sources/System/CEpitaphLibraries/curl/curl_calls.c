// SPDX-License-Identifier: Apache-2.0
//
// libcurl's functions under names of ours, called through the table that load_curl.c fills.

#include "epitaph_curl.h"
#include "library.h"

#include <stddef.h>

CURLcode epitaph_curl_global_init(long flags) {
    return epitaph_curl.curl_global_init(flags);
}

const char *epitaph_curl_version(void) {
    return epitaph_curl.curl_version();
}

CURL *epitaph_curl_init(void) {
    return epitaph_curl.curl_easy_init();
}

void epitaph_curl_cleanup(CURL *handle) {
    epitaph_curl.curl_easy_cleanup(handle);
}

void epitaph_curl_reset(CURL *handle) {
    epitaph_curl.curl_easy_reset(handle);
}

CURLcode epitaph_curl_perform(CURL *handle) {
    return epitaph_curl.curl_easy_perform(handle);
}

const char *epitaph_curl_strerror(CURLcode code) {
    return epitaph_curl.curl_easy_strerror(code);
}

struct curl_slist *epitaph_curl_slist_append(struct curl_slist *list, const char *line) {
    return epitaph_curl.curl_slist_append(list, line);
}

void epitaph_curl_slist_free_all(struct curl_slist *list) {
    epitaph_curl.curl_slist_free_all(list);
}

CURLcode epitaph_curl_set_long(CURL *handle, CURLoption option, long value) {
    return epitaph_curl.curl_easy_setopt(handle, option, value);
}

CURLcode epitaph_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return epitaph_curl.curl_easy_setopt(handle, option, value);
}

CURLcode epitaph_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return epitaph_curl.curl_easy_setopt(handle, option, value);
}

CURLcode epitaph_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return epitaph_curl.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

CURLcode epitaph_curl_set_error_buffer(CURL *handle, char *buffer) {
    return epitaph_curl.curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

CURLcode epitaph_curl_set_reader(CURL *handle, curl_read_callback read, curl_seek_callback seek,
                                 void *context) {
    __typeof__(epitaph_curl.curl_easy_setopt) set = epitaph_curl.curl_easy_setopt;
    CURLcode code = set(handle, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = set(handle, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = set(handle, CURLOPT_SEEKFUNCTION, seek);
    if (code == CURLE_OK) code = set(handle, CURLOPT_SEEKDATA, context);
    return code;
}

CURLcode epitaph_curl_set_writer(CURL *handle, curl_write_callback write, void *context) {
    __typeof__(epitaph_curl.curl_easy_setopt) set = epitaph_curl.curl_easy_setopt;
    CURLcode code = set(handle, CURLOPT_WRITEFUNCTION, write);
    if (code == CURLE_OK) code = set(handle, CURLOPT_WRITEDATA, context);
    return code;
}

CURLcode epitaph_curl_set_header_writer(CURL *handle, curl_write_callback write, void *context) {
    __typeof__(epitaph_curl.curl_easy_setopt) set = epitaph_curl.curl_easy_setopt;
    CURLcode code = set(handle, CURLOPT_HEADERFUNCTION, write);
    if (code == CURLE_OK) code = set(handle, CURLOPT_HEADERDATA, context);
    return code;
}

CURLcode epitaph_curl_set_watcher(CURL *handle, curl_xferinfo_callback watch, void *context) {
    __typeof__(epitaph_curl.curl_easy_setopt) set = epitaph_curl.curl_easy_setopt;
    CURLcode code = set(handle, CURLOPT_XFERINFOFUNCTION, watch);
    if (code == CURLE_OK) code = set(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = set(handle, CURLOPT_NOPROGRESS, 0L);
    return code;
}

long epitaph_curl_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return epitaph_curl.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t epitaph_curl_offset(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return epitaph_curl.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

const char *epitaph_curl_string(CURL *handle, CURLINFO info) {
    char *value = NULL;
    return epitaph_curl.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}
