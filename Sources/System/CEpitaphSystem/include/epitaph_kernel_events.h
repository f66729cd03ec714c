// SPDX-License-Identifier: Apache-2.0
//
// What Swift's module of glibc leaves out of netlink(7) and timerfd_create(2). QUIET-TIME.
#pragma once

#include <stddef.h>

#include "epitaph_unix_datagrams.h"

#pragma GCC visibility push(hidden)

/// A socket that gets what the kernel tells about network links, rtnetlink(7). It does not block.
/// Returns a descriptor, or -1 with errno.
int epitaph_link_socket_open(void);

/// A socket that gets what the kernel tells about devices (uevents). It does not block. Returns a
/// descriptor, or -1 with errno.
int epitaph_device_socket_open(void);

/// One message, cut where `size` ends. Returns its length; 0 when there is none, or when it came
/// from a process and not from the kernel; -1 with errno, which is ENOBUFS when messages were lost.
long epitaph_kernel_message_read(int socket, void *bytes, size_t size);

/// A timer that is ready when the clock of the time of day was set (TFD_TIMER_CANCEL_ON_SET).
/// Returns a descriptor, or -1 with errno.
int epitaph_clock_timer_open(void);

/// Whether the clock was set since the timer was opened or asked last: 1 or 0; -1 with errno.
int epitaph_clock_timer_ask(int timer);

#pragma GCC visibility pop
