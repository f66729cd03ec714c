// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#include "epitaph_loaded_library.h"
#include <limits.h>

// The same in OpenSSL 1.1 and 3: EVP_DigestInit(3), HMAC(3).
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;
typedef struct engine_st ENGINE;

#define OPENSSL_CALLS(CALL, OWN)                                                                \
    OWN(EVP_MD_CTX *, EVP_MD_CTX_new, (void))                                                   \
    OWN(void, EVP_MD_CTX_free, (EVP_MD_CTX * context))                                          \
    OWN(const EVP_MD *, EVP_sha256, (void))                                                     \
    OWN(int, EVP_DigestInit_ex, (EVP_MD_CTX * context, const EVP_MD *type, ENGINE *engine))     \
    OWN(int, EVP_DigestUpdate, (EVP_MD_CTX * context, const void *bytes, size_t count))         \
    OWN(int, EVP_DigestFinal_ex, (EVP_MD_CTX * context, unsigned char *digest, unsigned *size)) \
    OWN(unsigned char *, HMAC,                                                                  \
        (const EVP_MD *type, const void *key, int key_count, const unsigned char *bytes,        \
         size_t count, unsigned char *digest, unsigned *size))

OPENSSL_CALLS(, EPITAPH_LIBRARY_DECLARATION)
EPITAPH_LIBRARY("libcrypto.so.3", OPENSSL_CALLS)

static const char *load_any(void) {
    const char *problem = load_library();
    // OpenSSL 1.1, of older supported distributions.
    return problem == NULL || load_from("libcrypto.so.1.1") == NULL ? NULL : problem;
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
