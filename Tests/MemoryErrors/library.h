// SPDX-License-Identifier: Apache-2.0

#ifndef LIBRARY_H
#define LIBRARY_H

#include <stddef.h>

char *library_open(size_t size);
void library_close(char *block);
void library_use(char *block);

#endif
