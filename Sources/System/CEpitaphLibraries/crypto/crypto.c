// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#include "epitaph_loaded_library.h"

static const struct epitaph_crypto_backend *backend;

static const char *load_first(void) {
    const char *problem = epitaph_openssl_backend.load();
    if (problem == NULL) {
        backend = &epitaph_openssl_backend;
    } else if (epitaph_nettle_backend.load() == NULL) {
        backend = &epitaph_nettle_backend;
        problem = NULL;
    }
    return problem;
}

EPITAPH_LIBRARY_ONCE(epitaph_crypto_problem, load_first)

struct epitaph_sha256 *epitaph_sha256_create(void) {
    return backend->create();
}

bool epitaph_sha256_add(struct epitaph_sha256 *digest, const void *bytes, size_t count) {
    return count == 0 || backend->add(digest, bytes, count);
}

bool epitaph_sha256_finish(struct epitaph_sha256 *digest, uint8_t result[EPITAPH_SHA256_BYTES]) {
    return backend->finish(digest, result);
}

void epitaph_sha256_destroy(struct epitaph_sha256 *digest) {
    backend->destroy(digest);
}

bool epitaph_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                         uint8_t result[EPITAPH_SHA256_BYTES]) {
    return backend->hmac(key, key_count, bytes, count, result);
}
