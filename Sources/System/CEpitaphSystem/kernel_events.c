// SPDX-License-Identifier: Apache-2.0

#include "CEpitaphSystem.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/// Group of the kernel's own uevents; udev's are in the second.
enum { KERNEL_GROUP = 1 };

/// Long enough: an expired timer is set again.
static const time_t day_seconds = 86400;

static int open_socket(int protocol, uint32_t groups) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (fd < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int epitaph_link_socket_open(void) {
    return open_socket(NETLINK_ROUTE, RTMGRP_LINK);
}

int epitaph_device_socket_open(void) {
    return open_socket(NETLINK_KOBJECT_UEVENT, KERNEL_GROUP);
}

long epitaph_kernel_message_read(int socket, void *bytes, size_t size) {
    struct sockaddr_nl sender;
    socklen_t length = sizeof sender;
    memset(&sender, 0, sizeof sender);
    ssize_t count = recvfrom(socket, bytes, size, 0, (struct sockaddr *)&sender, &length);
    if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    // The kernel's port is 0.
    return sender.nl_pid == 0 ? (long)count : 0;
}

static int set(int timer) {
    struct itimerspec end;
    memset(&end, 0, sizeof end);
    struct timespec now = {0, 0};
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    end.it_value.tv_sec = now.tv_sec + day_seconds;
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &end, NULL);
}

int epitaph_clock_timer_open(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -1;
    if (set(fd) == 0) return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int epitaph_clock_timer_ask(int timer) {
    uint64_t ends;
    ssize_t count = read(timer, &ends, sizeof ends);
    int reason = errno;
    if (count < 0 && reason == EAGAIN) return 0;
    if (set(timer) != 0) return -1;
    return count < 0 && reason == ECANCELED ? 1 : 0;
}
