// SPDX-License-Identifier: Apache-2.0

#include "CElfutils.h"
#include "libraries.h"

#include <pthread.h>
#include <stddef.h>

static const char *problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// libdw needs libelf, so the second one is there already.
static void load(void) {
    problem = epitaph_libdw_load();
    if (problem == NULL) problem = epitaph_libelf_load();
}

const char *epitaph_elfutils_problem(void) {
    pthread_once(&once, load);
    return problem;
}
