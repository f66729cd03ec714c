// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump

/// The sections of the samples after the exception, in the order of docs/dump-format.md.
extension SampleDumps {
    static func addFacts(to dump: inout DumpBuilder) {
        dump.map(.processInfo) {
            $0.add(.pid, 4711)
            $0.add(.parentPID, 1)
            $0.add(.userID, 33)
            $0.add(.startTime, seconds: 1_763_700_000, microseconds: 0)
            $0.add(.snapshotTime, seconds: 1_763_703_600, microseconds: 500_000)
            $0.map(.taskBasicInfo) {
                $0.add(.userTime, seconds: 2, microseconds: 500_000)
                $0.add(.systemTime, seconds: 1, microseconds: 250_000)
            }
            $0.add(.commandLine, bytes: Array("orderd\0--port\0".utf8))
            $0.array(.environment) { $0.pair("LANG", "C.UTF-8") }
        }
        dump.map(.systemInfo) {
            $0.add(.kernelName, "Linux")
            $0.add(.kernelRelease, "6.1.0-18")
            $0.add(.osVersionBuild, "#1 SMP")
            $0.add(.machineDescription, "test")
            $0.add(.cpuCount, 4)
            $0.add(.cpuVendor, "GenuineIntel")
            $0.add(.cpuSignature, 0x806c1)
            $0.add(.cpuFeatures, 0xbfeb_fbff as UInt32)
            $0.add(.hardwareCapabilities, 0x2)
            $0.add(.hardwareCapabilities2, 0x3)
            $0.add(.pageSize, 4096)
            $0.add(.addressMask, 0xffff_ffff_ffff as UInt64)
            $0.add(.uptime, 3_600_000_000_000)
        }
    }

    static func addThreads(
        to dump: inout DumpBuilder, _ registers: [UInt8], _ floats: [UInt8], _ stackPointer: UInt64
    ) {
        dump.array(.threads) {
            $0.map {
                $0.add(.threadID, 4712)
                $0.add(.threadName, "worker")
                $0.add(.threadCompleteness, 1)
                $0.add(.threadState, bytes: registers)
                $0.add(.floatState, bytes: floats)
                $0.add(.threadDataAddress, 0x7f00_0000_0700)
                $0.add(.threadPriority, 20)
                $0.add(.threadSchedulingPolicy, 1)
                $0.add(.threadNice, -5)
                $0.add(.threadRunState, UInt8(ascii: "R"))
                $0.add(.stackRegionAddress, stackPointer)
                $0.add(.stackRegionData, bytes: stack)
                $0.array(.threadContextMemoryRegions) { $0.region(0x6000, [5, 6, 7, 8]) }
            }
        }
    }

    static func addModules(to dump: inout DumpBuilder) {
        dump.array(.modules) {
            $0.map {
                $0.add(.moduleName, "/usr/bin/orderd")
                $0.add(.moduleAddress, 0x40_0000)
                $0.add(.moduleSize, 0x1000)
                $0.add(.moduleKind, 1)
                $0.add(.moduleBuildID, bytes: buildID)
                $0.add(.moduleLoadBias, 0)
                $0.add(.moduleDynamicAddress, 0x40_0e00)
            }
            $0.map {
                $0.add(.moduleName, "linux-vdso.so.1")
                $0.add(.moduleAddress, 0x7fff_f000_0000)
                $0.add(.moduleSize, 0x1000)
                $0.add(.moduleKind, 4)
                $0.add(.moduleSoname, "linux-vdso.so.1")
                $0.add(.moduleImage, bytes: [0x7f, 0x45, 0x4c, 0x46])
            }
        }
        dump.map(.dynamicLinker) {
            $0.add(.dynamicLinkerVersion, 1)
            $0.add(.dynamicLinkerBreakpoint, 0x7f00_1000)
            $0.add(.dynamicLinkerBase, 0x7f00_0000)
            $0.add(.dynamicSectionAddress, 0x40_0e00)
            $0.add(.dynamicSectionData, bytes: [0x15, 0, 0, 0, 0, 0, 0, 0])
        }
    }

    static func addRest(to dump: inout DumpBuilder) {
        dump.array(.messages) {
            $0.map {
                $0.add(.messageSource, "swift")
                $0.add(.messageText, "Fatal error: out of \"cheese\"\n")
            }
        }
        dump.array(.annotationsSimpleMap) {
            $0.pair("prod", "orderd")
            $0.pair("ver", "1.0")
        }
        dump.array(.breadcrumbs) {
            $0.map {
                $0.add(.breadcrumbNumber, 8)
                $0.add(.breadcrumbTime, 1_763_703_599_750_000_000)
                $0.add(.breadcrumbUptime, 3_599_250_000_000)
                $0.add(.breadcrumbLevel, 3)
                $0.add(.breadcrumbCategory, "http")
                $0.add(.breadcrumbMessage, "GET /orders took 3 s")
                $0.add(.breadcrumbIsCut, 1)
            }
            $0.map {
                $0.add(.breadcrumbNumber, 7)
                $0.add(.breadcrumbTime, 1_763_703_590_000_000_000)
                $0.add(.breadcrumbMessage, "opened the ledger")
            }
        }
        dump.array(.systemFiles) {
            $0.file("/proc/self/maps", mapsPieces[0])
            $0.file("/proc/self/maps", mapsPieces[1])
            $0.file("/proc/self/status", "Name:\torderd\n")
        }
        dump.array(.threads) {
            $0.map {
                $0.add(.threadID, 4711)
                $0.add(.threadCompleteness, 2)
                $0.add(.threadWhy, 3)
                $0.add(.threadInstructionPointer, 0x40_0456)
                $0.add(.threadStackPointer, 0x7ffd_0000_2000)
                $0.add(.threadSystemCall, 202)
            }
            $0.map {
                $0.add(.threadID, 4713)
                $0.add(.threadCompleteness, 3)
                $0.add(.threadWhy, 5)
            }
        }
        dump.array(.memoryRegions) { $0.region(0x40_0100, [0x0f, 0x0b]) }
        dump.array(.systemFiles) { $0.file("/etc/os-release", "ID=debian\n") }
        dump.array(.damage) {
            $0.map {
                $0.add(.damageSection, DumpKey.stackRegionData.rawValue)
                $0.add(.damageWhy, 1)
                $0.add(.damageErrno, 14)
                $0.add(.damageSubject, 4711)
            }
        }
        dump.map(.captureSummary) {
            $0.add(.captureDuration, 12_000_000)
            $0.add(.captureThreadsFound, 3)
            $0.add(.captureThreadsStopped, 1)
        }
    }
}

extension DumpBuilder {
    mutating func region(_ address: UInt64, _ bytes: [UInt8]) {
        map {
            $0.add(.memoryRegionAddress, address)
            $0.add(.memoryRegionData, bytes: bytes)
        }
    }

    mutating func pair(_ name: String, _ value: String) {
        map {
            $0.add(.annotationName, name)
            $0.add(.annotationValue, value)
        }
    }

    mutating func file(_ name: String, _ text: String) {
        map {
            $0.add(.systemFileName, name)
            $0.add(.systemFileData, text)
        }
    }
}
