// SPDX-License-Identifier: Apache-2.0
//
// Stores type and what() of the C++ exception that ends a thread for the crash handler.

#include "endings/endings.h"

#include "base/base.h"
#include "epitaph_cxx_layout.h"
#include "epitaph_process.h"
#include "epitaph_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Uses only the Itanium C++ ABI, because this C library must not link a C++ runtime. "EH" is
// https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html, "ABI" .../abi.html.

/// std::type_info: vtable and mangled name. ABI 2.9.2
typedef struct cxx_type_info cxx_type_info;

typedef struct cxx_exception {
    /// NULL for an exception of another language.
    const cxx_type_info *type;
    /// The thrown object; NULL if unknown.
    void *object;
} cxx_exception;

// NULL without a C++ runtime.
extern const void *__cxa_get_globals(void) __attribute__((weak));
extern const cxx_type_info *__cxa_current_exception_type(void) __attribute__((weak));
// typeinfo of std::exception and std::nested_exception: ABI 5.1.4
extern const cxx_type_info _ZTISt9exception __attribute__((weak));
extern const cxx_type_info _ZTISt16nested_exception __attribute__((weak));

/// ABI 2.9.2
struct cxx_type_info {
    void *const *functions;
    const char *name;
};

/// __cxa_eh_globals, EH 2.2.2: exceptions being handled, innermost first. std::terminate() counts.
typedef struct eh_globals {
    const uint8_t *caught;
    unsigned uncaught_count;
} eh_globals;

static uint64_t class_at(const uint8_t *header) {
    uint64_t class;
    memcpy(&class, header, sizeof class);
    return class;
}

static void *gnu_object(const uint8_t *exception, uint64_t class) {
    if (class == EPITAPH_CXX_GNU_CLASS) {
        return (void *)(uintptr_t)(exception + EPITAPH_CXX_TYPE_DISTANCE);
    }
    void *object;
    memcpy(&object, exception, sizeof object);
    return object;
}

static bool epitaph_cxx_exception_find(cxx_exception *exception) {
    exception->type = NULL;
    exception->object = NULL;
    if (__cxa_get_globals == NULL || __cxa_current_exception_type == NULL) return false;
    const eh_globals *globals = __cxa_get_globals();
    if (globals == NULL || globals->caught == NULL) return false;
    uint64_t class = class_at(globals->caught + EPITAPH_CXX_GNU_HEADER_OFFSET);
    if ((class & EPITAPH_CXX_CLASS_MASK) == EPITAPH_CXX_GNU_CLASS) {
        exception->object = gnu_object(globals->caught, class);
    } else {
        class = class_at(globals->caught + EPITAPH_CXX_LLVM_HEADER_OFFSET);
        if ((class & EPITAPH_CXX_CLASS_MASK) != EPITAPH_CXX_LLVM_CLASS) return true;
        if (class == EPITAPH_CXX_LLVM_CLASS) {
            exception->object =
                (void *)(uintptr_t)(globals->caught + EPITAPH_CXX_LLVM_HEADER_OFFSET +
                                    EPITAPH_CXX_UNWIND_HEADER_SIZE);
        }
    }
    // After the class check, because the runtime would mistake a foreign exception for its own.
    exception->type = __cxa_current_exception_type();
    return true;
}

static const char *epitaph_cxx_type_name(const cxx_type_info *type) {
    // GCC puts a star before names of types that are compared by address only: <typeinfo>.
    return type->name[0] == '*' ? type->name + 1 : type->name;
}

// ABI 2.5.2: virtual functions in declaration order, destructors in two slots. <typeinfo> declares
// destructor, __is_pointer_p, __is_function_p, __do_catch (LLVM: `can_catch` in the same slot);
// <exception> declares destructor, what.
enum { DO_CATCH_PLACE = 4, WHAT_PLACE = 2 };
enum { MOST_TEXT_BYTES = 512, MOST_NESTED = 4 };

typedef int8_t (*do_catch_function)(const cxx_type_info *catcher, const cxx_type_info *thrown,
                                    void **object, unsigned outer);
typedef const char *(*what_function)(const void *object);

/// Finds the base class and adjusts the pointer, like `catch (base &)`. NULL if there is none.
static void *as_base(const cxx_exception *exception, const cxx_type_info *base) {
    if (base == NULL || exception->type == NULL || exception->object == NULL) return NULL;
    void *object = exception->object;
    void *function = base->functions[DO_CATCH_PLACE];
    do_catch_function do_catch;
    memcpy(&do_catch, &function, sizeof do_catch);
    return (do_catch(base, exception->type, &object, 1) & 1) == 0 ? NULL : object;
}

/// NULL if it does not derive from std::exception.
static const char *epitaph_cxx_exception_what(const cxx_exception *exception) {
    void *object = as_base(exception, &_ZTISt9exception);
    if (object == NULL) return NULL;
    void *const *functions;
    memcpy(&functions, object, sizeof functions);
    what_function what;
    memcpy(&what, &functions[WHAT_PLACE], sizeof what);
    return what(object);
}

/// The exception that was handled when std::throw_with_nested threw this one. std::nested_exception
/// has a virtual table and a std::exception_ptr, which is the object's address in both runtimes;
/// the type is as far before the object in both layouts.
static bool find_nested(const cxx_exception *outer, cxx_exception *inner) {
    const uint8_t *nested = as_base(outer, &_ZTISt16nested_exception);
    if (nested == NULL) return false;
    memcpy(&inner->object, nested + sizeof(void *), sizeof inner->object);
    if (inner->object == NULL) return false;
    const uint8_t *object = inner->object;
    uint64_t class = class_at(object - EPITAPH_CXX_UNWIND_HEADER_SIZE);
    if (class != EPITAPH_CXX_GNU_CLASS && class != EPITAPH_CXX_LLVM_CLASS) return false;
    memcpy(&inner->type, object - EPITAPH_CXX_TYPE_DISTANCE, sizeof inner->type);
    return inner->type != NULL;
}

/// A thrown text: of char pointers, and of libstdc++'s std::string, an address and a length. They
/// may lead anywhere; they are not read where a filter might end the process for asking.
static bool describe_text(const void *object, const char *name, char *text, size_t size) {
    bool is_string = strcmp(name, EPITAPH_CXX_STRING_NAME) == 0;
    if (!is_string && strcmp(name, "PKc") != 0 && strcmp(name, "Pc") != 0) return false;
    uint64_t words[2] = {0, MOST_TEXT_BYTES};
    memcpy(words, object, is_string ? sizeof words : sizeof words[0]);
    size_t count = words[1] < size - 1 ? (size_t)words[1] : size - 1;
    if (!epitaph_filters_have_come()) text[epitaph_readable_copy(text, words[0], count)] = 0;
    return true;
}

/// A thrown text or number, as `name` says: ABI 5.1.5. Empty for other types.
static void describe_value(const void *object, const char *name, char *text, size_t size) {
    text[0] = 0;
    if (object == NULL || describe_text(object, name, text, size)) return;
    if (name[0] == 0 || name[1] != 0) return;
    switch (name[0]) {
    case 'b': snprintf(text, size, "%s", *(const bool *)object ? "true" : "false"); break;
    case 'c': snprintf(text, size, "%d", *(const char *)object); break;
    case 'a': snprintf(text, size, "%d", *(const signed char *)object); break;
    case 'h': snprintf(text, size, "%u", *(const unsigned char *)object); break;
    case 's': snprintf(text, size, "%d", *(const short *)object); break;
    case 't': snprintf(text, size, "%u", *(const unsigned short *)object); break;
    case 'i': snprintf(text, size, "%d", *(const int *)object); break;
    case 'j': snprintf(text, size, "%u", *(const unsigned *)object); break;
    case 'l':
    case 'x': snprintf(text, size, "%lld", *(const long long *)object); break;
    case 'm':
    case 'y': snprintf(text, size, "%llu", *(const unsigned long long *)object); break;
    case 'f': snprintf(text, size, "%g", (double)*(const float *)object); break;
    case 'd': snprintf(text, size, "%g", *(const double *)object); break;
    case 'e': snprintf(text, size, "%Lg", *(const long double *)object); break;
    }
}

// At SIGABRT only the C++ runtime knows the exception, so use a terminate handler.

typedef void (*terminate_function)(void);

// std::set_terminate, std::get_terminate and the demangler; NULL without a C++ runtime.
extern terminate_function _ZSt13set_terminatePFvvE(terminate_function) __attribute__((weak));
extern terminate_function _ZSt13get_terminatev(void) __attribute__((weak));
extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status)
    __attribute__((weak));

static terminate_function previous;

// Frames with our prefix, below the program's code, are skipped by reports.

static void put(const char *text) {
    epitaph_message_board_put(&epitaph_capture_settings_now.cxx_messages, text,
                              strnlen(text, EPITAPH_MESSAGE_LIMIT));
}

static void append(char *text, const char *before, const char *words) {
    size_t length = strlen(text);
    snprintf(text + length, EPITAPH_MESSAGE_LIMIT - length, "%s%s", before, words);
    put(text);
}

/// Appends the type first, because what() is the program's code and may do anything.
static void append_exception(char *text, const char *before, const cxx_exception *exception) {
    char value[MOST_TEXT_BYTES + 1];
    const char *mangled = epitaph_cxx_type_name(exception->type);
    char *name = __cxa_demangle == NULL ? NULL : __cxa_demangle(mangled, NULL, NULL, NULL);
    append(text, before, name == NULL ? mangled : name);
    free(name);
    const char *what = epitaph_cxx_exception_what(exception);
    if (what == NULL) {
        describe_value(exception->object, mangled, value, sizeof value);
        what = value[0] == 0 ? NULL : value;
    }
    if (what != NULL) append(text, ": ", what);
}

static void epitaph_leave_words(const cxx_exception *exception) {
    char text[EPITAPH_MESSAGE_LIMIT] = "";
    append_exception(text, "", exception);
    cxx_exception outer = *exception;
    cxx_exception inner;
    for (int i = 0; i < MOST_NESTED && find_nested(&outer, &inner); i++) {
        append_exception(text, "; it was thrown while handling ", &inner);
        outer = inner;
    }
    // The runtime has caught the one that it gives up for: EH 2.5.3 and [except.terminate].
    const eh_globals *globals = __cxa_get_globals();
    if (globals->uncaught_count > 0) {
        append(text, "; another exception was on its way out", "");
    }
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
