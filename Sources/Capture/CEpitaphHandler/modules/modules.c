// SPDX-License-Identifier: Apache-2.0
//
// MODULES and DYNAMIC_LINKER.

#include "modules/modules.h"

enum { DYNAMIC_SECTION_LIMIT = 4096, VDSO_LIMIT = EPITAPH_SCRATCH_SIZE };

static const char vdso_name[] = "linux-vdso.so.1";

/// With the small values around it: a write of its own would take longer than the copy.
static void write_copy(epitaph_capture *capture, epitaph_dump_key key, uint64_t address,
                       uint64_t count) {
    size_t got = epitaph_memory_read(capture->scratch, address, count);
    epitaph_writer_bytes(&capture->writer, key, capture->scratch, got);
}

static void write_module(epitaph_capture *capture, const char *path, epitaph_dump_module_kind kind,
                         const epitaph_elf_facts *facts) {
    epitaph_writer *writer = &capture->writer;
    epitaph_writer_map_start(writer, EPITAPH_KEY_MODULES);
    epitaph_writer_text(writer, EPITAPH_KEY_MODULE_NAME, path, EPITAPH_PATH_SIZE);
    epitaph_writer_u8(writer, EPITAPH_KEY_MODULE_KIND, (uint8_t)kind);
    epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_ADDRESS, facts->start);
    epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_SIZE, facts->end - facts->start);
    epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_LOAD_BIAS, facts->load_bias);
    epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_DYNAMIC_ADDRESS, facts->dynamic_address);
    if (facts->build_id_bytes > 0) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_MODULE_BUILD_ID, facts->build_id,
                             facts->build_id_bytes);
    }
    if (facts->soname[0] != 0) {
        epitaph_writer_text(writer, EPITAPH_KEY_MODULE_SONAME, facts->soname, sizeof facts->soname);
    }
    if (kind == EPITAPH_MODULE_VDSO && facts->end - facts->start <= VDSO_LIMIT) {
        // In no file, and needed to follow stacks through the kernel's code.
        write_copy(capture, EPITAPH_KEY_MODULE_IMAGE, facts->start, facts->end - facts->start);
    }
    epitaph_writer_end(writer);
}

static void remember_module(epitaph_capture *capture, const epitaph_elf_facts *facts,
                            uint64_t path_address) {
    if (capture->modules->count == EPITAPH_MODULE_LIMIT) return;
    epitaph_module *module = &capture->modules->entries[capture->modules->count++];
    module->start = facts->start;
    module->end = facts->end;
    module->path_address = path_address;
    module->has_lost_file = false;
}

static void write_listed_module(void *argument, const epitaph_listed_module *module) {
    epitaph_capture *capture = argument;
    uint64_t path_address = (uint64_t)module->entry.l_name;
    char *path = (char *)capture->scratch;
    if (module->facts == NULL) {
        epitaph_dump_why why = epitaph_residency_why(module->entry.l_addr);
        if (why == EPITAPH_WHY_UNREADABLE) why = EPITAPH_WHY_MALFORMED;
        epitaph_damage_add(capture, EPITAPH_KEY_MODULES, why, 0, module->entry.l_addr);
        return;
    }
    epitaph_memory_read_text(path, EPITAPH_PATH_SIZE, path_address);
    write_module(capture, path, module->kind, module->facts);
    remember_module(capture, module->facts, path_address);
}

static void write_listed(epitaph_capture *capture, const struct r_debug *debug) {
    epitaph_list_end end =
        epitaph_modules_visit(debug, epitaph_known_module_find, capture, write_listed_module);
    if (!end.is_early) return;
    if (end.why == EPITAPH_WHY_UNREADABLE) end.why = epitaph_residency_why(end.subject);
    epitaph_damage_add(capture, EPITAPH_KEY_MODULES, end.why, 0, end.subject);
}

static void write_dynamic_linker(epitaph_capture *capture, const struct r_debug *debug) {
    epitaph_writer *writer = &capture->writer;
    epitaph_writer_map_start(writer, EPITAPH_KEY_DYNAMIC_LINKER);
    epitaph_writer_u32(writer, EPITAPH_KEY_DYNAMIC_LINKER_VERSION, (uint32_t)debug->r_version);
    epitaph_writer_u64(writer, EPITAPH_KEY_DYNAMIC_LINKER_BREAKPOINT, debug->r_brk);
    epitaph_writer_u64(writer, EPITAPH_KEY_DYNAMIC_LINKER_BASE, debug->r_ldbase);
    const epitaph_elf_facts *executable = &epitaph_known_modules_now()->executable;
    if (executable->dynamic_address != 0) {
        uint64_t count = executable->dynamic_bytes;
        if (count > DYNAMIC_SECTION_LIMIT) count = DYNAMIC_SECTION_LIMIT;
        count = epitaph_residency_prefix(executable->dynamic_address, count);
        epitaph_writer_u64(writer, EPITAPH_KEY_DYNAMIC_SECTION_ADDRESS,
                           executable->dynamic_address);
        write_copy(capture, EPITAPH_KEY_DYNAMIC_SECTION_DATA, executable->dynamic_address, count);
    }
    epitaph_writer_end(writer);
}

void epitaph_executable_write(epitaph_capture *capture) {
    const epitaph_process_facts *process = &epitaph_capture_settings_now.facts;
    const epitaph_known_modules *known = epitaph_known_modules_now();
    if (!known->has_executable) epitaph_executable_read();
    if (!known->has_executable) {
        epitaph_damage_add(capture, EPITAPH_KEY_MODULES, EPITAPH_WHY_UNREADABLE, 0,
                           process->program_headers_address);
        return;
    }
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_MODULES);
    write_module(capture, process->executable_path, EPITAPH_MODULE_EXECUTABLE, &known->executable);
    epitaph_writer_end(&capture->writer);
}

void epitaph_modules_write(epitaph_capture *capture) {
    const epitaph_process_facts *process = &epitaph_capture_settings_now.facts;
    const epitaph_known_modules *known = epitaph_known_modules_now();
    struct r_debug debug;
    bool has_list = epitaph_loader_read(&debug);
    capture->modules->count = 0;
    if (known->has_executable) remember_module(capture, &known->executable, 0);
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_MODULES);
    if (has_list) write_listed(capture, &debug);
    if (known->has_vdso) write_module(capture, vdso_name, EPITAPH_MODULE_VDSO, &known->vdso);
    epitaph_writer_end(&capture->writer);
    epitaph_unloaded_modules_write(capture);
    if (has_list) {
        write_dynamic_linker(capture, &debug);
    } else if (process->r_debug_address != 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_MODULES,
                           epitaph_residency_why(process->r_debug_address), 0,
                           process->r_debug_address);
    }
}
