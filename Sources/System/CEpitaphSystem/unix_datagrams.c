// SPDX-License-Identifier: Apache-2.0

#include "CEpitaphSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int failed(int descriptor) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int epitaph_datagram_socket_open(const char *address, size_t length, int timeout_seconds) {
    struct sockaddr_un name;
    memset(&name, 0, sizeof name);
    name.sun_family = AF_UNIX;
    // A path needs a NUL, an abstract name does not.
    bool is_abstract = length > 0 && address[0] == '@';
    if (length == 0 || length + (is_abstract ? 0 : 1) > sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name.sun_path, address, length);
    if (is_abstract) name.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    struct timeval timeout = {.tv_sec = timeout_seconds, .tv_usec = 0};
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0) return failed(fd);
    if (connect(fd, (const struct sockaddr *)&name, size) != 0) return failed(fd);
    return fd;
}

int epitaph_datagram_send(int socket, const void *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(socket, bytes, count, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int epitaph_sealed_file_make(const char *name, const void *bytes, size_t count) {
    int fd = memfd_create(name, MFD_ALLOW_SEALING | MFD_CLOEXEC);
    if (fd < 0) return -1;
    const uint8_t *rest = bytes;
    size_t left = count;
    while (left > 0) {
        ssize_t written = write(fd, rest, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return failed(fd);
        rest += written;
        left -= (size_t)written;
    }
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    if (fcntl(fd, F_ADD_SEALS, seals) != 0) return failed(fd);
    return fd;
}

int epitaph_descriptor_send(int socket, int descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}
