// SPDX-License-Identifier: Apache-2.0
//
// Makes and maps the breadcrumb file with its blocks, then closes it: only the mapping is needed.

#include "epitaph_file.h"

#include "epitaph_settings.h"
#include "file/armed_file.h"
#include "system/sys.h"

#include <errno.h>
#include <fcntl.h>

enum { SIZE_LIMIT = 4 };

/// One per size, mapped over for a later file. Never freed, because a writer may hold a pointer.
static epitaph_breadcrumb_file files[SIZE_LIMIT];

static epitaph_breadcrumb_file *find_place(size_t bytes) {
    for (int i = 0; i < SIZE_LIMIT; i++) {
        if (files[i].memory == NULL || files[i].mapped_bytes == bytes) return &files[i];
    }
    return NULL;
}

static void fill_header(const epitaph_breadcrumb_file *file) {
    static const char magic[8] = {'E', 'P', 'I', 'B', 'R', 'C', 'R', 'M'};
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_breadcrumb_file_header *header = (epitaph_breadcrumb_file_header *)file->memory;
    epitaph_bytes_copy(header->magic, magic, sizeof magic);
    header->version = EPITAPH_BREADCRUMB_FILE_VERSION;
    header->header_bytes = EPITAPH_BREADCRUMB_FILE_HEADER_BYTES;
    header->data_bytes = file->data_bytes;
    header->pid = facts->pid;
    header->start_ticks = facts->start_ticks;
    epitaph_bytes_copy(header->boot_id, facts->boot_id, sizeof header->boot_id);
    header->pid_namespace = facts->pid_namespace;
    header->launch_time_ns = facts->launch_time_ns;
    header->launch_monotonic_ns = facts->launch_monotonic_ns;
    header->checksum =
        epitaph_breadcrumb_checksum(epitaph_breadcrumb_checksum_seed(), header,
                                    offsetof(epitaph_breadcrumb_file_header, checksum));
}

static long fill(epitaph_breadcrumb_file *file, int fd, size_t bytes, const uint8_t uuid[16]) {
    epitaph_pending_set_rights(fd, true);
    if (!epitaph_file_stores_in_place(fd)) return -ENOTSUP;
    long result = epitaph_sys_fallocate(fd, 0, 0, bytes);
    if (result < 0) return result;
    long address = epitaph_sys_map_shared_at(fd, file->memory, bytes);
    if (address < 0 && address > -4096) return address;
    if (file->memory == NULL) {
        file->data_bytes = bytes - EPITAPH_BREADCRUMB_FILE_HEADER_BYTES;
        file->mapped_bytes = bytes;
        file->memory = (uint8_t *)address;
    }
    __atomic_store_n(&file->is_lost, 0, __ATOMIC_RELEASE);
    epitaph_bytes_copy(file->uuid, uuid, sizeof file->uuid);
    fill_header(file);
    return 0;
}

long epitaph_breadcrumb_file_make(size_t bytes, const uint8_t uuid[16]) {
    epitaph_process_page *page = epitaph_process_page_now;
    char name[EPITAPH_DUMP_NAME_SIZE];
    int directory = epitaph_pending_directory();
    if (directory < 0) return directory;
    epitaph_breadcrumb_file *file = find_place(bytes);
    if (file == NULL) return -ENOMEM;
    if (page == NULL || !epitaph_dump_name_of_breadcrumbs(name, uuid)) return -EINVAL;
    // Mode 0400: nobody else, not even the same user, opens it for writing by accident.
    long fd = epitaph_sys_openat(directory, name,
                                 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
    if (fd < 0) return fd;
    long result = fill(file, (int)fd, bytes, uuid);
    epitaph_sys_close((int)fd);
    if (result < 0) {
        epitaph_sys_unlinkat(directory, name);
        return result;
    }
    __atomic_store_n(&page->breadcrumb_file, file, __ATOMIC_RELEASE);
    return 0;
}

void epitaph_breadcrumb_file_leave(void) {
    epitaph_process_page *page = epitaph_process_page_now;
    if (page != NULL) __atomic_store_n(&page->breadcrumb_file, NULL, __ATOMIC_RELEASE);
}

void epitaph_breadcrumb_file_discard(void) {
    uint8_t uuid[16];
    char name[EPITAPH_DUMP_NAME_SIZE];
    if (!epitaph_breadcrumb_file_is_there(uuid)) return;
    int directory = epitaph_pending_directory();
    if (directory >= 0 && epitaph_dump_name_of_breadcrumbs(name, uuid))
        epitaph_sys_unlinkat(directory, name);
    epitaph_breadcrumb_file_leave();
}
