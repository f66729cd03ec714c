// SPDX-License-Identifier: Apache-2.0
//
// curl_easy_setopt and curl_easy_getinfo take variable arguments, which Swift cannot call: one
// function per type of value here. The caller picks an option of that type; libcurl reads what it
// is given.
#include <curl/curl.h>

static inline CURLcode epitaph_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode epitaph_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

// libcurl copies the string.
static inline CURLcode epitaph_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// The list and the error buffer are the caller's and must outlive the transfer.
static inline CURLcode epitaph_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode epitaph_curl_set_error_buffer(CURL *handle, char *buffer) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode epitaph_curl_set_reader(CURL *handle, curl_read_callback read,
                                               curl_seek_callback seek, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
    return code;
}

static inline CURLcode epitaph_curl_set_writer(CURL *handle, curl_write_callback write,
                                               void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return code;
}

static inline CURLcode epitaph_curl_set_header_writer(CURL *handle, curl_write_callback write,
                                                      void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, write);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    return code;
}

// 0 when there is nothing to tell.
static inline long epitaph_curl_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline curl_off_t epitaph_curl_offset(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

// NULL when there is nothing to tell; valid until the next transfer.
static inline const char *epitaph_curl_string(CURL *handle, CURLINFO info) {
    char *value = NULL;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}
