// SPDX-License-Identifier: Apache-2.0
//
// Tells ThreadSanitizer of Swift's Mutex. Its quick path is compiled into the program, where the
// sanitizer sees it; where a thread waits, lock and unlock are in libswiftSynchronization.so, which
// is not instrumented, and all that the lock guards would look like a race. Scripts/sanitize loads
// this library before it.

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

// Only in a program that is linked with the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT_CALL void lock_function(uint32_t, SWIFT_SELF void *);
typedef SWIFT_CALL bool try_function(SWIFT_SELF void *);
typedef SWIFT_CALL void unlock_function(SWIFT_SELF void *);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT_CALL void lock_slowly(uint32_t thread, SWIFT_SELF void *mutex) __asm__(LOCK);
SWIFT_CALL bool try_slowly(SWIFT_SELF void *mutex) __asm__(TRY_LOCK);
SWIFT_CALL void unlock_slowly(SWIFT_SELF void *mutex) __asm__(UNLOCK);

static lock_function *next_lock;
static try_function *next_try;
static unlock_function *next_unlock;

__attribute__((constructor)) static void find_next(void) {
    next_lock = (lock_function *)dlsym(RTLD_NEXT, LOCK);
    next_try = (try_function *)dlsym(RTLD_NEXT, TRY_LOCK);
    next_unlock = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT_CALL void lock_slowly(uint32_t thread, SWIFT_SELF void *mutex) {
    next_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT_CALL bool try_slowly(SWIFT_SELF void *mutex) {
    bool is_locked = next_try(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT_CALL void unlock_slowly(SWIFT_SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    next_unlock(mutex);
}
