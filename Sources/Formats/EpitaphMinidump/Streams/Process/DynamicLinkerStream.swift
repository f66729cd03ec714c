// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Breakpad's MDRawDebug64 with its array of MDRawLinkMap64; the 32-bit forms are only read.
/// Breakpad writes C structures with natural padding: 40 and 24 bytes. The packed form of
/// rust-minidump, 36 and 20 bytes, is read as well. docs/minidump.md
enum DynamicLinkerStream {
    private struct Form {
        let headerByteCount: Int
        let linkByteCount: Int
        /// Bytes between a 32-bit field and the next 64-bit field.
        let padding: Int

        let has32BitAddresses: Bool

        static let natural = Form(
            headerByteCount: 40, linkByteCount: 24, padding: 4, has32BitAddresses: false)
        static let packed = Form(
            headerByteCount: 36, linkByteCount: 20, padding: 0, has32BitAddresses: false)
        static let small = Form(
            headerByteCount: 24, linkByteCount: 12, padding: 0, has32BitAddresses: true)

        func readAddress(_ cursor: inout ByteCursor) throws(TruncatedRead) -> UInt64 {
            has32BitAddresses ? UInt64(try cursor.read(UInt32.self)) : try cursor.read()
        }
    }

    static func place(
        _ linker: DynamicLinkerSnapshot, modules: [ModuleSnapshot], in layout: inout FileLayout
    ) -> Location {
        let linked = modules.filter { $0.loadBias != nil || $0.dynamicSectionAddress != nil }
        var links = ByteBuilder()
        for module in linked {
            links.append(module.loadBias ?? 0)
            links.append(layout.placeUTF16(module.path, for: "dynamic linker"))
            links.append(UInt32(0), module.dynamicSectionAddress ?? 0)
        }
        let linksLocation = layout.place(links, for: "dynamic linker")

        var record = ByteBuilder()
        record.append(linker.version)
        record.append(linksLocation.offset)
        record.append(linksLocation == .none ? 0 : UInt32(truncatingIfNeeded: linked.count))
        record.append(UInt32(0), linker.breakpointAddress, linker.baseAddress)
        record.append(linker.dynamicSectionAddress)
        record.append(linker.dynamicSection.array)
        return layout.place(record, for: "dynamic linker")
    }

    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        let form = try snapshot.architecture.has32BitPointers ? .small : form(of: stream)
        var cursor = ByteCursor(stream)
        var linker = DynamicLinkerSnapshot()
        linker.version = try cursor.read()
        let offset = try cursor.read(UInt32.self)
        let count = try cursor.read(UInt32.self)
        try cursor.skip(form.padding)
        linker.breakpointAddress = try form.readAddress(&cursor)
        linker.baseAddress = try form.readAddress(&cursor)
        linker.dynamicSectionAddress = try form.readAddress(&cursor)
        linker.dynamicSection = cursor.readRest()
        snapshot.dynamicLinker = linker

        let size = UInt64(count) * UInt64(form.linkByteCount)
        guard count > 0,
            let links = file.bytes(offset: UInt64(offset), size: size, for: "dynamic linker's list")
        else { return }
        try readLinks(links, count: Int(count), form: form, from: &file, into: &snapshot)
    }

    /// The word after the count is padding or half of an address, which is never zero.
    private static func form(of stream: ByteSlice) throws(TruncatedRead) -> Form {
        var cursor = ByteCursor(stream, offset: 12)
        let word = try cursor.read(UInt32.self)
        return word == 0 && stream.count >= Form.natural.headerByteCount ? .natural : .packed
    }

    private static func readLinks(
        _ links: ByteSlice, count: Int, form: Form, from file: inout MinidumpFile,
        into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var byName: [String: Int] = [:]
        // The loader and the kernel name some files differently, so match by load bias.
        var byAddress: [UInt64: Int] = [:]
        for index in snapshot.modules.indices.reversed() {
            byName[snapshot.modules[index].path] = index
            byAddress[snapshot.modules[index].addressRange.lowerBound] = index
        }
        var cursor = ByteCursor(links)
        for number in 0..<count {
            let bias = try form.readAddress(&cursor)
            let name = file.utf16(at: try cursor.read(UInt32.self), for: "dynamic linker's list")
            try cursor.skip(form.padding)
            let dynamic = try form.readAddress(&cursor)
            // glibc lists the main executable first, with an empty name.
            let isMain = number == 0 && name?.isEmpty != false && !snapshot.modules.isEmpty
            let found = name.flatMap { byName[$0] } ?? byAddress[bias]
            guard let index = isMain ? 0 : found else { continue }
            snapshot.modules[index].loadBias = bias
            snapshot.modules[index].dynamicSectionAddress = dynamic == 0 ? nil : dynamic
        }
    }
}
