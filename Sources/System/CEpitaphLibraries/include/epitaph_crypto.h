// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 and HMAC-SHA-256, to sign requests, from the library that libcurl uses: OpenSSL's
// libcrypto, or nettle if built with GnuTLS. docs/decisions/other-uploads.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_SHA256_BYTES = 32 };

struct epitaph_sha256;

/// Loads a library once; call it before the others. Returns NULL, or static text if none is usable.
const char *epitaph_crypto_problem(void);

/// NULL without memory. Free with epitaph_sha256_destroy.
struct epitaph_sha256 *epitaph_sha256_create(void);

/// False if the library refuses, for example in a mode that forbids the algorithm.
bool epitaph_sha256_add(struct epitaph_sha256 *digest, const void *bytes, size_t count);

/// Writes the digest; nothing can be added afterwards.
bool epitaph_sha256_finish(struct epitaph_sha256 *digest, uint8_t result[EPITAPH_SHA256_BYTES]);

void epitaph_sha256_destroy(struct epitaph_sha256 *digest);

/// RFC 2104.
bool epitaph_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                         uint8_t result[EPITAPH_SHA256_BYTES]);

#pragma GCC visibility pop
