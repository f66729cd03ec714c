// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Testing

/// Kinds of deaths that cannot be produced here, and what is reported if parts are missing.
@Suite struct DiagnosisTests {
    @Test(
        "Traps of aarch64 are no breakpoints, and breakpoints no traps",
        arguments: [
            (5, 1, [0x20, 0x00, 0x20, 0xd4], .trap, "stopped at a trap instruction, `brk #0x1`"),
            (
                5, 1, [0x00, 0x00, 0x3e, 0xd4], .trap,
                "met a breakpoint, `brk #0xf000`, without a debugger"
            ),
            (4, 1, [0x00, 0x00, 0x00, 0x00], .trap, "stopped at a trap instruction, `udf`"),
            (5, 2, [0x1f, 0x20, 0x03, 0xd5], .trap, "met a trap: process trace trap"),
        ] as [(Int32, Int32, [UInt8], Diagnosis.Kind, String)])
    func armTraps(
        signal: Int32, code: Int32, bytes: [UInt8], kind: Diagnosis.Kind, headline: String
    ) {
        let sample = DiagnosisSample(
            .aarch64, signal: signal, code: code, address: DiagnosisSample.code, instruction: bytes)
        #expect(sample.diagnosis?.kind == kind)
        #expect(sample.diagnosis?.headline == headline)
    }

    @Test(
        "A branch to what is no landing pad is told by the processor's state",
        arguments: [
            (2, nop, .wildJump, "called 0x401234, which is no landing pad"),
            (1, nop, .wildJump, "jumped to 0x401234, which is no landing pad"),
            (0, nop, .illegalInstruction, nil),
            // udf, no instruction at all, and one that is not in the dump.
            (2, [0, 0, 0, 0], .trap, nil),
            (2, [0xff, 0xff, 0xff, 0xff], .illegalInstruction, nil),
            (2, [], .illegalInstruction, nil),
        ] as [(UInt64, [UInt8], Diagnosis.Kind, String?)])
    func landingPad(
        branch: UInt64, instruction: [UInt8], kind: Diagnosis.Kind, headline: String?
    ) {
        var sample = DiagnosisSample(
            .aarch64, signal: 4, code: 1, address: DiagnosisSample.code,
            instruction: instruction)
        sample.setARM { $0.pstate = 0x6000_0000 | branch << 10 }
        #expect(sample.diagnosis?.kind == kind)
        #expect(headline == nil || sample.diagnosis?.headline == headline)
    }

    private static let nop: [UInt8] = [0x1f, 0x20, 0x03, 0xd5]

    @Test(
        "A signature that does not match is one of a return address, if the return was to it",
        arguments: [
            (0x4141_4141_4141_4141, 0x20_4141_4141_4141, true, true),
            // autiasp writes to x30, where the mark may have been before.
            (0x20_4141_4141_4141, 0x20_4141_4141_4141, true, false),
            // Without a signature.
            (0x4120_4141_4141_4141, 0x20_4141_4141_4141, true, false),
            (0x40_1234, 0x20_4141_4141_4141, false, false),
            // Addresses of 52 bits.
            (0x4141_4141_4141_4141, 0x21_4141_4141_4141, true, true),
            (0x4142_4141_4141_4141, 0x21_4141_4141_4141, false, false),
            // A signature that matched by chance.
            (0x4141_4141_4141_4141, 0x1_4141_4141_4141, true, false),
            (0x4141_4141_4141_4141, 0x4141_4141_4141, true, false),
            (0x4141_4141_4141_4141, 0x1_4141_4141_4142, false, false),
        ] as [(UInt64, UInt64, Bool, Bool)])
    func markedReturn(link: UInt64, target: UInt64, isReturn: Bool, isSigned: Bool) {
        var sample = DiagnosisSample(.aarch64, signal: 11, code: 1, address: target)
        sample.setARM { ($0.pc, $0.x[30]) = (target, link) }
        #expect(sample.diagnosis?.kind == (isReturn ? .overwrittenReturnAddress : .wildJump))
        #expect(sample.words.contains("signature") == isSigned)
    }

    @Test(
        "A processor that stops at a signature says so itself",
        arguments: [
            ([0xbf, 0x23, 0x03, 0xd5], .overwrittenReturnAddress),
            // autia x0, x1
            ([0x20, 0x10, 0xc1, 0xda], .wildJump),
        ] as [([UInt8], Diagnosis.Kind)])
    func refusedSignature(bytes: [UInt8], kind: Diagnosis.Kind) {
        var sample = DiagnosisSample(
            .aarch64, signal: 4, code: 2, address: DiagnosisSample.code, instruction: bytes)
        sample.setARM { ($0.syndrome, $0.x[30]) = (0x1c << 26, 0x41_4141) }
        #expect(sample.diagnosis?.kind == kind)
    }

    @Test("Zeros in memory that no file is behind are no compiler's trap")
    func armZeros() {
        var sample = DiagnosisSample(.aarch64, signal: 4, code: 1, address: 0x100_0010)
        sample.setARM { $0.pc = 0x100_0010 }
        sample.add([0, 0, 0, 0], at: 0x100_0010)
        #expect(sample.diagnosis?.kind == .illegalInstruction)
        sample.add([1, 0, 0, 0], at: 0x100_0014)
        sample.setARM { $0.pc = 0x100_0014 }
        #expect(sample.diagnosis?.kind == .trap)
    }

    @Test(
        "Bus errors are told apart by their code",
        arguments: [
            (1, .misalignedAccess, "used 0x7f1000000010, which is not aligned"),
            (
                2, .pastEndOfFile,
                "used 0x7f1000000010, where the mapped file /usr/share/table has no data"
            ),
            (4, .hardwareMemoryError, "met a hardware error in memory at 0x7f1000000010"),
            (5, .hardwareMemoryError, "met a hardware error in memory at 0x7f1000000010"),
        ] as [(Int32, Diagnosis.Kind, String)])
    func busErrors(code: Int32, kind: Diagnosis.Kind, headline: String) {
        let sample = DiagnosisSample(.aarch64, signal: 7, code: code, address: 0x7f10_0000_0010)
        #expect(sample.diagnosis?.kind == kind)
        #expect(sample.diagnosis?.headline == headline)
    }

    @Test("A bus error says what was done, and no more of why than the kernel tells")
    func nothingBehind() {
        var sample = DiagnosisSample(signal: 7, code: 2, address: 0x7f10_0000_0010, pageFault: 6)
        #expect(
            sample.diagnosis?.headline
                == "wrote to 0x7f1000000010, where the mapped file /usr/share/table has no data"
        )
        #expect(sample.words.contains("before byte 16"))
        #expect(sample.words.contains("or its file system is full"))
        let maps = DiagnosisSample.maps.replacing(
            "/usr/share/table", with: "/anon_hugepage (deleted)")
        sample.snapshot.files.maps = ByteSlice(Array(maps.utf8))
        #expect(sample.words.contains("No huge page was free"))
        #expect(!sample.words.contains("The file ends"))
        sample = DiagnosisSample(signal: 7, code: 2, address: 0x7f10_0001_1008, pageFault: 6)
        #expect(sample.words.contains("No file is mapped there"))
    }

    @Test(
        "A trap of clang's sanitizer names the check that failed",
        arguments: [
            (.x86_64, 4, [0x67, 0x0f, 0xb9, 0x00], "an integer addition overflowed"),
            (.x86_64, 4, [0x67, 0x0f, 0xb9, 0x40, 0x12], "an index is out of bounds"),
            (
                .aarch64, 5, [0xc0, 0xa2, 0x2a, 0xd4],
                "a pointer that is used is null, misaligned or to too small an object"
            ),
        ] as [(Architecture, Int32, [UInt8], String)])
    func sanitizer(architecture: Architecture, signal: Int32, bytes: [UInt8], check: String) {
        let sample = DiagnosisSample(
            architecture, signal: signal, code: signal == 4 ? 2 : 1,
            address: DiagnosisSample.code, instruction: bytes)
        #expect(sample.diagnosis?.kind == .trap)
        #expect(
            sample.diagnosis?.headline
                == "stopped at a failed check of clang's sanitizer: \(check)")
    }

    @Test("A trap without a number is no check, and none is an illegal instruction")
    func otherTrap() {
        let sample = DiagnosisSample(
            signal: 4, code: 2, address: DiagnosisSample.code, instruction: [0x0f, 0xb9, 0xc0])
        #expect(sample.diagnosis?.headline == "stopped at a trap instruction, `ud1`")
    }

    @Test("A limit's signal is the kernel's, which sends it in the process's own name")
    func fileSize() {
        var sample = DiagnosisSample(signal: 25, code: 0)
        sample.snapshot.exception?.senderProcessID = 4711
        #expect(sample.diagnosis?.kind == .resourceLimit)
        let lines = TextReport(sample.explanation).lines
        #expect(lines.contains { $0.hasSuffix("file size limit exceeded, sent by the kernel") })
        #expect(!lines.contains { $0.contains("Sent by") })
        #expect(!JSONReport(sample.explanation).text.contains("\"sender\""))

        // kill(2) of itself.
        sample.setX86 { ($0.rdi, $0.rsi, $0.rcx) = (4711, 25, $0.rip) }
        #expect(sample.diagnosis?.kind == .signalFromProcess)
        #expect(JSONReport(sample.explanation).text.contains("\"sender\""))
    }

    @Test("A missing processor feature is only named when the list of features lacks it")
    func missingFeature() {
        // vpaddd ymm0, ymm1, ymm2
        var sample = DiagnosisSample(
            signal: 4, code: 2, address: DiagnosisSample.code,
            instruction: [0xc5, 0xf5, 0xfe, 0xc2])
        #expect(
            sample.diagnosis?.headline
                == "executed an illegal instruction, `vpaddd ymm0, ymm1, ymm2`")
        #expect(!sample.words.contains("avx2"))
        sample.snapshot.files.cpuinfo = ByteSlice(Array("flags\t\t: fpu sse avx avx2\n".utf8))
        #expect(!sample.words.contains("avx2"))
        sample.snapshot.files.cpuinfo = ByteSlice(Array("flags\t\t: fpu sse avx\n".utf8))
        #expect(sample.words.contains("The processor does not have avx2"))
    }

    @Test("A division whose bytes are not known is not said to be by zero")
    func unknownDivision() {
        var sample = DiagnosisSample(signal: 8, code: 1, address: DiagnosisSample.code)
        #expect(sample.diagnosis?.kind == .arithmetic)
        #expect(sample.diagnosis?.headline == "failed at an integer division")
        sample = DiagnosisSample(signal: 8, code: 3, address: DiagnosisSample.code)
        #expect(
            sample.diagnosis?.headline == "failed at arithmetic: floating-point divide by zero")
    }

    @Test(
        "A thread raised its signal if its registers are those of the call that sent it",
        arguments: [
            // rdi, rsi, rdx after kill(2), tgkill(2) and another call
            ([4711, 11, 0], true), ([4711, 4711, 11], true), ([4711, 12, 11], false),
            ([4712, 11, 0], false), ([0, 0, 0], false),
        ] as [([UInt64], Bool)])
    func sendingCall(arguments: [UInt64], isRaised: Bool) {
        var sample = DiagnosisSample(signal: 11, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        sample.setX86 {
            ($0.rdi, $0.rsi, $0.rdx) = (arguments[0], arguments[1], arguments[2])
            $0.rcx = $0.rip
        }
        #expect(sample.diagnosis?.isRaised == isRaised)
        sample.setX86 { $0.rcx = 1 }
        #expect(sample.diagnosis?.isRaised == false)
    }

    @Test(
        "On arm64 as well, by the number of the call",
        arguments: [
            // x1, x2 and x8: kill(2) is 129, tgkill(2) 131, ppoll(2) 73
            ([11, 0, 129], true), ([4711, 11, 131], true), ([11, 11, 73], false),
            ([12, 11, 129], false), ([4712, 11, 131], false),
        ] as [([UInt64], Bool)])
    func sendingCallARM64(arguments: [UInt64], isRaised: Bool) {
        var sample = DiagnosisSample(.aarch64, signal: 11, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        var registers = ARM64Registers()
        (registers.x[1], registers.x[2], registers.x[8]) = (
            arguments[0], arguments[1], arguments[2]
        )
        sample.snapshot.exception?.registers = .aarch64(registers)
        #expect(sample.diagnosis?.isRaised == isRaised)
    }

    @Test(
        "Signals somebody sent are told with the sender",
        arguments: [
            (15, 0, 1234, "was sent SIGTERM by process 1234 of user 7"),
            (11, -6, 4711, "sent SIGSEGV to itself"),
            (3, 0, 0, "was sent SIGQUIT from outside its PID namespace"),
            (6, 0, 99, "was sent SIGABRT by process 99 of user 7"),
            (13, 0x80, nil, "was sent SIGPIPE by the kernel"),
            (12, -1, nil, "was sent SIGUSR2 by an unknown process"),
        ] as [(Int32, Int32, Int32?, String)])
    func sent(signal: Int32, code: Int32, sender: Int32?, headline: String) {
        var sample = DiagnosisSample(signal: signal, code: code)
        sample.snapshot.exception?.senderProcessID = sender
        sample.snapshot.exception?.senderUserID = sender == nil ? nil : 7
        #expect(sample.diagnosis?.kind == .signalFromProcess)
        #expect(sample.diagnosis?.headline == headline)
    }

    @Test("A denied system call of another architecture keeps its number")
    func foreignSystemCall() {
        var info = [UInt8](repeating: 0, count: 128)
        info[24] = 59
        info.replaceSubrange(28..<32, with: [0x3e, 0, 0, 0xc0])
        var sample = DiagnosisSample(signal: 31, code: 1, address: DiagnosisSample.code)
        sample.snapshot.exception?.signalInfo = ByteSlice(info)
        #expect(
            sample.diagnosis?.headline == "made the system call execve, which is not allowed")
        info.replaceSubrange(28..<32, with: [0x03, 0, 0, 0x40])
        sample.snapshot.exception?.signalInfo = ByteSlice(info)
        #expect(
            sample.diagnosis?.headline == "made the system call number 59, which is not allowed")
    }

    @Test(
        "A check of a library that is never built with debug information names the library",
        arguments: [
            ("/usr/lib/swift/linux/libFoundationEssentials.so", "Foundation in subscript"),
            ("/usr/lib/swift/linux/libswiftCore.so", "Swift's runtime in subscript"),
            ("/usr/lib/libother.so", nil),
        ] as [(String, String?)])
    func trapOfLibrary(path: String, words: String?) {
        var sample = DiagnosisSample(
            signal: 4, code: 2, address: DiagnosisSample.code, instruction: [0x0f, 0x0b])
        let range = DiagnosisSample.code..<DiagnosisSample.code + 0x1000
        sample.snapshot.modules = [
            ModuleSnapshot(path: path, addressRange: range, kind: .sharedObject)
        ]
        var frame = Sample.frame(0, DiagnosisSample.code, "subscript")
        frame.place = .init(frame.address, in: sample.snapshot.modules)
        let headline = CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: [frame])
        ).diagnosis?.headline
        #expect(
            headline == words.map { "was stopped by \($0)" }
                ?? "stopped at a trap instruction, `ud2`")
    }

    @Test(
        "A trap without words is named as the compiler recorded it",
        arguments: [
            ("Swift runtime failure: arithmetic overflow", nil, nil, .swiftRuntimeFailure),
            ("inlined", "arithmetic overflow", "/src/add.swift", .swiftRuntimeFailure),
            ("inlined", "arithmetic overflow", "/src/add.cpp", .trap),
            // A function of Swift's library that the compiler specialised has no file.
            ("Array.remove(at:)", "arithmetic overflow", nil, .swiftRuntimeFailure),
        ] as [(String, String?, String?, Diagnosis.Kind)])
    func namedTrap(function: String, reason: String?, file: String?, kind: Diagnosis.Kind) {
        let sample = DiagnosisSample(
            signal: 4, code: 2, address: DiagnosisSample.code, instruction: [0x0f, 0x0b])
        var inlined = ReportFrame(index: 0, address: DiagnosisSample.code)
        inlined.function = function
        inlined.runtimeFailure = reason
        inlined.source = file.map { ReportFrame.Source(file: $0) }
        inlined.isInlined = true
        var frame = ReportFrame(index: 0, address: DiagnosisSample.code)
        frame.function = "add"
        let explanation = CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: [inlined, frame]))
        #expect(explanation.diagnosis?.kind == kind)
        #expect(explanation.diagnosis?.headline.hasSuffix(": arithmetic overflow") == true)
        #expect(explanation.diagnosis?.code?.instructions.first?.text == "ud2")
        let names = reason == nil ? "add" : "\(function) | add"
        #expect(
            explanation.signature?.text == "\(kind.rawValue) \"arithmetic overflow\" \(names)")
    }
}
