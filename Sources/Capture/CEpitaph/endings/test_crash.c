// SPDX-License-Identifier: Apache-2.0
//
// Deliberate crashes, each in a function whose name identifies it in the report.

#include "endings/endings.h"

#include "base/base.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_allowed;

void epitaph_test_crash_allow(bool is_allowed_now) {
    __atomic_store_n(&is_allowed, is_allowed_now, __ATOMIC_RELEASE);
}

__attribute__((noinline)) static void test_crash_null_write(void) {
    // `volatile` hides the address from the compiler, which could otherwise remove the write.
    volatile int *volatile place = (volatile int *)(uintptr_t)8;
    *place = 1;
}

__attribute__((noinline)) static size_t test_crash_stack_overflow(size_t depth) {
    volatile char filler[1024];
    if (depth == SIZE_MAX) return 0;
    memset((void *)(uintptr_t)filler, (int)depth, sizeof filler);
    return test_crash_stack_overflow(depth + 1) + (size_t)filler[depth % sizeof filler];
}

__attribute__((noinline)) static void test_crash_illegal_instruction(void) {
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile(".inst 0x00000000");
#endif
}

__attribute__((noinline)) static void test_crash_arithmetic(void) {
#if defined(__x86_64__)
    int quotient = 1, remainder = 0;
    __asm__ volatile("idivl %2" : "+a"(quotient), "+d"(remainder) : "r"(0) : "cc");
#else
    raise(SIGFPE);
#endif
}

/// Maps an empty memfd_create(2) file, which leaves nothing behind.
__attribute__((noinline)) static void test_crash_bus_error(void) {
    int file = (int)syscall(SYS_memfd_create, "epitaph-test-crash", 1U);
    if (file < 0) return;
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page == MAP_FAILED) return;
    (void)page[0];
}

/// Throws std::runtime_error as compiled C++ would (Itanium C++ ABI, "Exception Handling").
/// Functions are looked up: Epitaph does not link the C++ runtime. A weak reference would also
/// find them in a fully static program, but cost every start of others: the loader looks for each.
__attribute__((noinline)) static bool test_crash_cxx_exception(void) {
    void *(*allocate)(size_t) = NULL;
    void (*construct)(void *, const char *) = NULL;
    void (*destroy)(void *) = NULL;
    void (*throw)(void *, void *, void (*)(void *)) = NULL;
    *(void **)&allocate = dlsym(RTLD_DEFAULT, "__cxa_allocate_exception");
    *(void **)&construct = dlsym(RTLD_DEFAULT, "_ZNSt13runtime_errorC1EPKc");
    *(void **)&destroy = dlsym(RTLD_DEFAULT, "_ZNSt13runtime_errorD1Ev");
    *(void **)&throw = dlsym(RTLD_DEFAULT, "__cxa_throw");
    void *type = dlsym(RTLD_DEFAULT, "_ZTISt13runtime_error");
    if (allocate == NULL || construct == NULL || destroy == NULL || throw == NULL || type == NULL) {
        return false;
    }
    void *exception = allocate(64);
    construct(exception, "a test crash of Epitaph");
    throw(exception, type, destroy);
    return true;
}

__attribute__((noinline)) static void test_crash_hang(void) {
    for (;;)
        pause();
}

static bool end(epitaph_test_crash_kind kind) {
    switch (kind) {
    case EPITAPH_TEST_CRASH_NULL_WRITE: test_crash_null_write(); return true;
    case EPITAPH_TEST_CRASH_ABORT: abort();
    case EPITAPH_TEST_CRASH_STACK_OVERFLOW: return test_crash_stack_overflow(0) != 0;
    case EPITAPH_TEST_CRASH_ILLEGAL_INSTRUCTION: test_crash_illegal_instruction(); return true;
    case EPITAPH_TEST_CRASH_ARITHMETIC: test_crash_arithmetic(); return true;
    case EPITAPH_TEST_CRASH_BUS_ERROR: test_crash_bus_error(); return true;
    case EPITAPH_TEST_CRASH_CXX_EXCEPTION: return test_crash_cxx_exception();
    case EPITAPH_TEST_CRASH_HANG: test_crash_hang(); return true;
    case EPITAPH_TEST_CRASH_KILL: return kill(getpid(), SIGKILL) == 0;
    case EPITAPH_TEST_CRASH_TERMINATE: return kill(getpid(), SIGTERM) == 0;
    case EPITAPH_TEST_CRASH_EXIT: exit(1);
    case EPITAPH_TEST_CRASH_IMMEDIATE_EXIT: _exit(1);
    }
    return false;
}

epitaph_status epitaph_test_crash(epitaph_test_crash_kind kind, epitaph_error *error) {
    epitaph_status status = epitaph_started_check(error);
    if (status != EPITAPH_OK) return status;
    if (!__atomic_load_n(&is_allowed, __ATOMIC_ACQUIRE)) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "test crashes are refused unless options.allows_test_crashes is "
                                 "set at the start");
    }
    if (kind < EPITAPH_TEST_CRASH_NULL_WRITE || kind > EPITAPH_TEST_CRASH_IMMEDIATE_EXIT) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0,
                                 "there is no test crash of kind %d", (int)kind);
    }
    if (end(kind)) return EPITAPH_OK;
    return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0,
                             "this process cannot end so: it is fully static, or the C++ runtime "
                             "or a system call is missing");
}
