// SPDX-License-Identifier: Apache-2.0
//
// Where big arrays are, of which most processes touch little.

#ifndef EPITAPH_SPARSE_H
#define EPITAPH_SPARSE_H

/// Apart from small variables, which then share few pages: each page that was written to is memory
/// of the process alone, and fork(3) copies it. The linker puts `.bss.*` behind `.bss`.
#define EPITAPH_SPARSE __attribute__((section(".bss.epitaph_sparse")))

#endif
