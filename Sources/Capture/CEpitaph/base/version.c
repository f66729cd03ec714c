// SPDX-License-Identifier: Apache-2.0
//
// The version at run time, which may be another than that of the headers a program was compiled
// with.

#include "epitaph.h"

const char *epitaph_version(void) {
    return EPITAPH_VERSION;
}
