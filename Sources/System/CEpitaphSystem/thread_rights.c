// SPDX-License-Identifier: Apache-2.0

#include "CEpitaphSystem.h"

#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

const uint64_t epitaph_file_capabilities =
    BIT(CAP_CHOWN) | BIT(CAP_MKNOD) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) |
    BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_LINUX_IMMUTABLE) | BIT(CAP_MAC_OVERRIDE);

uint32_t epitaph_thread_set_file_user(uint32_t user) {
    return (uint32_t)syscall(SYS_setfsuid, user);
}

uint32_t epitaph_thread_set_file_group(uint32_t group) {
    return (uint32_t)syscall(SYS_setfsgid, group);
}

int epitaph_thread_set_groups(size_t count, const uint32_t *groups) {
    return (int)syscall(SYS_setgroups, count, groups);
}

int epitaph_thread_capabilities(struct epitaph_capabilities *capabilities) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0) return -1;
    capabilities->effective = data[0].effective | (uint64_t)data[1].effective << 32;
    capabilities->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
    capabilities->inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
    return 0;
}

int epitaph_thread_set_capabilities(const struct epitaph_capabilities *capabilities) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {
        {(uint32_t)capabilities->effective, (uint32_t)capabilities->permitted,
         (uint32_t)capabilities->inheritable},
        {(uint32_t)(capabilities->effective >> 32), (uint32_t)(capabilities->permitted >> 32),
         (uint32_t)(capabilities->inheritable >> 32)}};
    return (int)syscall(SYS_capset, &header, data);
}

int epitaph_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}

int epitaph_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}

int epitaph_parent_death_signal(void) {
    int signal = 0;
    return prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0) == 0 ? signal : -1;
}

int epitaph_set_parent_death_signal(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

char *const *epitaph_trusted_environment(void) {
    return getauxval(AT_SECURE) == 0 ? environ : NULL;
}
