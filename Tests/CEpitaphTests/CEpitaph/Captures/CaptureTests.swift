// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct CaptureTests {
    @Test("Every thread is there with its name, registers and stack")
    func threads() throws {
        let snapshot = try Dummy("null-write", threads: 5, ["settled"]).snapshot()
        let names = snapshot.threads.compactMap(\.name).sorted()
        #expect(names == ["CEpitaphVictim", "idle-0", "idle-1", "idle-2", "idle-3", "idle-4"])
        for thread in snapshot.threads {
            #expect(thread.completeness == .complete)
            let pointer = try #require(thread.registers).stackPointer
            let stack = try #require(thread.stack)
            // The red zone below the stack pointer, and at least the frame above it.
            #expect(stack.address == pointer - 128)
            #expect(stack.addressRange.contains(pointer + 8))
            #expect(thread.threadDataAddress != 0)
        }
        #expect(snapshot.threads.dropFirst().allSatisfy { $0.runState == "S" })
        #expect(snapshot.capture?.threadsFound == 6)
        #expect(snapshot.capture?.threadsStopped == 6)
    }

    @Test("An idle thread's stack is there to its end, with its thread-local variables")
    func stackEnds() throws {
        let snapshot = try Dummy("null-write", threads: 2).snapshot()
        for thread in snapshot.threads where thread.name?.hasPrefix("idle") == true {
            let stack = try #require(thread.stack)
            let block = try #require(thread.threadDataAddress)
            // The variables lie below the control block, errno the last of them.
            #expect(stack.addressRange.upperBound == block)
            #expect(stack.bytes.count < 8192)
        }
    }

    @Test("The vector registers are saved as the kernel had them")
    func floatingPoint() throws {
        let snapshot = try Dummy("null-write").snapshot()
        guard case .x86_64(let registers)? = snapshot.exception?.registers else {
            Issue.record("not x86_64")
            return
        }
        let area = try #require(registers.floatingPoint)
        #expect(area.count >= 512)
        var cursor = ByteCursor(area, offset: 24)
        // MXCSR as the psABI has it at process entry: all exceptions masked.
        #expect(try cursor.read(UInt32.self) & 0x1f80 == 0x1f80)
    }

    @Test("Modules have the executable first, build ids, and the vdso with its bytes")
    func modules() throws {
        let snapshot = try Dummy("null-write").snapshot()
        let modules = snapshot.modules
        #expect(modules.first?.kind == .executable)
        #expect(modules.first?.path == Victim.c.path)
        let libc = try #require(modules.first { $0.name == "libc.so.6" })
        #expect(libc.soname == "libc.so.6")
        #expect(libc.buildID.count == 20)
        #expect(modules.filter { $0.kind == .loader }.count == 1)
        let vdso = try #require(modules.last)
        #expect(vdso.kind == .vdso)
        #expect(vdso.image?.slice(from: 0, length: 4).array == [0x7f, 0x45, 0x4c, 0x46])
        let pc = try #require(snapshot.exception?.registers).instructionPointer
        #expect(modules.first?.addressRange.contains(pc) == true)
        #expect(snapshot.dynamicLinker?.dynamicSection.isEmpty == false)
    }

    @Test("The files that readers want are there, and agree with the rest")
    func files() throws {
        let snapshot = try Dummy("null-write", threads: 1).snapshot()
        let (mappings, skipped) = MemoryMapping.parse(try #require(snapshot.files.maps))
        #expect(skipped == 0)
        let pc = try #require(snapshot.exception?.registers).instructionPointer
        #expect(mappings.contains { $0.addressRange.contains(pc) && $0.isExecutable })
        let status = try #require(snapshot.files.status)
        #expect(status.text.contains("Pid:\t\(snapshot.process.id ?? 0)\n"))
        #expect(snapshot.files.limits?.text.contains("Max open files") == true)
        #expect(snapshot.files.cpuinfo?.text.contains("processor") == true)
        #expect(snapshot.files.osRelease?.text.contains("ID=") == true)
        #expect((snapshot.files.auxv?.count ?? 1) % 16 == 0)
    }

    @Test("Process, system, launch record and annotations are filled in")
    func facts() throws {
        let run = try Dummy("null-write")
        let snapshot = try run.snapshot()
        #expect(snapshot.process.id == run.result.processID)
        #expect(snapshot.process.parentID == getpid())
        #expect(snapshot.launch?.processID == run.result.processID)
        #expect(snapshot.launch?.bundleID == "org.example.dummy")
        #expect(snapshot.launch?.executablePath == Victim.c.path)
        let uuid = try #require(snapshot.launch?.uuid)
        #expect(run.files == ["org.example.dummy@\(uuid.description)"])
        let start = try #require(snapshot.process.startTime)
        let end = try #require(snapshot.process.snapshotTime)
        #expect(start < end && end.seconds(since: start) < 60)
        #expect(snapshot.system.kernelName == "Linux")
        #expect(snapshot.system.pageSize == UInt64(getpagesize()))
        #expect(
            snapshot.annotations == [
                Annotation(name: "prod", value: "CEpitaphVictim"),
                Annotation(name: "ver", value: "1.0"),
                Annotation(name: "colour", value: "blue"),
            ])
    }

    @Test("The bytes around the instruction pointers and the registers' pointers are there")
    func pointedMemory() throws {
        let snapshot = try Dummy("null-write", threads: 1).snapshot()
        for thread in snapshot.threads {
            let pointer = try #require(thread.registers).instructionPointer
            #expect(snapshot.memory.contains { $0.addressRange.contains(pointer) })
        }
        // The thread's control block is what every thread of libc has a register or a stack word
        // for.
        let thread = try #require(snapshot.threads.first { $0.name == "idle-0" })
        let block = try #require(thread.threadDataAddress)
        #expect(snapshot.memory.contains { $0.addressRange.contains(block) })
    }

    @Test("Neither the environment nor the command line gets into a dump")
    func privacy() throws {
        let secret = "hunter2-\(Epitaph.ID().description.uppercased())"
        for way in ["null-write", "abort"] {
            let run = try Dummy(
                way, threads: 1, ["argument-\(secret)"], environment: ["API_TOKEN": secret])
            let bytes = try #require(run.sealed.first)
            #expect(bytes.array.range(of: Array(secret.utf8)) == nil)
            #expect(try run.snapshot().commandLine == nil)
            #expect(try run.snapshot().environment.isEmpty)
        }
    }

    @Test("A thread that nothing can stop is there with what the kernel tells, without a wait")
    func blockedThread() throws {
        let settings = ["blocked", "settled", "patient", "no-ptrace"]
        let snapshot = try Dummy("null-write", threads: 2, settings).snapshot()
        let thread = try #require(snapshot.threads.first { $0.name == "idle-0" })
        #expect(thread.completeness == .partial)
        #expect(thread.whyIncomplete == "the thread blocks the signal that stops threads")
        #expect(thread.systemCall == 34)  // pause(2)
        let registers = try #require(thread.registers)
        #expect(thread.stack?.addressRange.contains(registers.stackPointer) == true)
        #expect(snapshot.damage.count == 1)
        #expect(snapshot.capture?.threadsStopped == 2)
        // "patient" is 30 s for threads to stop.
        #expect((snapshot.capture?.durationNanoseconds ?? .max) < 10_000_000_000)
    }

    @Test("A stack overflow on a thread has the end of the stack that overflowed")
    func overflow() throws {
        let snapshot = try Dummy("stack-overflow", threads: 0, ["thread"]).snapshot()
        let thread = try #require(snapshot.crashingThread)
        let stack = try #require(thread.stack)
        let pointer = try #require(thread.registers).stackPointer
        #expect(stack.address >= pointer - 128 && stack.address < pointer + (1 << 20))
        #expect(stack.bytes.count == 1 << 20)
    }
}

extension [UInt8] {
    fileprivate func range(of other: [UInt8]) -> Range<Int>? {
        Data(self).range(of: Data(other)).map { $0 }
    }
}
