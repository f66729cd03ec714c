// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Who allocated or freed memory: not the allocator, nor a library that was asked to.
enum AllocatorFrames {
    /// The innermost frame of the program's own code; nil if doubtful frames come before it.
    static func origin(_ frames: [ReportFrame], _ modules: [ModuleSnapshot]) -> ReportFrame? {
        // A scanned frame, and all behind it, may be left over from an earlier call.
        let certain = Array(frames.prefix { !$0.isScanned })
        let rest = certain.dropFirst(NoiseFrames.leadingCount(certain))
            .drop { isAllocator($0) || NoiseFrames.isAlwaysNoise($0) }
        return rest.first { frame in
            // Without symbols its module is known.
            (frame.function != nil || frame.place != nil) && !NoiseFrames.isAlwaysNoise(frame)
                && !isAllocator(frame) && !frame.isOfSystem(modules)
        }
    }

    private static func isAllocator(_ frame: ReportFrame) -> Bool {
        guard let function = frame.function else { return false }
        let name = FunctionName.normalized(function)
        let plain = name.hasPrefix(wrapping) ? String(name.dropFirst(wrapping.count)) : name
        return names.contains(plain) || name.hasPrefix("operator new")
            || name.hasPrefix("operator delete")
    }

    /// What ld's --wrap (ld(1)) puts before the name of what it calls instead.
    private static let wrapping = "__wrap_"

    /// Besides those of `NoiseFrames`, linked statically.
    private static let names: Set<String> = [
        "aligned_alloc", "posix_memalign", "memalign", "valloc", "pvalloc", "reallocarray",
        "malloc_usable_size", "strdup", "strndup", "asprintf", "vasprintf", "getline", "getdelim",
        "realpath", "open_memstream", "free_sized", "free_aligned_sized",
    ]
}
