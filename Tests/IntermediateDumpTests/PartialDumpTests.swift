// SPDX-License-Identifier: Apache-2.0

import Bytes
import CDumpFormat
import IntermediateDump
import Snapshot
import Testing

@Suite("What is left out, and what is said about it")
struct PartialDumpTests {
    private func snapshot(
        machine: UInt16 = 62, _ fill: (inout DumpBuilder) -> Void
    ) throws -> ProcessSnapshot {
        var dump = SampleDumps.launch(machine: machine)
        fill(&dump)
        return try IntermediateDump.snapshot(from: ByteSlice(dump.finished))
    }

    private func thread(
        machine: UInt16 = 62, _ fill: (inout DumpBuilder) -> Void
    ) throws -> (ThreadSnapshot?, [String]) {
        let snapshot = try snapshot(machine: machine) { dump in
            dump.array(.threads) {
                $0.map {
                    $0.add(.threadID, 7)
                    fill(&$0)
                }
            }
        }
        return (snapshot.threads.first, snapshot.damage.map(\.sentence))
    }

    @Test("A stack that is cut keeps the bytes that are there")
    func cutStack() throws {
        let whole = SampleDumps.x86_64
        let stackOffset = 0x7d4
        let cut = ByteSlice(Array(whole[..<(stackOffset + 11 + 10)]))
        let snapshot = try IntermediateDump.snapshot(from: cut)
        let thread = try #require(snapshot.threads.first)
        #expect(thread.completeness == .complete)
        #expect(thread.stack?.bytes.array == Array(SampleDumps.stack[..<10]))
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0x7d4: STACK_REGION_DATA is cut after 10 of its 64 bytes"
            ])
    }

    @Test("An integer that is cut is left out")
    func cutInteger() throws {
        var dump = SampleDumps.launch()
        dump.map(.processInfo) { $0.add(.userID, 33) }
        let cut = ByteSlice(Array(dump.bytes[..<(dump.bytes.count - 2)]))
        let snapshot = try IntermediateDump.snapshot(from: cut)
        #expect(snapshot.process.userID == nil)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xde: USER_ID is cut after 3 of its 4 bytes",
                "offset 0xde: USER_ID has 3 bytes instead of 4 and was left out",
            ])
    }

    @Test("An integer of the wrong size is left out, its neighbours are not")
    func wrongSize() throws {
        let snapshot = try snapshot {
            $0.map(.processInfo) {
                $0.add(.pid, bytes: [1, 0, 0])
                $0.add(.parentPID, bytes: [1, 0, 0, 0, 0, 0, 0, 0])
                $0.add(.userID, 33)
            }
        }
        #expect(snapshot.process.id == nil)
        #expect(snapshot.process.parentID == nil)
        #expect(snapshot.process.userID == 33)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xde: PID has 3 bytes instead of 4 and was left out",
                "offset 0xec: PARENT_PID has 8 bytes instead of 4 and was left out",
            ])
    }

    @Test("A key that is a map where a property belongs is left out")
    func wrongKind() throws {
        let snapshot = try snapshot { $0.map(.processInfo) { $0.map(.pid) { _ in } } }
        #expect(snapshot.process.id == nil)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xdb: PID is no property here and was left out"
            ])
    }

    @Test(
        "A time outside the calendar is left out",
        arguments: [
            (-1, 0), (Int64.max, 0), (0, 1_000_000), (0, -1),
        ] as [(Int64, Int64)])
    func wrongTime(seconds: Int64, microseconds: Int64) throws {
        let snapshot = try snapshot {
            $0.map(.processInfo) {
                $0.add(.startTime, seconds: seconds, microseconds: microseconds)
            }
        }
        #expect(snapshot.process.startTime == nil)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xde: START_TIME is no time and was left out"
            ])
    }

    @Test("A thread that is said to be complete and has no registers is not")
    func threadWithoutRegisters() throws {
        let (thread, _) = try thread { $0.add(.threadCompleteness, 1) }
        #expect(thread?.completeness == .missing)
        #expect(thread?.whyIncomplete == "its registers are not in the dump")
    }

    @Test("A reason this version does not know keeps its number")
    func unknownWhy() throws {
        let (thread, _) = try thread { $0.add(.threadWhy, 99) }
        #expect(thread?.whyIncomplete == "reason 99, which this version does not know")
    }

    @Test("Registers of another size are left out", arguments: [0, 183, 185, 280])
    func wrongRegisters(count: Int) throws {
        let (thread, damage) = try thread {
            $0.add(.threadState, bytes: Array(repeating: 1, count: count))
        }
        #expect(thread?.registers == nil)
        #expect(damage.count == 1)
        #expect(
            damage.first?.hasSuffix("has \(count) bytes instead of 184 and was left out") == true)
    }

    @Test("Floating-point state that makes no sense is left out, the registers stay")
    func wrongFloats() throws {
        let (x86, x86Damage) = try thread {
            $0.add(.threadState, bytes: SampleDumps.x86Registers)
            $0.add(.floatState, bytes: Array(repeating: 0, count: 511))
        }
        #expect(x86?.completeness == .complete)
        #expect(x86Damage.first?.hasSuffix("holds no floating-point state of x86_64") == true)

        let records: [[UInt8]] = [
            [], [1, 2, 3], Array(SampleDumps.fpsimdRecords[..<100]),
            Array(repeating: 0, count: 600),
            // A record that claims to be smaller than its own head, or far larger than the payload.
            [9, 0, 0, 0, 0, 0, 0, 0], [9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            // FPSIMD_MAGIC with room for its head alone.
            [0x01, 0x80, 0x50, 0x46, 8, 0, 0, 0],
        ]
        for floats in records {
            let (arm64, damage) = try thread(machine: 183) {
                $0.add(.threadState, bytes: SampleDumps.arm64Registers)
                $0.add(.floatState, bytes: floats)
            }
            #expect(arm64?.completeness == .complete)
            #expect(damage.first?.hasSuffix("holds no floating-point state of aarch64") == true)
        }
    }

    @Test("Threads without an id and threads listed again are left out")
    func unusableThreads() throws {
        let snapshot = try snapshot {
            $0.array(.threads) {
                $0.map { $0.add(.threadName, "nobody") }
                $0.map {
                    $0.add(.threadID, 7)
                    $0.add(.threadName, "first")
                }
                $0.map {
                    $0.add(.threadID, 7)
                    $0.add(.threadName, "second")
                }
            }
        }
        #expect(snapshot.threads.map(\.name) == ["first"])
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xde: a thread has no id and was left out",
                "thread 7: it is listed twice; the second entry was left out",
            ])
    }

    @Test("A module without a range, or with one that wraps around, is left out")
    func unusableModules() throws {
        let snapshot = try snapshot {
            $0.array(.modules) {
                $0.map { $0.add(.moduleName, "/nowhere") }
                $0.map {
                    $0.add(.moduleAddress, UInt64.max)
                    $0.add(.moduleSize, 2)
                }
                $0.map {
                    $0.add(.moduleAddress, 0x1000)
                    $0.add(.moduleSize, 0x1000)
                    $0.add(.moduleKind, 77)
                    $0.add(.moduleBuildID, bytes: Array(repeating: 1, count: 65))
                }
                $0.map {
                    $0.add(.moduleAddress, 0x4000)
                    $0.add(.moduleSize, 0x1000)
                    $0.add(.moduleKind, 1)
                }
            }
        }
        #expect(snapshot.modules.map(\.kind) == [.executable, .sharedObject])
        #expect(snapshot.modules.allSatisfy { $0.buildID.isEmpty })
        #expect(snapshot.damage.count == 4)
    }

    @Test("Memory without bytes is dropped, memory without an address is damage")
    func unusableMemory() throws {
        let snapshot = try snapshot {
            $0.array(.memoryRegions) {
                $0.map { $0.add(.memoryRegionAddress, 0x1000) }
                $0.region(0x2000, [])
                $0.map { $0.add(.memoryRegionData, bytes: [1]) }
                $0.region(UInt64.max - 1, [1, 2, 3])
            }
        }
        #expect(snapshot.memory.map(\.bytes.count) == [1])
        #expect(snapshot.damage.count == 1)
    }

    @Test("Without a signal number the signal's own record is asked")
    func signalFromInfo() throws {
        let snapshot = try snapshot {
            $0.map(.signalException) { $0.add(.signalInfo, bytes: SampleDumps.signalInfo) }
        }
        #expect(snapshot.exception?.signal == 11)
        #expect(snapshot.exception?.code == 1)
        #expect(snapshot.damage.isEmpty)
    }

    @Test("An exception with a thread id alone is kept")
    func exceptionWithThreadAlone() throws {
        let snapshot = try snapshot { $0.map(.signalException) { $0.add(.threadID, 7) } }
        #expect(snapshot.exception?.threadID == 7)
        #expect(snapshot.exception?.signal == 0)
        #expect(snapshot.damage.count == 1)
    }

    @Test("Each file has its place, unknown ones keep their path")
    func files() throws {
        let paths = [
            "/proc/self/maps", "/proc/self/status", "/proc/self/auxv", "/proc/self/limits",
            "/proc/cpuinfo", "/etc/os-release", "/etc/timezone",
        ]
        let files = try snapshot { dump in
            dump.array(.systemFiles) { array in
                for path in paths { array.file(path, path) }
                array.map { $0.add(.systemFileData, "nameless") }
            }
        }.files
        #expect(
            [files.maps, files.status, files.auxv, files.limits, files.cpuinfo, files.osRelease]
                .map { $0?.text } == paths.dropLast())
        #expect(files.others.mapValues(\.text) == ["/etc/timezone": "/etc/timezone"])
    }

    @Test(
        "Each part the handler may miss is named",
        arguments: [
            (.threads, 7, "thread 7"), (.threads, 0, "threads"),
            (.threadState, 7, "registers of thread 7"), (.modules, 0x1000, "module at 0x1000"),
            (.memoryRegions, 0x1000, "memory at 0x1000"), (.captureSummary, 0, "capture summary"),
            (.threadNice, 7, "thread nice of thread 7"), (.systemFiles, 5, "/proc/cpuinfo"),
            (.systemFiles, 7, "file 7"), (.systemFiles, 0, "system files"),
            (DumpKey(rawValue: 60_000), 1, "key 60000 at 0x1"),
        ] as [(DumpKey, UInt64, String)])
    func damageSubjects(section: DumpKey, subject: UInt64, words: String) throws {
        let snapshot = try snapshot {
            $0.array(.damage) {
                $0.map {
                    $0.add(.damageSection, section.rawValue)
                    $0.add(.damageSubject, subject)
                    $0.add(.damageWhy, 6)
                    $0.add(.damageErrno, 0)
                }
            }
        }
        #expect(
            snapshot.damage == [
                Damage(
                    stage: .capture, subject: words,
                    reason: "there were more than there is room for")
            ])
    }

    @Test("A damage entry that says nothing is still counted")
    func emptyDamage() throws {
        let snapshot = try snapshot { $0.array(.damage) { $0.map { _ in } } }
        #expect(snapshot.damage.map(\.sentence) == ["dump: the reason is not recorded"])
    }

    @Test("Complaints are listed up to a limit, then counted")
    func damageLimit() throws {
        let snapshot = try snapshot {
            $0.array(.threads) { for _ in 0..<1000 { $0.map { _ in } } }
        }
        #expect(snapshot.damage.count == 201)
        #expect(snapshot.damage.last?.sentence == "dump: 800 more errors are not listed")
    }

    @Test("Of an endless array the first 65536 entries count")
    func elementLimit() throws {
        let snapshot = try snapshot {
            $0.array(.annotationsSimpleMap) {
                for _ in 0..<65_540 { $0.map { $0.add(.annotationName, "") } }
            }
        }
        #expect(snapshot.annotations.count == 65_536)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "ANNOTATIONS_SIMPLE_MAP: there are more than 65536 entries; the rest was left out"
            ])
    }
}
