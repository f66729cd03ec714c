// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("What is left out, and what is said about it")
struct PartialDumpTests {
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
                "offset 0xde: USER_ID was left out because it is cut",
            ])
    }

    @Test("An integer of the wrong size is left out, its neighbours are not")
    func wrongSize() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.map(.processInfo) {
                $0.add(.pid, bytes: [1, 0, 0])
                $0.add(.parentPID, bytes: [1, 0, 0, 0, 0, 0, 0, 0])
                $0.add(.userID, 33)
            }
        }
        // That of the launch record.
        #expect(snapshot.process.id == 4711)
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
        let snapshot = try SampleDumps.snapshot { $0.map(.processInfo) { $0.map(.pid) { _ in } } }
        // That of the launch record.
        #expect(snapshot.process.id == 4711)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xdb: PID is no property here and was left out"
            ])
    }

    @Test("A key that is something else where a map or an array belongs is left out")
    func wrongContainers() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.systemInfo) { _ in }
            $0.add(.processInfo, bytes: [1])
            $0.map(.threads) { $0.add(.threadID, 1) }
        }
        #expect(snapshot.threads.isEmpty)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xdf: PROCESS_INFO is no map here and was left out",
                "offset 0x0: SYSTEM_INFO is no map here and was left out",
                "offset 0x0: THREADS is no array here and was left out",
            ])
    }

    @Test(
        "A time outside the calendar is left out",
        arguments: [
            (-1, 0), (Int64.max, 0), (0, 1_000_000), (0, -1),
        ] as [(Int64, Int64)])
    func wrongTime(seconds: Int64, microseconds: Int64) throws {
        let snapshot = try SampleDumps.snapshot {
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

    @Test("A module without a range, or with one that wraps around, is left out")
    func unusableModules() throws {
        let snapshot = try SampleDumps.snapshot {
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
        let snapshot = try SampleDumps.snapshot {
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
        let snapshot = try SampleDumps.snapshot {
            $0.map(.signalException) { $0.add(.signalInfo, bytes: SampleDumps.signalInfo) }
        }
        #expect(snapshot.exception?.signal == 11)
        #expect(snapshot.exception?.code == 1)
        #expect(snapshot.damage.isEmpty)
    }

    @Test("An exception with a thread id alone is kept")
    func exceptionWithThreadAlone() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.map(.signalException) { $0.add(.threadID, 7) }
        }
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
        let files = try SampleDumps.snapshot { dump in
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
}
