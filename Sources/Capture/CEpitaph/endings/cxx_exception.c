// SPDX-License-Identifier: Apache-2.0
//
// Layouts and functions of the Itanium C++ ABI, used only through weak symbols.

#include "endings/endings.h"

#include <string.h>

// The C++ runtime, if there is one.
extern const void *__cxa_get_globals(void) __attribute__((weak));
extern const cxx_type_info *__cxa_current_exception_type(void) __attribute__((weak));
// typeinfo for std::exception: ABI 5.1.4
extern const cxx_type_info _ZTISt9exception __attribute__((weak));

/// ABI 2.9.2
struct cxx_type_info {
    void *const *functions;
    const char *name;
};

/// __cxa_eh_globals, EH 2.2.2. The exceptions being handled are a list, the innermost first;
/// std::terminate() counts as a handler (EH 2.5.3).
typedef struct eh_globals {
    const uint8_t *caught;
    unsigned uncaught_count;
} eh_globals;

// __cxa_exception, EH 2.2.1: `exceptionType` is its first field in GCC's layout, and its last one
// is the unwinder's header, which begins with the class of the exception (EH 1.2). The thrown
// object follows. LLVM's layout has two more words at the beginning.
enum {
    GNU_HEADER_OFFSET = 80,
    LLVM_HEADER_OFFSET = 96,
    UNWIND_HEADER_SIZE = 32,
};

// EH 2.2.1: vendor, then `C++` and a NUL. Both runtimes set that byte to 1 for an exception that
// was thrown again by std::rethrow_exception and refers to another one's object.
static const uint64_t gnu_class = 0x474e5543432b2b00;
static const uint64_t llvm_class = 0x434c4e47432b2b00;

static uint64_t class_at(const uint8_t *header) {
    uint64_t class;
    memcpy(&class, header, sizeof class);
    return class;
}

/// The object of GCC's exception with its header at `header`. If it was thrown again, its first
/// field points to the object: __cxa_dependent_exception in libsupc++/unwind-cxx.h.
static void *gnu_object(const uint8_t *exception, uint64_t class) {
    if (class == gnu_class) {
        return (void *)(uintptr_t)(exception + GNU_HEADER_OFFSET + UNWIND_HEADER_SIZE);
    }
    void *object;
    memcpy(&object, exception, sizeof object);
    return object;
}

bool epitaph_cxx_exception_find(cxx_exception *exception) {
    exception->type = NULL;
    exception->object = NULL;
    if (__cxa_get_globals == NULL || __cxa_current_exception_type == NULL) return false;
    const eh_globals *globals = __cxa_get_globals();
    if (globals == NULL || globals->caught == NULL) return false;
    const uint64_t class_mask = ~(uint64_t)0xff;
    uint64_t class = class_at(globals->caught + GNU_HEADER_OFFSET);
    if ((class & class_mask) == gnu_class) {
        exception->object = gnu_object(globals->caught, class);
    } else {
        class = class_at(globals->caught + LLVM_HEADER_OFFSET);
        if ((class & class_mask) != llvm_class) return true;
        if (class == llvm_class) {
            exception->object =
                (void *)(uintptr_t)(globals->caught + LLVM_HEADER_OFFSET + UNWIND_HEADER_SIZE);
        }
    }
    // Only after that check: the runtime would take a foreign exception for one of its own.
    exception->type = __cxa_current_exception_type();
    return true;
}

const char *epitaph_cxx_type_name(const cxx_type_info *type) {
    // GCC marks types that are equal only if their address is equal with a star: <typeinfo>.
    return type->name[0] == '*' ? type->name + 1 : type->name;
}

// ABI 2.5.2: virtual functions are in the order of their declaration, and a destructor takes two
// entries. <typeinfo> declares destructor, __is_pointer_p, __is_function_p, __do_catch; LLVM's
// runtime has its own `can_catch` in the same place. <exception> declares destructor, what.
enum { DO_CATCH_PLACE = 4, WHAT_PLACE = 2 };

typedef int8_t (*do_catch_function)(const cxx_type_info *catcher, const cxx_type_info *thrown,
                                    void **object, unsigned outer);
typedef const char *(*what_function)(const void *object);

const char *epitaph_cxx_exception_what(const cxx_exception *exception) {
    if (&_ZTISt9exception == NULL || exception->type == NULL || exception->object == NULL) {
        return NULL;
    }
    // What the runtime calls for `catch (std::exception &)`: it finds the base class and adjusts
    // the pointer to it.
    void *object = exception->object;
    void *function = _ZTISt9exception.functions[DO_CATCH_PLACE];
    do_catch_function do_catch;
    memcpy(&do_catch, &function, sizeof do_catch);
    if ((do_catch(&_ZTISt9exception, exception->type, &object, 1) & 1) == 0) return NULL;
    void *const *functions;
    memcpy(&functions, object, sizeof functions);
    what_function what;
    memcpy(&what, &functions[WHAT_PLACE], sizeof what);
    return what(object);
}
