// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A CIE: the common part of many functions' entries. DWARF 5, 6.4.1; LSB Core, 10.6.1.1.
struct CommonFrameInformation: Sendable {
    let codeAlignment: UInt64
    let dataAlignment: Int64
    let returnRegister: Int
    private(set) var instructions = ByteSlice.empty
    private(set) var pointerEncoding = PointerEncoding.absolute
    private(set) var isSignalFrame = false
    let hasAugmentationLength: Bool

    /// `address` is that of `body`, which begins after the entry's identifier. Throws
    /// `MalformedCallFrames`, too, if it cannot be interpreted.
    init(reading body: ByteSlice, at address: UInt64, in form: CallFrameSection.Form) throws {
        var cursor = ByteCursor(body)
        let version = try cursor.read(UInt8.self)
        guard [1, 3, 4].contains(version), let augmentation = body.terminatedText(at: 1) else {
            throw MalformedCallFrames()
        }
        try cursor.skip(augmentation.utf8.count + 1)
        if augmentation.hasPrefix("eh") { try cursor.skip(8) }
        if version == 4 {
            let addressSize = try cursor.read(UInt8.self)
            let selectorSize = try cursor.read(UInt8.self)
            guard addressSize == 8, selectorSize == 0 else { throw MalformedCallFrames() }
        }
        codeAlignment = try cursor.readULEB128()
        dataAlignment = try cursor.readSLEB128()
        let register =
            version == 1 ? UInt64(try cursor.read(UInt8.self)) : try cursor.readULEB128()
        returnRegister = Int(clamping: register)
        hasAugmentationLength = augmentation.hasPrefix("z")
        guard hasAugmentationLength || augmentation.isEmpty || augmentation == "eh" else {
            throw MalformedCallFrames()
        }
        if hasAugmentationLength {
            let length = Int(clamping: try cursor.readULEB128())
            let start = cursor.offset
            try cursor.skip(length)
            var data = ByteCursor(body.slice(from: start, length: length))
            try readAugmentation(augmentation, &data, at: address &+ UInt64(start))
        }
        instructions = cursor.readRest()
    }

    private mutating func readAugmentation(
        _ text: String, _ data: inout ByteCursor, at address: UInt64
    ) throws {
        for letter in text.utf8.dropFirst() {
            switch letter {
            case UInt8(ascii: "R"):
                pointerEncoding = PointerEncoding(rawValue: try data.read(UInt8.self))
            case UInt8(ascii: "P"):
                let encoding = PointerEncoding(rawValue: try data.read(UInt8.self))
                _ = try encoding.readValue(&data)
            case UInt8(ascii: "L"): try data.skip(1)
            case UInt8(ascii: "S"): isSignalFrame = true
            // aarch64: the key of signed return addresses, and tagged stacks.
            case UInt8(ascii: "B"), UInt8(ascii: "G"): break
            // The length is known, so an unknown letter can be skipped.
            default: return
            }
        }
    }
}

struct MalformedCallFrames: Error {}

/// An FDE: the call frame information of one function. DWARF 5, 6.4.1; LSB Core, 10.6.1.2.
struct FrameDescription: Sendable {
    let common: CommonFrameInformation
    let addressRange: Range<UInt64>
    let instructions: ByteSlice

    init(reading body: ByteSlice, at address: UInt64, common: CommonFrameInformation) throws {
        var cursor = ByteCursor(body)
        let encoding = common.pointerEncoding
        guard let start = try encoding.readAddress(&cursor, sliceAddress: address),
            let size = try encoding.readValue(&cursor),
            let range = Range(at: start, count: size)
        else { throw MalformedCallFrames() }
        addressRange = range
        if common.hasAugmentationLength {
            try cursor.skip(Int(clamping: try cursor.readULEB128()))
        }
        instructions = cursor.readRest()
        self.common = common
    }
}
