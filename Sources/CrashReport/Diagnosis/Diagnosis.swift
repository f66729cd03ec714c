// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// What killed the process, in words, each with what it rests on.
public struct Diagnosis: Sendable, Equatable {
    /// What sort of death it was.
    public var kind: Kind
    /// The first line of a report, without the program's name and without a full stop: `wrote to
    /// offset 0x10 of a null pointer`.
    public var headline: String
    /// What else is known about the cause, most important first.
    public var findings: [Finding] = []
    /// The code around the instruction at fault; nil where its bytes are not known.
    public var code: FaultingCode?
    /// What was said, of a program that stopped itself.
    public var words: FailureWords?

    /// One statement about the crash.
    public struct Finding: Sendable, Equatable {
        /// A sentence.
        public var statement: String
        /// What in the dump says so, as a sentence.
        public var evidence: String

        /// Both are sentences; empty evidence stands for none.
        public init(_ statement: String, evidence: String) {
            self.statement = statement
            self.evidence = evidence
        }
    }

    /// The kinds of deaths that are distinguished. The raw values are part of the JSON report.
    public enum Kind: String, Sendable, CaseIterable {
        case nullDereference = "null-dereference"
        case unmappedAddress = "unmapped-address"
        case nonCanonicalAddress = "non-canonical-address"
        /// The processor refused an access and gave no address, and the reason is not known.
        case generalProtection = "general-protection-fault"
        case writeToReadOnly = "write-to-read-only-memory"
        case writeToCode = "write-to-code"
        case inaccessibleMemory = "inaccessible-memory"
        case executeData = "execution-of-data"
        case nullJump = "jump-through-null-pointer"
        case wildJump = "jump-through-wild-pointer"
        case overwrittenReturnAddress = "overwritten-return-address"
        case stackOverflow = "stack-overflow"
        case misalignedAccess = "misaligned-access"
        case pastEndOfFile = "access-past-end-of-file"
        case hardwareMemoryError = "hardware-memory-error"
        case divideByZero = "divide-by-zero"
        case arithmetic = "arithmetic-error"
        case abort = "abort"
        case assertion = "failed-assertion"
        case heapCorruption = "heap-corruption"
        case stackSmashing = "stack-smashing"
        case bufferOverflow = "buffer-overflow"
        case uncaughtException = "uncaught-exception"
        case pureVirtualCall = "pure-virtual-call"
        case swiftRuntimeFailure = "swift-runtime-failure"
        /// Code that belongs to an actor or a queue ran elsewhere.
        case wrongExecutor = "wrong-executor"
        case illegalInstruction = "illegal-instruction"
        case trap = "trap"
        case signalFromProcess = "signal-from-process"
        case deniedSystemCall = "denied-system-call"
        case resourceLimit = "resource-limit"
        /// A signal that nothing more is known about.
        case signal = "signal"
    }

    /// A diagnosis without findings.
    public init(kind: Kind, headline: String) {
        self.kind = kind
        self.headline = headline
    }
}

/// Machine code around the instruction pointer of the crashing thread.
public struct FaultingCode: Sendable, Equatable {
    /// In the order of their addresses.
    public var instructions: [Instruction]

    /// One machine instruction.
    public struct Instruction: Sendable, Equatable {
        /// Where it was in the process.
        public var address: UInt64
        /// Its machine code.
        public var bytes: [UInt8]
        /// `mov dword ptr [rax + 0x10], 0x5`
        public var text: String
        /// The instruction the crash happened at.
        public var isAtFault: Bool

        /// An instruction that was decoded elsewhere.
        public init(address: UInt64, bytes: [UInt8], text: String, isAtFault: Bool) {
            self.address = address
            self.bytes = bytes
            self.text = text
            self.isAtFault = isAtFault
        }
    }

    /// Code in the order of addresses.
    public init(instructions: [Instruction]) {
        self.instructions = instructions
    }
}
