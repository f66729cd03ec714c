// SPDX-License-Identifier: Apache-2.0
//
// Whether the stop signal has room on the stack where it would land: the kernel ends the process if
// its frame does not fit on an alternate stack, and writes below the thread's own stack without
// asking where that ends; signal.c of arch/x86/kernel, get_sigframe.

#include "threads/threads.h"

#include "processor/registers.h"

enum {
    /// What our handler needs besides the kernel's frame, with much to spare.
    HANDLER_BYTES = 2048,
    /// More than a thread in a handler of its own is likely to use, and less than we give out.
    AMPLE_BYTES = 32 << 10,
};

static uint64_t needed_bytes(void) {
    return epitaph_capture_settings_now.facts.signal_frame_bytes + HANDLER_BYTES;
}

/// Whether nothing in [start, start + count) was ever used, or is in memory now.
static bool is_untouched(uint64_t start, uint64_t count) {
    const uint64_t page = epitaph_capture_settings_now.facts.page_size;
    for (uint64_t done = 0; done < count; done += page) {
        if (!epitaph_residency_is_absent(start + done)) return false;
    }
    return true;
}

/// Whether readable memory ends right below `mapping`: then the stack in it may begin higher up.
static bool has_neighbour_below(const epitaph_mappings *mappings, const epitaph_mapping *mapping) {
    if (mapping == mappings->entries) return false;
    const epitaph_mapping *below = mapping - 1;
    return below->is_readable && below->end == mapping->start;
}

/// On the stack that libc or the kernel made for the thread. glibc tells the kernel of each of its
/// threads where its descriptor is, at the far end of that stack: get_robust_list(2). The first
/// thread's stack grows by itself.
static epitaph_thread_room judge_own_stack(const epitaph_capture *capture,
                                           const epitaph_thread_slot *slot, bool has_pointer,
                                           uint64_t stack_pointer) {
    const epitaph_mappings *mappings = &capture->mappings;
    if (mappings->count == 0) {
        return mappings->error != 0 ? EPITAPH_ROOM_IS_UNPROVEN : EPITAPH_ROOM_IS_NOT_KNOWN_YET;
    }
    uint64_t descriptor = epitaph_sys_robust_list(slot->tid);
    bool is_first = slot->tid == capture->pid;
    uint64_t inside = has_pointer ? stack_pointer : descriptor;
    const epitaph_mapping *mapping = epitaph_mappings_find(mappings, inside);
    if (is_first && !has_pointer) return EPITAPH_ROOM_IS_ENOUGH;
    // The thread has not told the kernel yet, or it is younger than our copy of the map.
    if (mapping == NULL) return EPITAPH_ROOM_IS_NOT_KNOWN_YET;
    if (is_first &&
        epitaph_mapping_holds(mapping, epitaph_capture_settings_now.facts.main_stack_end - 1)) {
        return EPITAPH_ROOM_IS_ENOUGH;
    }
    bool is_made =
        slot->is_registered || (descriptor != 0 && epitaph_mapping_holds(mapping, descriptor));
    if (!is_made || has_neighbour_below(mappings, mapping)) return EPITAPH_ROOM_IS_UNPROVEN;
    bool is_enough = has_pointer
                         ? stack_pointer - mapping->start >= needed_bytes() + epitaph_red_zone_bytes
                         : is_untouched(mapping->start, needed_bytes());
    return is_enough ? EPITAPH_ROOM_IS_ENOUGH : EPITAPH_ROOM_IS_UNPROVEN;
}

epitaph_thread_room epitaph_thread_room_judge(const epitaph_capture *capture,
                                              const epitaph_thread_slot *slot) {
    uint64_t size = slot->alternate_bytes;
    bool is_used = __atomic_load_n(&epitaph_capture_settings_now.shares_alternate_stacks,
                                   __ATOMIC_ACQUIRE) == 0;
    if (is_used && size >= AMPLE_BYTES) return EPITAPH_ROOM_IS_ENOUGH;
    uint64_t stack_pointer = 0;
    bool has_pointer = epitaph_kernel_stack_pointer_read(slot->tid, &stack_pointer);
    uint64_t room = stack_pointer - slot->alternate_start;
    bool is_enough;
    if (has_pointer && room < size) {
        is_enough = room >= needed_bytes() + epitaph_red_zone_bytes;
    } else if (is_used && size != 0) {
        // A thread that runs may be in a handler there.
        is_enough = size >= (has_pointer ? 1 : 4) * needed_bytes();
    } else {
        return judge_own_stack(capture, slot, has_pointer, stack_pointer);
    }
    return is_enough ? EPITAPH_ROOM_IS_ENOUGH : EPITAPH_ROOM_IS_UNPROVEN;
}
