// SPDX-License-Identifier: Apache-2.0

/// Messages of glibc's allocator: malloc/malloc.c.
enum HeapDiagnosis {
    static func diagnosis(_ text: String, _ scene: CrashScene, _ evidence: String) -> Diagnosis {
        var diagnosis = found(text, scene, evidence)
        diagnosis.findings.append(sampling(scene))
        return diagnosis
    }

    /// A fault in the allocator, which follows what it finds at the pointer and beside its blocks.
    static func diagnosis(ofFault fault: Diagnosis, _ scene: CrashScene) -> Diagnosis? {
        guard let call = AllocatorCall(scene), call.isInnermost else { return nil }
        var diagnosis = fault
        diagnosis.kind = .heapCorruption
        diagnosis.headline =
            call.takesPointer
            ? "\(call.words) with an invalid pointer or a damaged heap: it \(fault.headline)"
            : "found its heap corrupted: \(call.function) \(fault.headline)"
        diagnosis.findings.insert(
            .init(
                call.takesPointer
                    ? "The pointer is not one that malloc returned, or was freed; or the words beside "
                        + "its block, or beside another one, were overwritten."
                    : noticed,
                evidence: "The instruction at fault is the allocator's own."), at: 0)
        diagnosis.findings.append(sampling(scene))
        return diagnosis
    }

    private static let noticed =
        "Something wrote outside its memory or freed memory twice, at any time before: the stack "
        + "shows where it was noticed, not where it happened."

    /// The allocator's own blocks have no history.
    private static func sampling(_ scene: CrashScene) -> Diagnosis.Finding {
        guard let heap = scene.heap?.sampling else {
            return .init(
                "Sampling of allocations can show who allocated and freed such a block: "
                    + "docs/memory-errors.md.",
                evidence: "The report has no record of sampled allocations.")
        }

        return .init(
            "Who allocated and freed the block is not known: "
                + "\(heap.rateWords ?? "allocations are sampled"), and no sampled block is "
                + "involved.", evidence: "The sampler's record in the dump.")
    }

    private static func found(
        _ text: String, _ scene: CrashScene, _ evidence: String
    ) -> Diagnosis {
        let call = AllocatorCall(scene)
        if let call, wrongPointers.contains(text) {
            return Diagnosis(
                kind: .heapCorruption,
                headline: "\(call.words) with an invalid pointer or a damaged block: \(text)",
                "The pointer is not one that malloc returned, as of a variable or of the middle of "
                    + "a block; or the words before its block were overwritten.",
                evidence: evidence)
        }
        if let call, secondFrees.contains(text) {
            return Diagnosis(
                kind: .heapCorruption,
                headline: "\(call.words) with a block that was free already: \(text)",
                "This is the second time. Who freed the block first is not on the stack.",
                evidence: evidence)
        }
        var diagnosis = Diagnosis(
            kind: .heapCorruption, headline: "found its heap corrupted: \(text)",
            noticed, evidence: evidence)
        if let call {
            diagnosis.add(
                "It was noticed in a call of \(call.function) from \(call.place)"
                    + (call.way.map { ", by way of \($0)." } ?? "."),
                evidence: "The frames of the crashing thread.")
        }
        return diagnosis
    }

    /// What is before the pointer is no header of a block, or the pointer is not aligned like one:
    /// `_int_free`, `__libc_realloc`, `munmap_chunk`.
    private static let wrongPointers: Set<String> = [
        "free(): invalid pointer", "free(): invalid size", "double free or corruption (out)",
        "realloc(): invalid pointer", "realloc(): invalid old size",
        "munmap_chunk(): invalid pointer", "mremap_chunk(): invalid pointer",
    ]

    /// The block was in a list of free ones: `_int_free`, where it walks the thread's list and
    /// where it looks at the first of a fast bin.
    private static let secondFrees: Set<String> = [
        "free(): double free detected in tcache 2", "double free or corruption (fasttop)",
    ]
}
