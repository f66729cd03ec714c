// SPDX-License-Identifier: Apache-2.0
//
// own_list LIBRARY: loads the library apart from the program's own, and calls what crashes in it.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count < 2) return 64;
    void *library = dlmopen(LM_ID_NEWLM, arguments[1], RTLD_NOW);
    if (library == NULL) return 70;
    int (*crash)(void);
    void *symbol = dlsym(library, "crash");
    memcpy(&crash, &symbol, sizeof crash);
    printf("%d\n", crash());
    return 0;
}
