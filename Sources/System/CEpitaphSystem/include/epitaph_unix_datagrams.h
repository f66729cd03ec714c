// SPDX-License-Identifier: Apache-2.0
//
// What Swift's module of glibc leaves out of unix(7), cmsg(3) and memfd_create(2). QUIET-TIME.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// A socket for datagrams to `address`: a path, or an abstract name behind `@`. Sending waits for
/// at most `timeout_seconds`. Returns a descriptor, or -1 with errno.
int epitaph_datagram_socket_open(const char *address, size_t length, int timeout_seconds);

/// Sends one datagram. Returns 0, or -1 with errno: EMSGSIZE when it is too large for the socket,
/// EAGAIN when the receiver took none for the socket's timeout.
int epitaph_datagram_send(int socket, const void *bytes, size_t count);

/// A file in memory with these bytes that nobody can change any more, fcntl(2) F_ADD_SEALS. Returns
/// a descriptor, or -1 with errno.
int epitaph_sealed_file_make(const char *name, const void *bytes, size_t count);

/// Sends an empty datagram with a descriptor, SCM_RIGHTS. Returns 0, or -1 with errno.
int epitaph_descriptor_send(int socket, int descriptor);

#pragma GCC visibility pop
