// SPDX-License-Identifier: Apache-2.0
//
// libc_blocks [LIBRARY]: which of libc's functions gave a block that was sampled, when all are:
// only such a one's usable size is what was asked for. With LIBRARY, after that was loaded.

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifdef LOADS
#include <dlfcn.h>
#endif

enum { PRIME = 10007 };

static int sampled, asked;

static void ask(const char *name, void *block, size_t size) {
    asked++;
    if (malloc_usable_size(block) == size) {
        sampled++;
    } else {
        printf("%s was not sampled\n", name);
    }
    free(block);
}

int main(int count, char **arguments) {
#ifdef LOADS
    if (count > 1 && dlopen(arguments[1], RTLD_NOW) == NULL) puts(dlerror());
#else
    (void)count;
    (void)arguments;
#endif
    char *text = NULL;
    void *block = NULL;
    size_t size = 0;
    ask("malloc", malloc(PRIME), PRIME);
    ask("calloc", calloc(PRIME, 1), PRIME);
    ask("realloc", realloc(malloc(3), PRIME), PRIME);
    ask("reallocarray", reallocarray(malloc(3), PRIME, 1), PRIME);
    ask("memalign", memalign(64, PRIME), PRIME);
    ask("aligned_alloc", aligned_alloc(64, PRIME), PRIME);
    ask("valloc", valloc(PRIME), PRIME);
    if (posix_memalign(&block, 64, PRIME) == 0) ask("posix_memalign", block, PRIME);
    ask("strdup", strdup("a text"), 7);
    ask("strndup", strndup("a text", 3), 4);
    ask("wcsdup", wcsdup(L"a text"), 7 * sizeof(wchar_t));
    FILE *stream = fmemopen((char[]){"a line\n"}, 7, "r");
    size = 3;
    text = malloc(3);
    if (getline(&text, &size, stream) == 7) ask("getline", text, size);
    fclose(stream);
    printf("%d of %d\n", sampled, asked);
    return 0;
}
