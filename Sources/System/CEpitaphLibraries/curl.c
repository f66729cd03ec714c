// SPDX-License-Identifier: Apache-2.0

#include "epitaph_curl.h"

#include "epitaph_loaded_library.h"

/// Prototypes are those of libcurl's header.
#define CURL_CALLS(CALL, OWN) \
    OWN(, curl_global_init)   \
    OWN(, curl_version)       \
    OWN(, curl_easy_init)     \
    OWN(, curl_easy_cleanup)  \
    OWN(, curl_easy_reset)    \
    OWN(, curl_easy_perform)  \
    OWN(, curl_easy_setopt)   \
    OWN(, curl_easy_getinfo)  \
    OWN(, curl_easy_strerror) \
    OWN(, curl_slist_append)  \
    OWN(, curl_slist_free_all)

// Macros of curl/typecheck-gcc.h that would also replace the members.
#undef curl_easy_setopt
#undef curl_easy_getinfo

EPITAPH_LIBRARY("libcurl.so.4", CURL_CALLS)

const char *epitaph_curl_load(void) {
    const char *problem = load_library();
    // Debian builds libcurl with OpenSSL and with GnuTLS; both match the headers.
    return problem == NULL || load_from("libcurl-gnutls.so.4") == NULL ? NULL : problem;
}

CURLcode epitaph_curl_global_init(long flags) {
    return library.curl_global_init(flags);
}

const char *epitaph_curl_version(void) {
    return library.curl_version();
}

CURL *epitaph_curl_init(void) {
    return library.curl_easy_init();
}

void epitaph_curl_cleanup(CURL *handle) {
    library.curl_easy_cleanup(handle);
}

void epitaph_curl_reset(CURL *handle) {
    library.curl_easy_reset(handle);
}

CURLcode epitaph_curl_perform(CURL *handle) {
    return library.curl_easy_perform(handle);
}

const char *epitaph_curl_strerror(CURLcode code) {
    return library.curl_easy_strerror(code);
}

struct curl_slist *epitaph_curl_slist_append(struct curl_slist *list, const char *line) {
    return library.curl_slist_append(list, line);
}

void epitaph_curl_slist_free_all(struct curl_slist *list) {
    library.curl_slist_free_all(list);
}

CURLcode epitaph_curl_set_long(CURL *handle, CURLoption option, long value) {
    return library.curl_easy_setopt(handle, option, value);
}

CURLcode epitaph_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return library.curl_easy_setopt(handle, option, value);
}

CURLcode epitaph_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return library.curl_easy_setopt(handle, option, value);
}

CURLcode epitaph_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return library.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

CURLcode epitaph_curl_set_error_buffer(CURL *handle, char *buffer) {
    return library.curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

CURLcode epitaph_curl_set_reader(CURL *handle, curl_read_callback read, curl_seek_callback seek,
                                 void *context) {
    CURLcode code = library.curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
    return code;
}

CURLcode epitaph_curl_set_writer(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = library.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return code;
}

CURLcode epitaph_curl_set_header_writer(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = library.curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, write);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    return code;
}

CURLcode epitaph_curl_set_watcher(CURL *handle, curl_xferinfo_callback watch, void *context) {
    CURLcode code = library.curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watch);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = library.curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    return code;
}

long epitaph_curl_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return library.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t epitaph_curl_offset(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return library.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

const char *epitaph_curl_string(CURL *handle, CURLINFO info) {
    char *value = NULL;
    return library.curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : NULL;
}
