// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 and HMAC-SHA-256 of the library that libcurl brings along: OpenSSL's libcrypto, or nettle
// where libcurl was built with GnuTLS. Opened when a request has to be signed.
// docs/decisions/other-uploads.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_SHA256_BYTES = 32 };

/// A digest that is being computed.
struct epitaph_sha256;

/// Loads a library, once; must have returned NULL before anything below is called.
///
/// Returns NULL, or why none can be used, as words that stay valid.
const char *epitaph_crypto_problem(void);

/// NULL if there is no memory. Given back with epitaph_sha256_destroy.
struct epitaph_sha256 *epitaph_sha256_create(void);

/// False if the library refuses, for example in a mode that forbids the algorithm.
bool epitaph_sha256_add(struct epitaph_sha256 *digest, const void *bytes, size_t count);

/// Writes the digest, after which nothing can be added.
bool epitaph_sha256_finish(struct epitaph_sha256 *digest, uint8_t result[EPITAPH_SHA256_BYTES]);

void epitaph_sha256_destroy(struct epitaph_sha256 *digest);

/// RFC 2104.
bool epitaph_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                         uint8_t result[EPITAPH_SHA256_BYTES]);

#pragma GCC visibility pop
