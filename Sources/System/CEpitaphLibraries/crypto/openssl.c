// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 by OpenSSL's libcrypto.

#include "backend.h"
#include "openssl_calls.h"

#include "epitaph_loaded_library.h"
#include <limits.h>

/// What is called of libcrypto.
#define OPENSSL_FUNCTIONS(FUNCTION) \
    FUNCTION(EVP_MD_CTX_new)        \
    FUNCTION(EVP_MD_CTX_free)       \
    FUNCTION(EVP_sha256)            \
    FUNCTION(EVP_DigestInit_ex)     \
    FUNCTION(EVP_DigestUpdate)      \
    FUNCTION(EVP_DigestFinal_ex)    \
    FUNCTION(HMAC)

EPITAPH_LIBRARY("libcrypto.so.3", OPENSSL_FUNCTIONS)

static const char *load_any(void) {
    static const struct epitaph_library_function functions[] = {
        OPENSSL_FUNCTIONS(EPITAPH_LIBRARY_PLACE)};
    const size_t count = sizeof functions / sizeof functions[0];
    const char *problem = load_library();
    // OpenSSL before 3, of distributions that are still served.
    if (problem == NULL || epitaph_library_load("libcrypto.so.1.1", functions, count) == NULL)
        return NULL;
    return problem;
}

static void *create(void) {
    EVP_MD_CTX *context = library.EVP_MD_CTX_new();
    if (context == NULL) return NULL;
    if (library.EVP_DigestInit_ex(context, library.EVP_sha256(), NULL) == 1) return context;
    library.EVP_MD_CTX_free(context);
    return NULL;
}

static bool add(void *state, const void *bytes, size_t count) {
    return library.EVP_DigestUpdate(state, bytes, count) == 1;
}

static bool finish(void *state, uint8_t result[EPITAPH_SHA256_BYTES]) {
    unsigned size = 0;
    return library.EVP_DigestFinal_ex(state, result, &size) == 1 && size == EPITAPH_SHA256_BYTES;
}

static void destroy(void *state) {
    library.EVP_MD_CTX_free(state);
}

static bool hmac(const void *key, size_t key_count, const void *bytes, size_t count,
                 uint8_t result[EPITAPH_SHA256_BYTES]) {
    unsigned size = 0;
    if (key_count > INT_MAX) return false;
    return library.HMAC(library.EVP_sha256(), key, (int)key_count, bytes, count, result, &size) !=
               NULL &&
           size == EPITAPH_SHA256_BYTES;
}

const struct epitaph_crypto_backend epitaph_openssl_backend = {
    .load = load_any,
    .create = create,
    .add = add,
    .finish = finish,
    .destroy = destroy,
    .hmac = hmac,
};
