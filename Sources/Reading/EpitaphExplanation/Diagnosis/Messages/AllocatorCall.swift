// SPDX-License-Identifier: Apache-2.0

/// The program's call that led to the allocator's code in which the thread stopped.
struct AllocatorCall {
    /// `free`
    let function: String
    /// The program's own function: `parse (table.c:12)`, `libparse.so+0x1200` without a name.
    let place: String
    /// What the program called in a library, if that is not the allocator's: `fclose`.
    let way: String?
    /// Nothing but the allocator's own code was running.
    let isInnermost: Bool

    var words: String {
        "called "
            + (way.map { "\($0) in \(place), which called \(function)" }
                ?? "\(function) in \(place)")
    }

    var takesPointer: Bool { !["malloc", "calloc"].contains(function) }

    init?(_ scene: CrashScene) {
        // A scanned frame, and all behind it, may be left over from an earlier call.
        let frames = Array(scene.frames.prefix { !$0.isScanned })
        let leading = frames.prefix(NoiseFrames.leadingCount(frames))
        guard let position = leading.lastIndex(where: { Self.function($0) != nil }),
            let function = Self.function(frames[position]),
            let caller = NoiseFrames.firstOfProgram(frames, scene.snapshot.modules),
            let place = caller.shortPlace
        else { return nil }
        self.function = function
        self.place = place
        let between = frames[(position + 1)...].prefix { $0 != caller }.last {
            !$0.isInlined && $0.place?.moduleIndex != caller.place?.moduleIndex
        }
        way = between.flatMap { frame in
            frame.shortFunction.map(Self.exported) ?? frame.place.map { "code of \($0.moduleName)" }
        }
        let module = frames[position].place?.moduleIndex
        isInnermost = leading[..<position].allSatisfy { frame in
            guard frame.place?.moduleIndex == module else { return false }
            guard !frame.isInlined, let name = frame.function.map(FunctionName.normalized) else {
                return true
            }
            return Self.inner.contains(name) || Self.functions[name] != nil
        }
    }

    private static func function(_ frame: ReportFrame) -> String? {
        frame.function.flatMap { functions[FunctionName.normalized($0)] }
    }

    /// `fclose` for glibc's `_IO_new_fclose`, `closedir` for `__closedir`
    private static func exported(_ name: String) -> String {
        var name = name[...]
        if name.hasPrefix("__GI_") { name = name.dropFirst(5) }
        guard name.first == "_" else { return String(name) }
        for prefix in ["_IO_new_", "_IO_"] where name.hasPrefix(prefix) {
            return String(name.dropFirst(prefix.count))
        }
        return String(name.drop { $0 == "_" })
    }

    private static let functions = [
        "free": "free", "cfree": "free", "__libc_free": "free", "__GI___libc_free": "free",
        "realloc": "realloc", "__libc_realloc": "realloc", "__GI___libc_realloc": "realloc",
        "malloc": "malloc", "__libc_malloc": "malloc", "__GI___libc_malloc": "malloc",
        "calloc": "calloc", "__libc_calloc": "calloc",
        "__wrap_free": "free", "__wrap_realloc": "realloc", "__wrap_malloc": "malloc",
        "__wrap_calloc": "calloc",
        "operator delete(void*)": "delete", "operator delete(void*, unsigned long)": "delete",
        "operator delete[](void*)": "delete[]",
    ]

    /// malloc/malloc.c of glibc.
    private static let inner: Set<String> = [
        "_int_free", "_int_malloc", "_int_realloc", "malloc_consolidate", "munmap_chunk",
        "sysmalloc", "unlink_chunk", "unlink_chunk.constprop", "tcache_free", "tcache_get",
        "tcache_put", "systrim", "heap_trim",
    ]
}
