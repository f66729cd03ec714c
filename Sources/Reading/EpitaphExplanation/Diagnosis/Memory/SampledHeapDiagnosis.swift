// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A wrong use of a sampled allocation: docs/memory-errors.md.
enum SampledHeapDiagnosis {
    static func diagnose(_ scene: CrashScene) -> Diagnosis? {
        guard let heap = scene.heap else { return nil }
        let words = words(scene, heap)
        if let access = access(scene, heap) {
            let verdict = verdict(access, scene, heap)
            if JumpDiagnosis.isJump(scene, to: access.fault) {
                return jump(to: access.fault, verdict, scene, words)
            }
            var diagnosis = words.diagnosis(verdict, scene.access, access.byteCount)
            if let fault = scene.fault, let instruction = scene.instruction {
                diagnosis?.add(
                    "The address comes from \(MemoryFaultDiagnosis.registerList(fault)).",
                    evidence: fault.evidence(instruction))
            }
            return diagnosis
        }
        // The library calls abort(3) after it found the error.
        guard scene.exception.signal == SignalNumber.abort, scene.isOwnAbort else { return nil }
        return found(heap, words)
    }

    /// A return to an overwritten address is no call.
    private static func jump(
        to target: UInt64, _ verdict: HeapVerdict, _ scene: CrashScene, _ words: HeapErrorWords
    ) -> Diagnosis? {
        guard OverwrittenReturn.diagnosis(to: target, scene) == nil else { return nil }
        var diagnosis = words.diagnosis(verdict, .execute)
        if let caller = JumpDiagnosis.caller(scene) { diagnosis?.findings.append(caller) }
        return diagnosis
    }

    /// What the sampler found at free(3).
    static func found(_ heap: ExplainedHeap, _ words: HeapErrorWords) -> Diagnosis? {
        heap.sampling.error.flatMap { HeapVerdict($0, in: heap.sampling) }
            .flatMap { words.diagnosis($0) }
    }

    /// Of an address in the pool that no block is blamed for.
    static func remark(_ scene: CrashScene) -> Diagnosis.Finding? {
        guard let heap = scene.heap, let access = access(scene, heap) else { return nil }
        return words(scene, heap).remark(verdict(access, scene, heap))
    }

    private static func words(_ scene: CrashScene, _ heap: ExplainedHeap) -> HeapErrorWords {
        HeapErrorWords(
            heap, frames: scene.frames, of: scene.snapshot, threadID: scene.exception.threadID)
    }

    /// The access that failed, if it was in the pool.
    private static func access(_ scene: CrashScene, _ heap: ExplainedHeap) -> HeapAccess? {
        guard [SignalNumber.segmentationFault, SignalNumber.bus].contains(scene.exception.signal),
            scene.reason.sender == nil, let address = scene.reason.address,
            heap.sampling.pool?.contains(address) == true
        else { return nil }
        guard let fault = scene.fault else { return HeapAccess(fault: address) }
        // The kernel clears a pointer's tag byte: Documentation/arm64/tagged-pointers.rst
        let mask: UInt64 = scene.snapshot.architecture == .aarch64 ? 0xff_ffff_ffff_ffff : .max
        return HeapAccess(
            fault: address, start: fault.address & mask,
            byteCount: fault.access.byteCount.flatMap { UInt64(exactly: $0) })
    }

    private static func verdict(
        _ access: HeapAccess, _ scene: CrashScene, _ heap: ExplainedHeap
    ) -> HeapVerdict {
        if JumpDiagnosis.isJump(scene, to: access.fault) {
            return HeapVerdict(jumpTo: access.fault, in: heap.sampling)
        }
        let pageSize = scene.snapshot.system.pageSize ?? 4096
        return HeapVerdict(access, in: heap.sampling, pageSize: pageSize)
    }
}

extension HeapErrorWords {
    /// - Parameter frames: of the thread that made the error.
    init(
        _ heap: ExplainedHeap, frames: [ReportFrame], of snapshot: ProcessSnapshot,
        threadID: UInt64?
    ) {
        let origin = AllocatorFrames.origin(frames, snapshot.modules)
        self.init(
            heap: heap, phrases: HeapPhrases(heap: heap, threadID: threadID),
            caller: origin.map { "in \($0.nameWithPlace)" })
    }
}
