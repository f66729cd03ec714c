// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "epitaph_crypto.h"

struct epitaph_crypto_backend {
    /// Loads it. Returns NULL, or why it is unusable.
    const char *(*load)(void);
    /// A new digest; NULL without memory or if the library refuses.
    void *(*create)(void);
    bool (*add)(void *state, const void *bytes, size_t count);
    bool (*finish)(void *state, uint8_t result[EPITAPH_SHA256_BYTES]);
    void (*destroy)(void *state);
    bool (*hmac)(const void *key, size_t key_count, const void *bytes, size_t count,
                 uint8_t result[EPITAPH_SHA256_BYTES]);
};

#pragma GCC visibility push(hidden)

extern const struct epitaph_crypto_backend epitaph_openssl_backend;
extern const struct epitaph_crypto_backend epitaph_nettle_backend;

#pragma GCC visibility pop
