// SPDX-License-Identifier: Apache-2.0
//
// Compares the digests and codes of the two libraries for bodies and keys of many lengths.

#include "backend.h"

#include <stdio.h>
#include <string.h>

static bool digest(const struct epitaph_crypto_backend *backend, const uint8_t *bytes, size_t count,
                   uint8_t result[EPITAPH_SHA256_BYTES]) {
    void *state = backend->create();
    const size_t half = count / 2;
    const bool fine = state != NULL && backend->add(state, bytes, half) &&
                      backend->add(state, bytes + half, count - half) &&
                      backend->finish(state, result);
    if (state != NULL) backend->destroy(state);
    return fine;
}

int main(void) {
    const struct epitaph_crypto_backend *both[] = {&epitaph_openssl_backend,
                                                   &epitaph_nettle_backend};
    static uint8_t bytes[1000];
    for (size_t index = 0; index < sizeof bytes; index++)
        bytes[index] = (uint8_t)(index * 7);
    for (int which = 0; which < 2; which++) {
        const char *problem = both[which]->load();
        if (problem != NULL) return puts(problem), 1;
    }
    for (size_t count = 0; count <= sizeof bytes; count += 37) {
        uint8_t results[2][2][EPITAPH_SHA256_BYTES];
        for (int which = 0; which < 2; which++) {
            if (!digest(both[which], bytes, count, results[which][0])) return 2;
            if (!both[which]->hmac(bytes, count / 5, bytes, count, results[which][1])) return 3;
        }
        if (memcmp(results[0], results[1], sizeof results[0]) != 0) return 4;
    }
    return 0;
}
