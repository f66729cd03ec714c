// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// MINIDUMP_MODULE_LIST: a count and records of 108 bytes.
enum ModuleListStream {
    private static let recordByteCount = 108
    private static let versionSignature: UInt32 = 0xfeef_04bd
    private static let versionVersion: UInt32 = 0x1_0000

    static func place(_ modules: [ModuleSnapshot], in layout: inout FileLayout) -> Location {
        var record = ByteBuilder()
        record.append(UInt32(truncatingIfNeeded: modules.count))
        for module in modules {
            let range = module.addressRange
            record.append(range.lowerBound, UInt32(clamping: range.upperBound - range.lowerBound))
            record.append(UInt32(0))  // checksum
            record.append(UInt32(0))  // link time: ELF has none
            let name = LongText.shortPath(module.installedPath)
            record.append(layout.placeUTF16(name, for: "module names"))
            record.append(versionSignature, versionVersion)
            record.appendZeros(28)  // versions, flags, system: ELF has none
            record.append(UInt32(module.kind == .executable ? 1 : 2))  // VFT_APP, VFT_DLL
            record.appendZeros(12)  // subtype, date
            record.append(CodeView.place(module, in: &layout))
            record.append(Location.none)  // miscellaneous record
            record.appendZeros(16)  // reserved
        }
        return layout.place(record, for: "modules")
    }

    /// The executable first: readers take the first module for it.
    static func ordered(_ modules: [ModuleSnapshot]) -> [ModuleSnapshot] {
        modules.filter { $0.kind == .executable } + modules.filter { $0.kind != .executable }
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        try read(stream, from: &file, into: &snapshot, limit: .max)
    }

    static func readFirst(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        try read(stream, from: &file, into: &snapshot, limit: 1)
    }

    private static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot,
        limit: Int
    ) throws(TruncatedRead) {
        let records = try file.records(
            in: stream, byteCount: recordByteCount, memoryBytes: 1_024, limit: limit,
            for: "modules")
        for slice in records {
            var cursor = ByteCursor(slice)
            let address = snapshot.architecture.address(try cursor.read())
            let size = UInt64(try cursor.read(UInt32.self))
            try cursor.skip(8)
            let nameOffset = try cursor.read(UInt32.self)
            try cursor.skip(52)
            let codeView = try cursor.readLocation()
            var subject: String { "module at 0x" + String(address, radix: 16) }
            let path = file.utf16(at: nameOffset, for: "name of " + subject) ?? ""
            let (end, overflow) = address.addingReportingOverflow(size)
            if overflow { file.note(subject, "its size reaches past the address space") }
            var module = ModuleSnapshot(
                path: path, addressRange: address..<(overflow ? .max : end),
                kind: kind(ofModule: snapshot.modules.count, path: path))
            module.isFixedWhenLow =
                snapshot.system.operatingSystem == .linux
                && !snapshot.architecture.has32BitPointers
            if let record = file.bytes(at: codeView, for: "build id of " + subject) {
                CodeView.read(record, into: &module, on: snapshot.system.operatingSystem)
            }
            snapshot.modules.append(module)
        }
    }

    /// The format has no kind of module; position and name tell it.
    private static func kind(ofModule index: Int, path: String) -> ModuleSnapshot.Kind {
        let name = ModuleSnapshot.fileName(of: path)
        if ["linux-vdso.so.1", "linux-gate.so", "linux-gate.so.1", "[vdso]"].contains(name) {
            return .vdso
        }
        if index == 0 { return .executable }
        return name.hasPrefix("ld-") || name.hasPrefix("ld.so") ? .loader : .sharedObject
    }
}
