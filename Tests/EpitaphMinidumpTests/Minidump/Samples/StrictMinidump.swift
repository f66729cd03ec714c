// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

/// Reads annotations and module names as Breakpad's processor does, which refuses a whole stream
/// for one text of more than 1,024 bytes or units: `Minidump::ReadUTF8String` and `ReadString`,
/// src/processor/minidump.cc. Shares no code with our reader.
struct StrictMinidump {
    private(set) var annotations: [String: String] = [:]
    private(set) var moduleNames: [String] = []
    /// Where the list of annotations ends.
    private(set) var annotationsEnd: Int?
    private let bytes: [UInt8]

    struct TooLong: Error {
        let offset: Int
        let length: Int
    }

    struct WrongSize: Error {
        let count: Int
    }

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        for index in 0..<word(8) {
            let entry = word(12) + index * 12
            let place = word(entry + 8)
            switch word(entry) {
            case 0x4350_0001:
                // MinidumpCrashpadInfo::Read: this size alone, until there was an address mask.
                guard word(entry + 4) == 52 else { throw WrongSize(count: word(entry + 4)) }
                try readAnnotations(place)
            case 4:
                for module in 0..<word(place) {
                    moduleNames.append(try utf16(word(place + 4 + module * 108 + 20)))
                }
            default: break
            }
        }
    }

    private mutating func readAnnotations(_ info: Int) throws {
        let list = word(info + 40)
        for index in 0..<word(list) {
            let name = try utf8(word(list + 4 + index * 8))
            let value = try utf8(word(list + 8 + index * 8))
            // The first of a name counts.
            if annotations[name] == nil { annotations[name] = value }
        }
        annotationsEnd = info + 52
        guard word(info + 44) > 0 else { return }
        let modules = word(info + 48)
        for index in 0..<word(modules) {
            let record = word(modules + 4 + index * 12 + 8)
            for offset in [4, 12] where word(record + offset) > 0 {
                throw TooLong(offset: record, length: 0)
            }
            let objects = word(record + 24)
            for object in 0..<word(objects) {
                // The value's length does not matter: it is read as bytes, or not at all.
                _ = try utf8(word(objects + 4 + object * 12))
            }
        }
    }

    private func word(_ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    private func utf8(_ offset: Int) throws -> String {
        let count = word(offset)
        guard count <= 1_024 else { throw TooLong(offset: offset, length: count) }
        return String(decoding: bytes[offset + 4..<offset + 4 + count], as: UTF8.self)
    }

    private func utf16(_ offset: Int) throws -> String {
        let count = word(offset) / 2
        guard count <= 1_024 else { throw TooLong(offset: offset, length: count) }
        let units = (0..<count).map { index in
            UInt16(bytes[offset + 4 + 2 * index]) | UInt16(bytes[offset + 5 + 2 * index]) << 8
        }
        return String(decoding: units, as: UTF16.self)
    }
}
