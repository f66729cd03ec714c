// SPDX-License-Identifier: Apache-2.0
//
// Where the Itanium C++ ABI keeps an exception. "EH" is
// https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html. Internal to the package.

#ifndef EPITAPH_CXX_LAYOUT_H
#define EPITAPH_CXX_LAYOUT_H

#include <stdint.h>

// __cxa_exception, EH 2.2.1. In GCC's layout `exceptionType` comes first and the unwinder's header,
// which starts with the exception class (EH 1.2), last; the thrown object follows. LLVM's layout
// has two more words at the start.
enum {
    EPITAPH_CXX_GNU_HEADER_OFFSET = 80,
    EPITAPH_CXX_LLVM_HEADER_OFFSET = 96,
    EPITAPH_CXX_UNWIND_HEADER_SIZE = 32,
    /// Of `exceptionType` before the object, in both.
    EPITAPH_CXX_TYPE_DISTANCE = EPITAPH_CXX_GNU_HEADER_OFFSET + EPITAPH_CXX_UNWIND_HEADER_SIZE,
};

// EH 2.2.1: vendor, `C++`, NUL. Both runtimes set the last byte to 1 for std::rethrow_exception,
// where the header refers to another exception's object.
#define EPITAPH_CXX_GNU_CLASS 0x474e5543432b2b00ull
#define EPITAPH_CXX_LLVM_CLASS 0x434c4e47432b2b00ull
#define EPITAPH_CXX_CLASS_MASK (~0xffull)

/// libstdc++'s std::string: an address and a length.
#define EPITAPH_CXX_STRING_NAME "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

#endif
