// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The cause of death in words, with evidence for each statement.
package struct Diagnosis: Sendable, Equatable {
    package var kind: Kind
    /// Without program name and full stop: `wrote to offset 0x10 of a null pointer`.
    package var headline: String
    package var findings: [Finding] = []
    package var code: FaultingCode?
    package var words: FailureWords?
    /// Of an error of a sampled allocation.
    package var heap: HeapCause?
    /// The thread raised the signal itself: its stack shows where.
    package var isRaised = false

    package struct Finding: Sendable, Equatable {
        package var statement: String
        package var evidence: String

        package init(_ statement: String, evidence: String) {
            self.statement = statement
            self.evidence = evidence
        }
    }

    /// Raw values are part of the JSON report.
    package enum Kind: String, Sendable, CaseIterable {
        /// Used a null pointer, or an address a little off one.
        case nullDereference = "null-dereference"
        case unmappedAddress = "unmapped-address"
        /// Used an address whose bits 48 to 63 differ from bit 47 (x86_64).
        case nonCanonicalAddress = "non-canonical-address"
        /// The processor refused an access and gave no address; the reason is unknown.
        case generalProtection = "general-protection-fault"
        case writeToReadOnly = "write-to-read-only-memory"
        case writeToCode = "write-to-code"
        case inaccessibleMemory = "inaccessible-memory"
        /// Used memory through a pointer with another tag (aarch64's MTE).
        case memoryTagMismatch = "memory-tag-mismatch"
        /// Jumped to memory that is not executable.
        case executeData = "execution-of-data"
        case nullJump = "jump-through-null-pointer"
        /// Jumped to an unmapped or non-canonical address, or to what is no landing pad.
        case wildJump = "jump-through-wild-pointer"
        /// Returned to an address without code.
        case overwrittenReturnAddress = "overwritten-return-address"
        case stackOverflow = "stack-overflow"
        case misalignedAccess = "misaligned-access"
        case pastEndOfFile = "access-past-end-of-file"
        /// BUS_MCEERR_AR or BUS_MCEERR_AO.
        case hardwareMemoryError = "hardware-memory-error"
        case divideByZero = "divide-by-zero"
        /// Quotient overflow, floating-point exception, or unexplained integer division.
        case arithmetic = "arithmetic-error"
        /// Called abort(3), or sent itself SIGABRT as abort(3) does.
        case abort = "abort"
        /// assert(3), or a check of the C++ standard library.
        case assertion = "failed-assertion"
        case heapCorruption = "heap-corruption"
        /// Used a sampled block that had been freed.
        case useAfterFree = "use-after-free"
        /// Used memory beside a sampled block.
        case heapOutOfBounds = "heap-out-of-bounds"
        /// Freed a sampled block twice.
        case doubleFree = "double-free"
        /// Freed an address among the sampled blocks that is none of theirs.
        case invalidFree = "invalid-free"
        /// Bytes beside a sampled block had been written when it was freed.
        case heapOverwrite = "heap-overwrite"
        /// A function found a stack buffer written past its end.
        case stackSmashing = "stack-smashing"
        /// The C library stopped a call that would have overflowed its buffer.
        case bufferOverflow = "buffer-overflow"
        case uncaughtException = "uncaught-exception"
        case pureVirtualCall = "pure-virtual-call"
        /// The Swift runtime, or a check by the Swift compiler, stopped the program.
        case swiftRuntimeFailure = "swift-runtime-failure"
        /// Code of an actor or a queue ran elsewhere.
        case wrongExecutor = "wrong-executor"
        /// Executed an instruction that is unknown to the processor or reserved for the kernel.
        case illegalInstruction = "illegal-instruction"
        /// Executed a trap instruction, or met a breakpoint.
        case trap = "trap"
        /// Sent by another process, the process itself or the kernel.
        case signalFromProcess = "signal-from-process"
        /// A seccomp(2) filter denied a system call.
        case deniedSystemCall = "denied-system-call"
        /// Reached a setrlimit(2) limit: CPU time or file size.
        case resourceLimit = "resource-limit"
        case signal = "signal"
    }

    package init(kind: Kind, headline: String) {
        self.kind = kind
        self.headline = headline
    }

    init(
        kind: Kind, headline: String, words: FailureWords? = nil, _ statement: String,
        evidence: String
    ) {
        self.init(kind: kind, headline: headline)
        self.words = words
        add(statement, evidence: evidence)
    }

    mutating func add(_ statement: String, evidence: String) {
        findings.append(Finding(statement, evidence: evidence))
    }
}

package struct FaultingCode: Sendable, Equatable {
    package var instructions: [Instruction]

    package struct Instruction: Sendable, Equatable {
        package var address: UInt64
        package var bytes: [UInt8]
        /// `mov dword ptr [rax + 0x10], 0x5`
        package var text: String
        package var isAtFault: Bool
    }
}

extension Diagnosis {
    /// The first one with evidence for its kind of death wins.
    private static let diagnoses: [@Sendable (CrashScene) -> Diagnosis?] = [
        UncaughtNSException.diagnose, SampledHeapDiagnosis.diagnose, SeccompDiagnosis.diagnose,
        ResourceLimitDiagnosis.diagnose,
        MessageDiagnosis.diagnose,
        SentSignalDiagnosis.diagnose, StackOverflowDiagnosis.diagnose, JumpDiagnosis.diagnose,
        GeneralProtectionDiagnosis.diagnose, BusErrorDiagnosis.diagnose, ShadowStack.diagnose,
        MemoryTagDiagnosis.diagnose, MemoryFaultDiagnosis.diagnose, DivisionDiagnosis.diagnose,
        InstructionDiagnosis.diagnose,
    ]

    init(_ scene: CrashScene) {
        for diagnose in Self.diagnoses {
            guard var diagnosis = diagnose(scene) else { continue }
            diagnosis.findings += PointerFindings.findings(scene, diagnosis.kind)
            if diagnosis.kind.isMemoryFault,
                let ofHeap = HeapDiagnosis.diagnosis(ofFault: diagnosis, scene)
            {
                diagnosis = ofHeap
            }
            diagnosis.findings += [SampledHeapDiagnosis.remark(scene)].compactMap(\.self)
            diagnosis.findings += [FaultInHandler.finding(scene)].compactMap(\.self)
            diagnosis.findings += [FlippedCode.finding(scene)].compactMap(\.self)
            // A runtime's own trap says nothing about its caller.
            let isRuntimeTrap =
                [.swiftRuntimeFailure, .wrongExecutor].contains(diagnosis.kind)
                && !scene.snapshot.messages.isEmpty
            diagnosis.code = isRuntimeTrap ? nil : scene.code
            self = diagnosis
            return
        }
        self.init(kind: .signal, headline: "died of \(scene.reason.headline)")
        findings = scene.reason.notes.map { Finding($0, evidence: "The registers at the fault.") }
        code = scene.code
    }
}

extension Diagnosis.Kind {
    fileprivate var isMemoryFault: Bool {
        switch self {
        case .nullDereference, .unmappedAddress, .nonCanonicalAddress, .generalProtection,
            .writeToReadOnly, .writeToCode, .inaccessibleMemory, .memoryTagMismatch:
            true
        default: false
        }
    }
}
