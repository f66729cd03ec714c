// SPDX-License-Identifier: Apache-2.0
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>

// memfd_create(2): sys/mman.h has it with _GNU_SOURCE only, which Swift does not define.
extern int memfd_create(const char *name, unsigned int flags);
