// SPDX-License-Identifier: Apache-2.0
//
// What this code is built with. A program built with a sanitizer has us in it, built the same way.

#ifndef EPITAPH_SYSTEM_SANITIZERS_H
#define EPITAPH_SYSTEM_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(hwaddress_sanitizer)
#define EPITAPH_ADDRESSES_ARE_CHECKED true
#endif
#if __has_feature(thread_sanitizer)
#define EPITAPH_THREADS_ARE_CHECKED true
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define EPITAPH_ADDRESSES_ARE_CHECKED true
#endif
#ifdef __SANITIZE_THREAD__
#define EPITAPH_THREADS_ARE_CHECKED true
#endif

#ifndef EPITAPH_ADDRESSES_ARE_CHECKED
#define EPITAPH_ADDRESSES_ARE_CHECKED false
#endif
#ifndef EPITAPH_THREADS_ARE_CHECKED
#define EPITAPH_THREADS_ARE_CHECKED false
#endif

#endif
