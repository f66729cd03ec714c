// SPDX-License-Identifier: Apache-2.0
//
// libcurl, opened when it is first needed: which of Debian's builds there is.

#include "epitaph_curl.h"
#include "library.h"

#include "epitaph_loaded_library.h"
#include <stddef.h>

// Debian builds libcurl with OpenSSL and with GnuTLS; both have the interface the headers describe.
static const char usual_name[] = "libcurl.so.4";
static const char gnutls_name[] = "libcurl-gnutls.so.4";

struct epitaph_curl epitaph_curl;

const char *epitaph_curl_load(void) {
#define PLACE(function) {#function, (void **)&epitaph_curl.function},
    static const struct epitaph_library_function functions[] = {EPITAPH_CURL_FUNCTIONS(PLACE)};
#undef PLACE
    const size_t count = sizeof functions / sizeof functions[0];
    const char *problem = epitaph_library_load(usual_name, functions, count);
    if (problem == NULL || epitaph_library_load(gnutls_name, functions, count) == NULL) return NULL;
    return problem;
}
