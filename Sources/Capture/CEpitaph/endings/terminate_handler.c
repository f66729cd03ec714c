// SPDX-License-Identifier: Apache-2.0
//
// std::terminate() leaves no message for a crash handler: at the time of SIGABRT only the C++
// runtime knows the exception. A terminate handler runs before that, as ordinary code.

#include "endings/endings.h"

#include "epitaph_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*terminate_function)(void);

// std::set_terminate, std::get_terminate and the demangler of the C++ runtime, if there is one.
extern terminate_function _ZSt13set_terminatePFvvE(terminate_function) __attribute__((weak));
extern terminate_function _ZSt13get_terminatev(void) __attribute__((weak));
extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status)
    __attribute__((weak));

static terminate_function previous;

// Functions that run below the program's own code have our prefix, so that reports can leave out
// their frames when they say what a crash was about.

static void put(const char *text) {
    epitaph_message_board_put(&epitaph_capture_settings_now.cxx_messages, text,
                              strnlen(text, EPITAPH_MESSAGE_LIMIT));
}

/// Stores the type first: what() is the program's code and may do anything.
static void epitaph_leave_words(const cxx_exception *exception) {
    char text[EPITAPH_MESSAGE_LIMIT];
    const char *mangled = epitaph_cxx_type_name(exception->type);
    char *name = __cxa_demangle == NULL ? NULL : __cxa_demangle(mangled, NULL, NULL, NULL);
    snprintf(text, sizeof text, "%s", name == NULL ? mangled : name);
    free(name);
    put(text);
    const char *what = epitaph_cxx_exception_what(exception);
    if (what == NULL) return;
    size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, ": %s", what);
    put(text);
}

static void epitaph_terminate(void) {
    cxx_exception exception;
    if (!epitaph_cxx_exception_find(&exception)) {
        put("std::terminate was called without an exception");
    } else if (exception.type == NULL) {
        put("an exception of another language");
    } else {
        epitaph_leave_words(&exception);
    }
    if (previous != NULL) previous();
    abort();
}

void epitaph_terminate_handler_install(void) {
    if (_ZSt13set_terminatePFvvE == NULL) return;
    terminate_function present = _ZSt13set_terminatePFvvE(epitaph_terminate);
    if (present != epitaph_terminate) previous = present;
}

void epitaph_terminate_handler_uninstall(void) {
    if (_ZSt13set_terminatePFvvE == NULL || _ZSt13get_terminatev == NULL) return;
    if (_ZSt13get_terminatev() == epitaph_terminate) _ZSt13set_terminatePFvvE(previous);
}
