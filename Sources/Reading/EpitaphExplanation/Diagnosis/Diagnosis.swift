// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What killed the process, in words, each statement with its evidence.
package struct Diagnosis: Sendable, Equatable {
    /// The kind of death.
    package var kind: Kind
    /// The first line of a report, without the program's name and without a full stop: `wrote to
    /// offset 0x10 of a null pointer`.
    package var headline: String
    /// What else is known about the cause, most important first.
    package var findings: [Finding] = []
    /// The code around the instruction at fault; nil if its bytes are not known.
    package var code: FaultingCode?
    /// The message of a program that stopped itself; nil if it left none.
    package var words: FailureWords?

    /// One statement about the crash.
    package struct Finding: Sendable, Equatable {
        /// A sentence.
        package var statement: String
        /// The evidence in the dump, as a sentence.
        package var evidence: String

        /// Both are sentences; empty evidence means none.
        package init(_ statement: String, evidence: String) {
            self.statement = statement
            self.evidence = evidence
        }
    }

    /// The kinds of deaths that are distinguished. The raw values are part of the JSON report.
    package enum Kind: String, Sendable, CaseIterable {
        /// Read from or wrote to a null pointer, or an address a little off one.
        case nullDereference = "null-dereference"
        /// Read from or wrote to an address where nothing is mapped.
        case unmappedAddress = "unmapped-address"
        /// Read from or wrote to an address whose bits 48 to 63 are unlike bit 47 (x86_64).
        case nonCanonicalAddress = "non-canonical-address"
        /// The processor refused an access and gave no address, and the reason is not known.
        case generalProtection = "general-protection-fault"
        /// Wrote to memory that may only be read.
        case writeToReadOnly = "write-to-read-only-memory"
        /// Wrote to memory that holds code.
        case writeToCode = "write-to-code"
        /// Used an address in a way that is not permitted there, or for a reason that is not known.
        case inaccessibleMemory = "inaccessible-memory"
        /// Continued in memory that may not be executed.
        case executeData = "execution-of-data"
        /// Called a function through a null pointer.
        case nullJump = "jump-through-null-pointer"
        /// Continued at an address where nothing is mapped, or that is not canonical.
        case wildJump = "jump-through-wild-pointer"
        /// Returned to an address without code: the return address was overwritten.
        case overwrittenReturnAddress = "overwritten-return-address"
        /// Used more stack than the thread has.
        case stackOverflow = "stack-overflow"
        /// Used an address that is not aligned as the instruction needs it.
        case misalignedAccess = "misaligned-access"
        /// Used a mapping where it has no memory behind it, as past the end of a mapped file.
        case pastEndOfFile = "access-past-end-of-file"
        /// Met memory that the machine reports as faulty (BUS_MCEERR_AR, BUS_MCEERR_AO).
        case hardwareMemoryError = "hardware-memory-error"
        /// Divided an integer by zero.
        case divideByZero = "divide-by-zero"
        /// Another SIGFPE: a quotient that does not fit, a floating-point exception, or an integer
        /// division that failed for an unknown reason.
        case arithmetic = "arithmetic-error"
        /// Called abort(3), or ended itself with SIGABRT as that does.
        case abort = "abort"
        /// Failed an assertion, as of assert(3), or a check of the C++ standard library.
        case assertion = "failed-assertion"
        /// The allocator found its heap corrupted.
        case heapCorruption = "heap-corruption"
        /// A function found that a buffer on its stack had been written past its end.
        case stackSmashing = "stack-smashing"
        /// The C library stopped a call that would have used more memory than its buffer has.
        case bufferOverflow = "buffer-overflow"
        /// The C++ runtime called std::terminate, as for an exception that nothing catches.
        case uncaughtException = "uncaught-exception"
        /// Called a virtual function that is pure or deleted.
        case pureVirtualCall = "pure-virtual-call"
        /// The Swift runtime, or a check that the Swift compiler put there, stopped the program.
        case swiftRuntimeFailure = "swift-runtime-failure"
        /// Code that belongs to an actor or a queue ran elsewhere.
        case wrongExecutor = "wrong-executor"
        /// Executed an instruction that the processor does not know or that only the kernel may
        /// use.
        case illegalInstruction = "illegal-instruction"
        /// Executed an instruction that is there to stop the program, or met a breakpoint or
        /// another trap.
        case trap = "trap"
        /// The signal was sent, by another process, the process itself or the kernel.
        case signalFromProcess = "signal-from-process"
        /// Made a system call that a seccomp(2) filter denied.
        case deniedSystemCall = "denied-system-call"
        /// Reached a limit of setrlimit(2): CPU time or the size of a file.
        case resourceLimit = "resource-limit"
        /// A signal that nothing more is known about.
        case signal = "signal"
    }

    /// A diagnosis without findings.
    package init(kind: Kind, headline: String) {
        self.kind = kind
        self.headline = headline
    }

    /// A diagnosis with one finding.
    init(kind: Kind, headline: String, _ statement: String, evidence: String) {
        self.init(kind: kind, headline: headline)
        add(statement, evidence: evidence)
    }

    mutating func add(_ statement: String, evidence: String) {
        findings.append(Finding(statement, evidence: evidence))
    }
}

/// Machine code around the instruction pointer of the crashing thread.
package struct FaultingCode: Sendable, Equatable {
    /// In the order of their addresses.
    package var instructions: [Instruction]

    /// One machine instruction.
    package struct Instruction: Sendable, Equatable {
        /// Where it was in the process.
        package var address: UInt64
        /// Its machine code.
        package var bytes: [UInt8]
        /// `mov dword ptr [rax + 0x10], 0x5`
        package var text: String
        /// Whether the crash happened at this instruction.
        package var isAtFault: Bool
    }
}

extension Diagnosis {
    /// In this order: the first that has evidence for its kind of death wins.
    private static let diagnoses: [@Sendable (CrashScene) -> Diagnosis?] = [
        SeccompDiagnosis.diagnose, ResourceLimitDiagnosis.diagnose, MessageDiagnosis.diagnose,
        SentSignalDiagnosis.diagnose, StackOverflowDiagnosis.diagnose, JumpDiagnosis.diagnose,
        GeneralProtectionDiagnosis.diagnose, BusErrorDiagnosis.diagnose,
        MemoryFaultDiagnosis.diagnose, DivisionDiagnosis.diagnose, InstructionDiagnosis.diagnose,
    ]

    init(_ scene: CrashScene) {
        for diagnose in Self.diagnoses {
            guard var diagnosis = diagnose(scene) else { continue }
            diagnosis.findings += PointerFindings.findings(scene, diagnosis.kind)
            diagnosis.findings += [FaultInHandler.finding(scene)].compactMap(\.self)
            diagnosis.findings += [FlippedCode.finding(scene)].compactMap(\.self)
            // A runtime's own trap says nothing about the code that called it.
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
