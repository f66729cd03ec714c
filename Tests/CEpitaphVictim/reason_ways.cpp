// SPDX-License-Identifier: Apache-2.0
//
// C++ exceptions that are not caught, and a failed check of the library.

// So that operator[] checks its index: bits/c++config.h.
#define _GLIBCXX_ASSERTIONS 1

#include "crashes.h"

#include <unwind.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

struct Plain {
    int number;
};

struct Left {
    virtual ~Left() = default;
    long weight = 1;
};

/// std::exception is a virtual base and not the first one.
struct Deep : Left, virtual std::exception {
    const char *what() const noexcept override {
        return "from far below";
    }
};

struct FailsInWhat : std::exception {
    const char *what() const noexcept override {
        std::abort();
    }
};

void throw_plain() {
    throw Plain{7};
}

void throw_number() {
    throw 42;
}

void throw_text() {
    throw "the spool is closed";
}

void throw_string() {
    throw std::string("a text that is too long for the object itself");
}

void throw_fraction() {
    throw 2.5;
}

void throw_small() {
    throw short{-3};
}

void throw_flag() {
    throw true;
}

void throw_float() {
    throw 1.5f;
}

void throw_nested() {
    try {
        throw std::runtime_error("the disk is full");
    } catch (...) {
        std::throw_with_nested(std::logic_error("could not save"));
    }
}

void throw_pointer() {
    throw new std::runtime_error("behind a pointer");
}

void throw_deep() {
    throw Deep();
}

void throw_system_error() {
    throw std::system_error(std::make_error_code(std::errc::no_space_on_device), "spool");
}

void throw_failing_what() {
    throw FailsInWhat();
}

void throw_logic_error() {
    throw std::logic_error("through a noexcept function");
}

void throw_from_noexcept() noexcept {
    throw_logic_error();
}

void throw_again() {
    std::exception_ptr kept;
    try {
        throw std::out_of_range("thrown twice");
    } catch (...) {
        kept = std::current_exception();
    }
    std::rethrow_exception(kept);
}

void throw_long_words() {
    throw std::runtime_error(std::string(100000, 'x'));
}

/// An exception of a language the C++ runtime does not know, which runs into a noexcept function.
void throw_foreign() noexcept {
    static _Unwind_Exception foreign;
    static const char name[8] = {'T', 'S', 'E', 'T', 'T', 'I', 'P', 'E'};
    std::memcpy(&foreign.exception_class, name, sizeof name);
    _Unwind_RaiseException(&foreign);
    std::abort();
}

void fail_check() {
    std::vector<int> three(3);
    volatile std::size_t index = 7;
    three[index] = 1;
}

void say_and_abort() {
    std::puts("earlier terminate handler");
    std::fflush(stdout);
    std::abort();
}

const struct {
    const char *name;
    void (*function)();
} ways[] = {
    {"throw-plain", throw_plain},
    {"throw-number", throw_number},
    {"throw-fraction", throw_fraction},
    {"throw-small", throw_small},
    {"throw-flag", throw_flag},
    {"throw-float", throw_float},
    {"throw-text", throw_text},
    {"throw-string", throw_string},
    {"throw-nested", throw_nested},
    {"throw-pointer", throw_pointer},
    {"throw-deep", throw_deep},
    {"throw-system-error", throw_system_error},
    {"throw-failing-what", throw_failing_what},
    {"throw-noexcept", throw_from_noexcept},
    {"throw-again", throw_again},
    {"throw-long", throw_long_words},
    {"throw-foreign", throw_foreign},
    {"terminate", std::terminate},
    {"failed-check", fail_check},
};

}  // namespace

void crash_in_cxx(const char *name) {
    for (const auto &way : ways) {
        if (std::strcmp(way.name, name) == 0) way.function();
    }
}

void set_own_terminate_handler(void) {
    std::set_terminate(say_and_abort);
}
