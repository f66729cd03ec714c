// SPDX-License-Identifier: Apache-2.0

#include "epitaph_debuginfod.h"

EPITAPH_LIBRARY("libdebuginfod.so.1", EPITAPH_DEBUGINFOD_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_debuginfod_problem, load_library)
