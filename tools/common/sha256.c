// SPDX-License-Identifier: MIT
#include "sha256.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILE_CHUNK_BYTES = 1 << 16 };

struct sha256 {
    EVP_MD_CTX *context;
};

// The functions of libcrypto used here fail only without memory or without SHA-256 itself.
static void must(int done) {
    if (done != 1) {
        fputs("coradio: libcrypto cannot compute SHA-256\n", stderr);
        abort();
    }
}

struct sha256 *sha256_new(void) {
    struct sha256 *sha256 = malloc(sizeof(*sha256));

    if (sha256 == NULL) {
        return NULL;
    }
    sha256->context = EVP_MD_CTX_new();
    if (sha256->context == NULL) {
        free(sha256);
        return NULL;
    }
    must(EVP_DigestInit_ex(sha256->context, EVP_sha256(), NULL));
    return sha256;
}

void sha256_add(struct sha256 *sha256, const void *data, size_t size_bytes) {
    must(EVP_DigestUpdate(sha256->context, data, size_bytes));
}

char *sha256_text(const struct sha256 *sha256, char text[SHA256_TEXT_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[SHA256_BYTES];
    EVP_MD_CTX *copy = EVP_MD_CTX_new();

    must(copy != NULL);
    must(EVP_MD_CTX_copy_ex(copy, sha256->context));
    must(EVP_DigestFinal_ex(copy, digest, NULL));
    EVP_MD_CTX_free(copy);
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[SHA256_TEXT_SIZE - 1] = '\0';
    return text;
}

void sha256_free(struct sha256 *sha256) {
    if (sha256 != NULL) {
        EVP_MD_CTX_free(sha256->context);
        free(sha256);
    }
}

int sha256_file(const char *path, char text[SHA256_TEXT_SIZE]) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return errno;
    }
    struct sha256 *sha256 = sha256_new();
    unsigned char *chunk = malloc(FILE_CHUNK_BYTES);
    int error = sha256 == NULL || chunk == NULL ? ENOMEM : 0;

    while (error == 0) {
        size_t got = fread(chunk, 1, FILE_CHUNK_BYTES, file);

        sha256_add(sha256, chunk, got);
        if (got < FILE_CHUNK_BYTES) {
            error = ferror(file) ? EIO : 0;
            break;
        }
    }
    if (error == 0) {
        sha256_text(sha256, text);
    }
    free(chunk);
    sha256_free(sha256);
    fclose(file);
    return error;
}
