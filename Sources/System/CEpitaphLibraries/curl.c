// SPDX-License-Identifier: Apache-2.0

#include "epitaph_curl.h"

#include "CEpitaphSystem.h"
#include "epitaph_loaded_library.h"

/// Prototypes are those of libcurl's header.
#define CURL_CALLS(CALL, OWN)       \
    OWN(, curl_global_init)         \
    OWN(, curl_version)             \
    OWN(, curl_easy_init)           \
    OWN(, curl_easy_cleanup)        \
    OWN(, curl_easy_reset)          \
    OWN(, curl_easy_setopt)         \
    OWN(, curl_easy_getinfo)        \
    OWN(, curl_easy_strerror)       \
    OWN(, curl_multi_init)          \
    OWN(, curl_multi_cleanup)       \
    OWN(, curl_multi_add_handle)    \
    OWN(, curl_multi_remove_handle) \
    OWN(, curl_multi_perform)       \
    OWN(, curl_multi_poll)          \
    OWN(, curl_multi_info_read)     \
    OWN(, curl_slist_append)        \
    OWN(, curl_slist_free_all)

// Macros of curl/typecheck-gcc.h that would also replace the members.
#undef curl_easy_setopt
#undef curl_easy_getinfo

EPITAPH_LIBRARY("libcurl.so.4", CURL_CALLS)

static const char *begin(void) {
    if (!epitaph_exit_gate_enter()) return "this process is ending";
    epitaph_library_guard_exit();
    CURLcode code = library.curl_global_init(CURL_GLOBAL_DEFAULT);
    epitaph_exit_gate_leave();
    return code == CURLE_OK ? NULL : "it cannot be initialised";
}

const char *epitaph_curl_load(void) {
    const char *problem = load_library();
    // Debian builds libcurl with OpenSSL and with GnuTLS; both match the headers.
    if (problem != NULL && load_from("libcurl-gnutls.so.4") == NULL) problem = NULL;
    return problem == NULL ? begin() : problem;
}

const char *epitaph_curl_version(void) {
    return library.curl_version();
}

struct epitaph_curl epitaph_curl_init(void) {
    struct epitaph_curl curl = {.handle = NULL};
    if (!epitaph_exit_gate_enter()) return curl;
    curl.handle = library.curl_easy_init();
    curl.connections = library.curl_multi_init();
    epitaph_exit_gate_leave();
    return curl;
}

void epitaph_curl_cleanup(struct epitaph_curl curl) {
    if (!epitaph_exit_gate_enter()) return;
    // Both may be NULL, and the handle goes first: curl_multi_cleanup(3).
    library.curl_easy_cleanup(curl.handle);
    library.curl_multi_cleanup(curl.connections);
    epitaph_exit_gate_leave();
}

void epitaph_curl_reset(CURL *handle) {
    if (!epitaph_exit_gate_enter()) return;
    library.curl_easy_reset(handle);
    epitaph_exit_gate_leave();
}

static CURLcode result_of(CURLM *connections, CURLMcode code) {
    if (code != CURLM_OK)
        return code == CURLM_OUT_OF_MEMORY ? CURLE_OUT_OF_MEMORY : CURLE_FAILED_INIT;
    int left = 0;
    CURLMsg *message = library.curl_multi_info_read(connections, &left);
    return message == NULL ? CURLE_FAILED_INIT : message->data.result;
}

// As curl_easy_perform(3) does it, but outside the gate while it waits for the network.
// curl_multi_poll(3) needs no TLS library.
CURLcode epitaph_curl_perform(struct epitaph_curl curl) {
    if (!epitaph_exit_gate_enter()) return CURLE_ABORTED_BY_CALLBACK;
    CURLMcode code = library.curl_multi_add_handle(curl.connections, curl.handle);
    int running = 1;
    while (code == CURLM_OK) {
        code = library.curl_multi_perform(curl.connections, &running);
        if (code != CURLM_OK || running == 0) break;
        epitaph_exit_gate_leave();
        epitaph_wait_begin();
        code = library.curl_multi_poll(curl.connections, NULL, 0, 1000, NULL);
        epitaph_wait_end();
        if (!epitaph_exit_gate_enter()) return CURLE_ABORTED_BY_CALLBACK;
    }
    CURLcode result = result_of(curl.connections, code);
    library.curl_multi_remove_handle(curl.connections, curl.handle);
    epitaph_exit_gate_leave();
    return result;
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
