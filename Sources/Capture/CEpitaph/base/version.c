// SPDX-License-Identifier: Apache-2.0
//
// The run-time version; the headers that a program was compiled with may differ.

#include "epitaph.h"

const char *epitaph_version(void) {
    return EPITAPH_VERSION;
}
