// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// Which wrong uses of memory are distinguished, and by which evidence.
@Suite struct DiagnosisOfMemoryTests {
    @Test("On aarch64 the instruction tells what it did and with which register")
    func arm() {
        // ldr x0, [x1, #0x10]
        var sample = DiagnosisSample(
            .aarch64, address: 0x10, instruction: [0x20, 0x08, 0x40, 0xf9])
        #expect(
            sample.diagnosis?.headline == "read from offset 0x10 of a null pointer (x1)")
        // str wzr, [x2]
        sample = DiagnosisSample(
            .aarch64, address: 0x7f00_1234_0000, instruction: [0x5f, 0x00, 0x00, 0xb9])
        sample.setARM { $0.x[2] = 0x5a00_7f00_1234_0000 }
        #expect(
            sample.diagnosis?.headline == "wrote to 0x7f0012340000 (x2), where nothing is mapped")
        #expect(sample.words.contains("x2 is 0x5a007f0012340000"))
    }

    @Test("A tag that is not the memory's is told with the pointer's")
    func armTag() {
        // str wzr, [x2]
        var sample = DiagnosisSample(
            .aarch64, code: 9, address: 0x7f00_1234_0000, instruction: [0x5f, 0x00, 0x00, 0xb9])
        sample.setARM { $0.x[2] = 0x0600_7f00_1234_0000 }
        #expect(sample.diagnosis?.kind == .memoryTagMismatch)
        #expect(
            sample.diagnosis?.headline == "wrote to 0x7f0012340000 (x2) through a pointer with the "
                + "tag 6, which is not the memory's")
        #expect(sample.words.contains("x2 is 0x6007f0012340000"))
    }

    @Test("A tag check that is told later is no null pointer, and blames no instruction")
    func armTagLater() {
        let sample = DiagnosisSample(
            .aarch64, code: 8, instruction: [0x5f, 0x00, 0x00, 0xb9])
        #expect(sample.diagnosis?.kind == .memoryTagMismatch)
        #expect(sample.diagnosis?.headline.hasPrefix("used memory through a pointer") == true)
        #expect(sample.diagnosis?.code == nil)
        #expect(sample.explanation.reason?.address == nil)
    }

    @Test("A return that the shadow stack does not have is no null pointer")
    func shadowStack() {
        // ret
        var sample = DiagnosisSample(code: 10, instruction: [0xc3])
        sample.setX86 { ($0.trapNumber, $0.errorCode) = (21, 1) }
        sample.add([0x10, 0x20, 0x40, 0, 0, 0, 0, 0], at: 0x7ffc_0000_1000)
        #expect(sample.diagnosis?.kind == .overwrittenReturnAddress)
        #expect(
            sample.diagnosis?.headline
                == "returned to 0x402010, which is not where the call came from")
        // endbr64 is missing.
        sample.setX86 { $0.errorCode = 3 }
        #expect(sample.diagnosis?.kind == .trap)
    }

    @Test("An address of the kernel is told by the bit that selects its half")
    func armKernel() {
        // ldr x0, [x1]
        var sample = DiagnosisSample(
            .aarch64, address: 0xffff_8000_0000_0000, instruction: [0x20, 0x00, 0x40, 0xf9])
        sample.setARM { $0.x[1] = 0xffff_8000_0000_0000 }
        #expect(
            sample.diagnosis?.headline
                == "read from 0xffff800000000000 (x1), an address of the kernel")
        #expect(sample.words.contains("Bit 55"))
        sample = DiagnosisSample(.aarch64, address: 0x5a00_7f00_1234_0000)
        #expect(sample.diagnosis?.headline.hasSuffix("where nothing is mapped") == true)
    }

    @Test("An address 0 that the instruction did not use is no null pointer")
    func armContradiction() {
        // ldr x0, [x1]; an emulator gave no better address.
        var sample = DiagnosisSample(.aarch64, instruction: [0x20, 0x00, 0x40, 0xf9])
        #expect(sample.diagnosis?.headline == "read from a null pointer (x1)")
        sample.setARM { $0.x[1] = 0x5a5a_5a5a_5a5a_5a5a }
        #expect(sample.diagnosis?.headline == "used 0x0, where nothing is mapped")
    }

    @Test(
        "A return to an overwritten address is recognised without its tag, also to a stack",
        arguments: [
            (0x4141_4141_4141_4140, 0x41_4141_4141_4140), (0xffff_d000_1000, 0xffff_d000_1000),
        ] as [(UInt64, UInt64)])
    func armReturn(link: UInt64, target: UInt64) {
        var sample = DiagnosisSample(.aarch64, address: target)
        sample.setARM { ($0.x[30], $0.pc) = (link, target) }
        #expect(
            sample.diagnosis?.headline
                == "returned to \(target.hex), where no code is: a return address was overwritten")
        #expect(sample.words.contains("is the address \(link.hex)."))
        sample.setARM { $0.x[30] = 0x40_0100 }
        #expect(
            sample.diagnosis?.headline == "jumped through a wild pointer to \(target.hex)")
    }

    @Test("A jump to an address that is no multiple of four is no access")
    func armOddJump() {
        var sample = DiagnosisSample(.aarch64, signal: 7, code: 1, address: 0x40_1235)
        sample.setARM { $0.pc = 0x40_1235 }
        #expect(sample.diagnosis?.kind == .wildJump)
        #expect(sample.diagnosis?.headline == "jumped to 0x401235, where no instruction can be")
    }

    @Test("Without code, maps or registers less is said, and nothing guessed")
    func lessKnown() {
        var sample = DiagnosisSample(address: 0x10, pageFault: 6)
        #expect(sample.diagnosis?.headline == "wrote to offset 0x10 of a null pointer")
        sample.snapshot.exception?.registers = nil
        #expect(sample.diagnosis?.headline == "used offset 0x10 of a null pointer")
        sample = DiagnosisSample(code: 2, address: 0x7f10_0000_0010, pageFault: 7)
        #expect(
            sample.diagnosis?.headline == "wrote to 0x7f1000000010 in read-only data of table")
        sample.snapshot.files.maps = nil
        #expect(sample.diagnosis?.kind == .inaccessibleMemory)
        #expect(sample.diagnosis?.headline == "wrote to 0x7f1000000010, which it may not")
        sample = DiagnosisSample(code: 0x80)
        #expect(sample.diagnosis?.kind == .generalProtection)
        sample.snapshot.exception?.registers = nil
        #expect(sample.diagnosis?.kind == .generalProtection)
    }

    @Test("An instruction that does not fit the address is no witness for it")
    func unfittingInstruction() {
        // mov rax, qword ptr [rbx], and rbx is elsewhere.
        var sample = DiagnosisSample(
            address: 0x7f20_0000_0000, instruction: [0x48, 0x8b, 0x03], pageFault: 4)
        sample.setX86 { $0.rbx = 0x1234_5678 }
        #expect(
            sample.diagnosis?.headline == "read from 0x7f2000000000, where nothing is mapped")
        #expect(!sample.words.contains("rbx"))
    }

    @Test("Of two registers the null one is only named when it must be the pointer")
    func twoRegisters() {
        // mov rax, qword ptr [rbx + rcx]
        let instruction: [UInt8] = [0x48, 0x8b, 0x04, 0x0b]
        var sample = DiagnosisSample(
            address: 0x12_3456, instruction: instruction, pageFault: 4)
        sample.setX86 { ($0.rbx, $0.rcx) = (0, 0x12_3456) }
        #expect(
            sample.diagnosis?.headline
                == "read from 0x123456 (rbx + rcx), where nothing is mapped")
        sample.setX86 { ($0.rbx, $0.rcx) = (0x12_3456, 0) }
        #expect(sample.diagnosis?.kind == .unmappedAddress)
        sample = DiagnosisSample(address: 0x20, instruction: instruction, pageFault: 4)
        sample.setX86 { ($0.rbx, $0.rcx) = (0, 0x20) }
        #expect(
            sample.diagnosis?.headline == "read from offset 0x20 of a null pointer (rbx)")
    }

    @Test("A return to a non-canonical address is an overwritten return address")
    func wildReturn() {
        var sample = DiagnosisSample(code: 0x80, instruction: [0xc3])
        sample.add([0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68], at: 0x7ffc_0000_1000)
        #expect(sample.diagnosis?.kind == .overwrittenReturnAddress)
        #expect(
            sample.diagnosis?.headline
                == "returned to 0x6867666564636261, a non-canonical address: a return address was "
                + "overwritten")
    }

    @Test("Where a call as well as a return can have led is told as neither")
    func callOrReturn() {
        var sample = DiagnosisSample(address: 0x25, pageFault: 0x14)
        sample.setX86 { $0.rip = 0x25 }
        sample.add([0x25, 0, 0, 0, 0, 0, 0, 0], at: 0x7ffc_0000_0ff8)
        var frames = [0x25, DiagnosisSample.code].enumerated().map {
            ReportFrame(index: $0, address: $1)
        }
        frames[1].foundBy = .returnAddress
        let diagnosis = CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
        ).diagnosis
        #expect(diagnosis?.kind == .wildJump)
        #expect(diagnosis?.headline == "jumped to 0x25, where no code is")
        #expect(
            diagnosis?.findings.last?.statement.hasPrefix(
                "A function was called through a pointer of this value, or a return address was")
                == true)
    }

    @Test(
        "Where code that is not known may have called from, neither a call nor a return is told",
        arguments: [0, 0x25] as [UInt8])
    func callFromUnknownCode(target: UInt8) {
        var sample = DiagnosisSample(address: UInt64(target), pageFault: 0x14)
        sample.setX86 { $0.rip = UInt64(target) }
        sample.add([target, 0, 0, 0, 0, 0, 0, 0], at: 0x7ffc_0000_0ff8)
        sample.add([0x44, 0x12, 0x40, 0, 0, 0, 0, 0], at: 0x7ffc_0000_1000)
        #expect(sample.diagnosis?.kind == .wildJump)
        #expect(
            sample.diagnosis?.headline
                == "jumped to 0x\(target == 0 ? "0" : "25"), where no code is")
        #expect(sample.words.contains("is not known"))
        sample.add([0x90, 0x90], at: 0x40_1242)
        #expect(sample.diagnosis?.kind == .overwrittenReturnAddress)
    }

    @Test("Of the kernel's half of the addresses nothing is said but that it is the kernel's")
    func kernelAddress() {
        let sample = DiagnosisSample(
            address: 0xffff_ffff_8100_0000, instruction: [0x48, 0x8b, 0x03], pageFault: 5)
        #expect(
            sample.diagnosis?.headline == "read from 0xffffffff81000000, an address of the kernel")
        #expect(!sample.words.contains("There is no memory"))
    }

    @Test("A function that is several times in a round of calls is named once")
    func severalTimesInRound() {
        var sample = DiagnosisSample(address: 0x7ffb_ffff_fff8, pageFault: 6)
        sample.setX86 { $0.rsp = 0x7ffb_ffff_ffc0 }
        let frames = (0..<40).map { index in
            var frame = ReportFrame(
                index: index, address: DiagnosisSample.code + UInt64(index % 4) * 16)
            frame.function = ["merge", "sort", "compare", "merge"][index % 4]
            return frame
        }
        let diagnosis = CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
        ).diagnosis
        #expect(
            diagnosis?.headline == "died of a stack overflow in a recursion of merge, sort, compare"
        )
    }

    @Test("A stack pointer near 0 is no null pointer")
    func lostStackPointer() {
        // push 1
        var sample = DiagnosisSample(address: 0xff8, instruction: [0x6a, 0x01], pageFault: 6)
        sample.setX86 { $0.rsp = 0x1000 }
        #expect(sample.diagnosis?.kind == .unmappedAddress)
        #expect(
            sample.diagnosis?.headline == "wrote to 0xff8 (rsp - 0x8), where nothing is mapped")
    }

    @Test("A stack pointer that is nowhere near the stack is no large frame")
    func strayStackPointer() {
        for (stackPointer, kind) in [
            (0x5a00_0000_1000, .unmappedAddress), (0x7ffa_0000_1000, .stackOverflow),
        ] as [(UInt64, Diagnosis.Kind)] {
            var sample = DiagnosisSample(address: stackPointer - 8, pageFault: 6)
            sample.setX86 { $0.rsp = stackPointer }
            var frames = [0, 1].map { ReportFrame(index: $0, address: DiagnosisSample.code) }
            frames[1].foundBy = .unwindTable
            (frames[0].stackPointer, frames[1].stackPointer) = (stackPointer, 0x7ffc_0000_2000)
            let diagnosis = CrashExplanation(
                sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
            ).diagnosis
            #expect(diagnosis?.kind == kind)
        }
    }

    @Test("Without the maps the signal's code tells data from nothing")
    func executeWithoutMaps() {
        var sample = DiagnosisSample(code: 2, address: 0x7f10_0001_2000, pageFault: 0x15)
        sample.setX86 { $0.rip = 0x7f10_0001_2000 }
        #expect(sample.diagnosis?.kind == .executeData)
        sample.snapshot.files.maps = nil
        #expect(sample.diagnosis?.kind == .executeData)
        sample.snapshot.exception?.code = 1
        #expect(sample.diagnosis?.kind == .wildJump)
    }

    @Test("A fault beside a stack is only an overflow when the stack pointer is there too")
    func stackOverflow() {
        var sample = DiagnosisSample(code: 2, address: 0x7f10_0001_0ff8, pageFault: 6)
        sample.setX86 { $0.rsp = 0x7f10_0001_1000 }
        #expect(sample.diagnosis?.kind == .stackOverflow)
        #expect(sample.diagnosis?.headline == "died of a stack overflow")
        #expect(sample.words.contains("All 8192 KiB of the thread's stack"))
        sample.setX86 { $0.rsp = 0x7f10_0041_1000 }
        #expect(sample.diagnosis?.kind == .inaccessibleMemory)
        // The main thread's has no guard mapping.
        sample = DiagnosisSample(code: 1, address: 0x7ffb_ffff_fff8, pageFault: 6)
        sample.setX86 { $0.rsp = 0x7ffb_ffff_ffc0 }
        #expect(sample.words.contains("All 132 KiB of the main thread's stack"))
        sample.snapshot.files.maps = nil
        #expect(sample.diagnosis?.kind == .unmappedAddress)
    }

    @Test("A guard region within a stack's mapping is met by an overflow, and by other faults")
    func guardRegion() {
        var sample = DiagnosisSample(address: 0x7f10_0001_1faa, pageFault: 6)
        sample.setX86 { $0.rsp = 0x7f10_0001_1f90 }
        #expect(sample.diagnosis?.headline == "died of a stack overflow")
        #expect(sample.words.contains("as it is of a guard region"))
        sample.setX86 { $0.rsp = 0x7ffc_0000_1000 }
        #expect(
            sample.diagnosis?.headline == "wrote to 0x7f1000011faa in memory without a file")
        #expect(sample.words.contains("A guard region is there"))
        #expect(!sample.words.contains("There is no memory"))
    }

    @Test("What stores of vectors did is told where the processor tells nothing")
    func vectorStore() {
        // vmovdqu ymmword ptr [rdi], ymm0
        var sample = DiagnosisSample(code: 0x80, instruction: [0xc5, 0xfe, 0x7f, 0x07])
        sample.setX86 { $0.rdi = 0x4141_4141_4141_4141 }
        #expect(
            sample.diagnosis?.headline
                == "wrote to the non-canonical address 0x4141414141414141 (rdi)")
    }
}
