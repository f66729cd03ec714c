// SPDX-License-Identifier: Apache-2.0
//
// SYSTEM_INFO

#include "sections/sections.h"

#include <sys/utsname.h>

void epitaph_system_info_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_writer_map_start(writer, EPITAPH_KEY_SYSTEM_INFO);
    // No host name: it identifies the owner, not the fault.
    struct utsname name;
    if (epitaph_sys_uname(&name) == 0) {
        epitaph_writer_text(writer, EPITAPH_KEY_KERNEL_NAME, name.sysname, sizeof name.sysname);
        epitaph_writer_text(writer, EPITAPH_KEY_KERNEL_RELEASE, name.release, sizeof name.release);
        epitaph_writer_text(writer, EPITAPH_KEY_OS_VERSION_BUILD, name.version,
                            sizeof name.version);
        epitaph_writer_text(writer, EPITAPH_KEY_MACHINE_DESCRIPTION, name.machine,
                            sizeof name.machine);
    }
    epitaph_writer_i32(writer, EPITAPH_KEY_CPU_COUNT, facts->processor_count);
    if (facts->processor_vendor[0] != 0) {
        epitaph_writer_text(writer, EPITAPH_KEY_CPU_VENDOR, facts->processor_vendor,
                            sizeof facts->processor_vendor);
        epitaph_writer_u32(writer, EPITAPH_KEY_CPU_SIGNATURE, facts->processor_signature);
        epitaph_writer_u32(writer, EPITAPH_KEY_CPU_FEATURES, facts->processor_features);
    }
    epitaph_writer_u64(writer, EPITAPH_KEY_HARDWARE_CAPABILITIES, facts->hardware_capabilities);
    epitaph_writer_u64(writer, EPITAPH_KEY_HARDWARE_CAPABILITIES_2, facts->hardware_capabilities_2);
    epitaph_writer_u64(writer, EPITAPH_KEY_PAGE_SIZE, facts->page_size);
    if (facts->address_mask != 0) {
        epitaph_writer_u64(writer, EPITAPH_KEY_ADDRESS_MASK, facts->address_mask);
    }
    // Not without a clock.
    if (facts->launch_monotonic_ns != 0 && capture->started_ns >= facts->launch_monotonic_ns) {
        epitaph_writer_u64(writer, EPITAPH_KEY_UPTIME,
                           capture->started_ns - facts->launch_monotonic_ns);
    }
    epitaph_writer_end(writer);
}
