// SPDX-License-Identifier: Apache-2.0

#include "epitaph_loaded_library.h"

#include "epitaph_exit_gate.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/// The next call of dlerror(3) overwrites its text.
static const char *kept_error(void) {
    const char *words = dlerror();
    const char *copy = words == NULL ? NULL : strdup(words);
    return copy == NULL ? "it cannot be loaded" : copy;
}

static const char *load(const char *soname, const struct epitaph_library_function *functions,
                        size_t count) {
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return kept_error();
    for (size_t index = 0; index < count; index++) {
        void *address = dlsym(library, functions[index].name);
        if (address == NULL) {
            const char *error = kept_error();
            for (size_t known = 0; known < index; known++)
                *functions[known].place = NULL;
            dlclose(library);
            return error;
        }
        *functions[index].place = address;
    }
    return NULL;
}

const char *epitaph_library_load(const char *soname,
                                 const struct epitaph_library_function *functions, size_t count) {
    if (!epitaph_exit_gate_enter()) return "this process is ending";
    const char *problem = load(soname, functions, count);
    epitaph_exit_gate_leave();
    return problem;
}

/// A first use of OpenSSL registers its handler, and then goes on for a while. So it has ours done
/// first in its own: OPENSSL_atexit(3), the same in OpenSSL 1.1 and 3.
static void guard_openssl(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        void *library = dlopen(names[index], RTLD_NOW | RTLD_NOLOAD);
        if (library == NULL) continue;
        int (*add)(void (*)(void)) = (int (*)(void (*)(void)))dlsym(library, "OPENSSL_atexit");
        if (add != NULL) add(epitaph_exit_gate_close);
        dlclose(library);
    }
}

void epitaph_library_guard_exit(void) {
    // Without memory for it, the end is as it would be without a gate.
    guard_openssl();
    // The destructors of all other libraries come after all handlers.
    atexit(epitaph_exit_gate_close);
}
