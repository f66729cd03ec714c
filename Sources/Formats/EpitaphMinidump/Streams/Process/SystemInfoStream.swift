// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_SYSTEM_INFO, 56 bytes: processor and kernel. See also PlatformNumbers.swift.
enum SystemInfoStream {
    static func place(_ snapshot: ProcessSnapshot, in layout: inout FileLayout) -> Location {
        let system = snapshot.system
        // Breakpad's form: the fields of uname(2), separated by blanks.
        let kernel = [
            system.kernelName, system.kernelRelease, system.kernelVersion, system.machine,
        ].map { $0 ?? "" }.joined(separator: " ")
        let kernelOffset = layout.placeUTF16(kernel, for: "kernel name")

        var record = ByteBuilder()
        record.append(ProcessorNumber.of(snapshot.architecture))
        let model = processorModel(system.processorSignature ?? 0)
        record.append(model.family, model.modelAndStepping)
        record.append(UInt8(clamping: system.processorCount ?? 0))
        record.append(UInt8(0))  // product type: a Windows notion
        for number in versionNumbers(system.kernelRelease ?? "") { record.append(number) }
        record.append(PlatformNumber.of(system.operatingSystem), kernelOffset)
        record.append(UInt32(0))  // suite mask, reserved
        appendProcessor(of: snapshot, to: &record)
        return layout.place(record, for: "system information")
    }

    private static func appendProcessor(
        of snapshot: ProcessSnapshot, to record: inout ByteBuilder
    ) {
        let system = snapshot.system
        switch snapshot.architecture {
        case .x86_64, .x86:
            let vendor = Array((system.processorVendor ?? "").utf8.prefix(12))
            record.append(vendor)
            record.appendZeros(12 - vendor.count)
            record.append(system.processorSignature ?? 0, system.processorFeatures ?? 0)
            record.append(UInt32(0))  // AMD's extended features
        default:
            record.append(UInt32(0))  // MIDR: not readable in user mode
            record.append(UInt32(truncatingIfNeeded: system.hardwareCapabilities ?? 0))
            record.appendZeros(16)
        }
    }

    /// Family, and model and stepping, from CPUID leaf 1 EAX: Intel SDM 2, CPUID.
    private static func processorModel(
        _ signature: UInt32
    ) -> (family: UInt16, modelAndStepping: UInt16) {
        var family = UInt16(signature >> 8 & 0xf)
        var model = UInt16(signature >> 4 & 0xf)
        if family == 0x6 || family == 0xf { model |= UInt16(signature >> 16 & 0xf) << 4 }
        if family == 0xf { family += UInt16(signature >> 20 & 0xff) }
        return (family, model << 8 | UInt16(signature & 0xf))
    }

    /// "6.1.0-18-amd64" is 6, 1, 0.
    private static func versionNumbers(_ release: String) -> [UInt32] {
        let digits = release.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let numbers = digits.split(separator: ".").prefix(3).map { UInt32($0) ?? 0 }
        return numbers + Array(repeating: 0, count: 3 - numbers.count)
    }

    static func processorNumber(_ stream: ByteSlice) -> UInt16? { stream.load(at: 0) }

    /// Only what tells how to read the exception: a list reads this of each report.
    static func readOperatingSystem(
        _ stream: ByteSlice, from _: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream, offset: 20)
        let system = PlatformNumber.operatingSystem(try cursor.read())
        // The kernel's name, without which `read` has no system either.
        try cursor.skip(4)
        snapshot.system.operatingSystem = system
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var cursor = ByteCursor(stream, offset: 6)
        // 0 if the writer did not know it.
        let processors = Int32(try cursor.read(UInt8.self))
        snapshot.system.processorCount = processors == 0 ? nil : processors
        try cursor.skip(1)
        let version = "\(try cursor.read(UInt32.self)).\(try cursor.read(UInt32.self))"
        let build = try cursor.read(UInt32.self)
        let system = PlatformNumber.operatingSystem(try cursor.read())
        let kernel = file.utf16(at: try cursor.read(UInt32.self), for: "kernel name") ?? ""
        snapshot.system.operatingSystem = system
        snapshot.system.machine = snapshot.architecture.name
        if system.hasLinuxKernel {
            readKernel(kernel, release: "\(version).\(build)", into: &snapshot.system)
        } else {
            snapshot.system.kernelName = system.name
            snapshot.system.kernelRelease = "\(version).\(build)"
            snapshot.system.kernelVersion = kernel.isEmpty ? nil : kernel
        }
        let isX86 = snapshot.architecture == .x86_64 || snapshot.architecture == .x86
        // For x86_64, Windows and macOS have feature bits here, without the vendor.
        guard isX86, system.hasLinuxKernel || snapshot.architecture == .x86 else { return }
        try cursor.skip(4)
        let vendor = try cursor.readSlice(count: 12).array.prefix { $0 != 0 }
        snapshot.system.processorVendor =
            vendor.isEmpty ? nil : String(decoding: vendor, as: UTF8.self)
        snapshot.system.processorSignature = nonZero(try cursor.read(UInt32.self))
        snapshot.system.processorFeatures = nonZero(try cursor.read(UInt32.self))
    }

    private static func nonZero(_ value: UInt32) -> UInt32? {
        value == 0 ? nil : value
    }

    /// Breakpad's text is sysname, release, version and machine of uname(2). Crashpad's begins
    /// after the numbers of `release`, which are only in the record: `-18-amd64 #1 SMP … x86_64`
    /// (snapshot/linux/system_snapshot_linux.cc).
    private static func readKernel(
        _ text: String, release: String, into system: inout SystemFacts
    ) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        func some(_ word: String) -> String? { word.isEmpty ? nil : word }
        let isCrashpads =
            release != "0.0.0" && words.count >= 3
            && ("-+.~_".contains(words[0].first ?? " ")
                || words[0].isEmpty && words[1].first == "#")
        if isCrashpads {
            system.kernelName = "Linux"
            system.kernelRelease = release + words[0]
            system.kernelVersion = some(words[1..<words.count - 1].joined(separator: " "))
            system.machine = some(words[words.count - 1]) ?? system.machine
            return
        }
        guard words.count >= 3 else {
            system.kernelRelease = release == "0.0.0" ? nil : release
            return
        }
        system.kernelName = some(words[0])
        system.kernelRelease = some(words[1])
        system.kernelVersion = some(words[2..<words.count - 1].joined(separator: " "))
        system.machine = some(words[words.count - 1]) ?? system.machine
    }
}
