// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#include "epitaph_loaded_library.h"
#include <stdlib.h>

// nettle/sha2.h and nettle/hmac.h have 112 and 336 bytes, as long as it is libnettle.so.8.
enum { CONTEXT_BYTES = 256, KEYED_CONTEXT_BYTES = 1024 };

#define NETTLE_CALLS(CALL, OWN)                                                               \
    OWN(void, nettle_sha256_init, (void *context))                                            \
    OWN(void, nettle_sha256_update, (void *context, size_t count, const uint8_t *bytes))      \
    OWN(void, nettle_sha256_digest, (void *context, size_t count, uint8_t *digest))           \
    OWN(void, nettle_hmac_sha256_set_key, (void *context, size_t count, const uint8_t *key))  \
    OWN(void, nettle_hmac_sha256_update, (void *context, size_t count, const uint8_t *bytes)) \
    OWN(void, nettle_hmac_sha256_digest, (void *context, size_t count, uint8_t *digest))

NETTLE_CALLS(, EPITAPH_LIBRARY_DECLARATION)
EPITAPH_LIBRARY("libnettle.so.8", NETTLE_CALLS)

static void *create(void) {
    void *context = calloc(1, CONTEXT_BYTES);
    if (context != NULL) library.nettle_sha256_init(context);
    return context;
}

static bool add(void *state, const void *bytes, size_t count) {
    library.nettle_sha256_update(state, count, bytes);
    return true;
}

static bool finish(void *state, uint8_t result[EPITAPH_SHA256_BYTES]) {
    library.nettle_sha256_digest(state, EPITAPH_SHA256_BYTES, result);
    return true;
}

static bool hmac(const void *key, size_t key_count, const void *bytes, size_t count,
                 uint8_t result[EPITAPH_SHA256_BYTES]) {
    _Alignas(16) uint8_t context[KEYED_CONTEXT_BYTES] = {0};
    library.nettle_hmac_sha256_set_key(context, key_count, key);
    library.nettle_hmac_sha256_update(context, count, bytes);
    library.nettle_hmac_sha256_digest(context, EPITAPH_SHA256_BYTES, result);
    return true;
}

const struct epitaph_crypto_backend epitaph_nettle_backend = {
    .load = load_library,
    .create = create,
    .add = add,
    .finish = finish,
    .destroy = free,
    .hmac = hmac,
};
