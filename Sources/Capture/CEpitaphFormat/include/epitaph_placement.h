// SPDX-License-Identifier: Apache-2.0
//
// Where things lie in the library, so that fork(2) costs a program little.

#ifndef EPITAPH_PLACEMENT_H
#define EPITAPH_PLACEMENT_H

/// Big arrays of which most processes touch little, apart from small variables, which then share
/// few pages: each page that was written to is memory of the process alone, and fork(3) copies it.
/// The linker puts `.bss.*` behind `.bss`.
#define EPITAPH_SPARSE __attribute__((section(".bss.epitaph_sparse")))

/// Functions that children run before they exit or execute a program, side by side: a child maps
/// code in a page fault of its own, 64 KiB at a time. Compilers and linkers put hot ones together.
#define EPITAPH_RUN_IN_CHILDREN __attribute__((hot))

#endif
