// SPDX-License-Identifier: Apache-2.0

#include "backend.h"

#include "epitaph_exit_gate.h"
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
    if (problem != NULL) return problem;
    if (!epitaph_exit_gate_enter()) return "this process is ending";
    epitaph_library_guard_exit();
    epitaph_exit_gate_leave();
    return NULL;
}

EPITAPH_LIBRARY_ONCE(epitaph_crypto_problem, load_first)

struct epitaph_sha256 *epitaph_sha256_create(void) {
    if (!epitaph_exit_gate_enter()) return NULL;
    struct epitaph_sha256 *digest = backend->create();
    epitaph_exit_gate_leave();
    return digest;
}

bool epitaph_sha256_add(struct epitaph_sha256 *digest, const void *bytes, size_t count) {
    if (count == 0) return true;
    if (!epitaph_exit_gate_enter()) return false;
    bool is_added = backend->add(digest, bytes, count);
    epitaph_exit_gate_leave();
    return is_added;
}

bool epitaph_sha256_finish(struct epitaph_sha256 *digest, uint8_t result[EPITAPH_SHA256_BYTES]) {
    if (!epitaph_exit_gate_enter()) return false;
    bool is_finished = backend->finish(digest, result);
    epitaph_exit_gate_leave();
    return is_finished;
}

void epitaph_sha256_destroy(struct epitaph_sha256 *digest) {
    if (!epitaph_exit_gate_enter()) return;
    backend->destroy(digest);
    epitaph_exit_gate_leave();
}

bool epitaph_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                         uint8_t result[EPITAPH_SHA256_BYTES]) {
    if (!epitaph_exit_gate_enter()) return false;
    bool is_done = backend->hmac(key, key_count, bytes, count, result);
    epitaph_exit_gate_leave();
    return is_done;
}
