// SPDX-License-Identifier: Apache-2.0
//
// The functions of OpenSSL's libcrypto that are called, the same in 1.1 and 3: EVP_DigestInit(3),
// HMAC(3).
#pragma once

#include <stddef.h>

typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;
typedef struct engine_st ENGINE;

EVP_MD_CTX *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(EVP_MD_CTX *context);
const EVP_MD *EVP_sha256(void);
int EVP_DigestInit_ex(EVP_MD_CTX *context, const EVP_MD *type, ENGINE *engine);
int EVP_DigestUpdate(EVP_MD_CTX *context, const void *bytes, size_t count);
int EVP_DigestFinal_ex(EVP_MD_CTX *context, unsigned char *digest, unsigned *size);
unsigned char *HMAC(const EVP_MD *type, const void *key, int key_count, const unsigned char *bytes,
                    size_t count, unsigned char *digest, unsigned *size);
