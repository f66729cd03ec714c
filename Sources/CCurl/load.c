// SPDX-License-Identifier: Apache-2.0

#include "CCurl.h"
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>

// Debian builds libcurl with OpenSSL and with GnuTLS; both have the interface the headers describe.
static const char usual_name[] = "libcurl.so.4";
static const char gnutls_name[] = "libcurl-gnutls.so.4";

struct epitaph_curl epitaph_curl;

const char *epitaph_curl_load(void) {
    void *library = dlopen(usual_name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen(gnutls_name, RTLD_NOW | RTLD_LOCAL);
    // Once more for the error of the usual name.
    if (library == NULL) library = dlopen(usual_name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();

// POSIX demands of dlsym(3) that a data pointer becomes a function pointer; ISO C forbids it.
#define FIND(function)                                            \
    *(void **)&epitaph_curl.function = dlsym(library, #function); \
    if (epitaph_curl.function == NULL) return dlerror();
    EPITAPH_CURL_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}
