// SPDX-License-Identifier: Apache-2.0
//
// Which sanitizer this code is built with: a program that is built with one has us in it, built the
// same way.

#ifndef EPITAPH_SANITIZERS_H
#define EPITAPH_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer)
#define EPITAPH_ADDRESSES_ARE_CHECKED 1
#endif
#if __has_feature(thread_sanitizer)
#define EPITAPH_THREADS_ARE_CHECKED 1
#endif
#if __has_feature(memory_sanitizer) || __has_feature(leak_sanitizer)
#define EPITAPH_MEMORY_IS_CHECKED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define EPITAPH_ADDRESSES_ARE_CHECKED 1
#endif
#ifdef __SANITIZE_THREAD__
#define EPITAPH_THREADS_ARE_CHECKED 1
#endif

#ifndef EPITAPH_ADDRESSES_ARE_CHECKED
#define EPITAPH_ADDRESSES_ARE_CHECKED 0
#endif
#ifndef EPITAPH_THREADS_ARE_CHECKED
#define EPITAPH_THREADS_ARE_CHECKED 0
#endif
#ifndef EPITAPH_MEMORY_IS_CHECKED
#define EPITAPH_MEMORY_IS_CHECKED 0
#endif

/// Of a function that ThreadSanitizer's runtime calls before it is ready for what it instruments.
#if !EPITAPH_THREADS_ARE_CHECKED
#define EPITAPH_NOT_INSTRUMENTED
#elif defined(__clang__)
#define EPITAPH_NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation))
#else
#define EPITAPH_NOT_INSTRUMENTED __attribute__((no_sanitize_thread))
#endif

#endif
