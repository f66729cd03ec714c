// SPDX-License-Identifier: Apache-2.0

#include "CDeflate.h"

#include <CLoadedLibrary.h>
#include <pthread.h>

/// What is called of libdeflate.so.0.
#define DEFLATE_FUNCTIONS(FUNCTION)         \
    FUNCTION(libdeflate_alloc_decompressor) \
    FUNCTION(libdeflate_free_decompressor)  \
    FUNCTION(libdeflate_zlib_decompress)

#define MEMBER(function) __typeof__(function) *function;

/// The loaded functions; all NULL before.
static struct { DEFLATE_FUNCTIONS(MEMBER) } library;

static const char *problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // POSIX demands of dlsym(3) that a data pointer becomes a function pointer; ISO C forbids it.
#define PLACE(function) {#function, (void **)&library.function},
    static const struct epitaph_library_function functions[] = {DEFLATE_FUNCTIONS(PLACE)};
#undef PLACE
    problem =
        epitaph_library_load("libdeflate.so.0", functions, sizeof functions / sizeof functions[0]);
}

const char *epitaph_deflate_problem(void) {
    pthread_once(&once, load);
    return problem;
}

struct libdeflate_decompressor *libdeflate_alloc_decompressor(void) {
    if (epitaph_deflate_problem() != NULL) return NULL;
    return library.libdeflate_alloc_decompressor();
}

void libdeflate_free_decompressor(struct libdeflate_decompressor *decompressor) {
    library.libdeflate_free_decompressor(decompressor);
}

enum libdeflate_result libdeflate_zlib_decompress(struct libdeflate_decompressor *decompressor,
                                                  const void *in, size_t in_nbytes, void *out,
                                                  size_t out_nbytes_avail,
                                                  size_t *actual_out_nbytes_ret) {
    return library.libdeflate_zlib_decompress(decompressor, in, in_nbytes, out, out_nbytes_avail,
                                              actual_out_nbytes_ret);
}
