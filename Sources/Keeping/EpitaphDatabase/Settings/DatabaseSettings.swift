// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct DatabaseSettings: Sendable, Equatable {
    package let clientID: Epitaph.ID
    /// Whether reports may be sent without a request for each.
    package var uploadsEnabled: Bool
    /// Of any report, in whole seconds; nil before the first.
    package var lastUploadAttemptTime: Timestamp?
}

/// `settings.dat`: 40 bytes.
///
/// | offset | type | field |
/// |---|---|---|
/// | 0 | u32 | magic 0x43506473, on disk "sdPC" |
/// | 4 | u32 | version, 1 |
/// | 8 | u32 | options; bit 0: uploads enabled |
/// | 12 | u32 | padding |
/// | 16 | i64 | time of the last upload attempt, seconds since 1970; 0 for none |
/// | 24 | 16 bytes | client id: u32, u16, u16 and 8 bytes |
///
/// All little-endian, the id too, so the bytes of its first three fields are swapped. Bytes after
/// these 40 belong to a later version and are kept.
struct SettingsRecord: Equatable {
    static let magic: UInt32 = 0x4350_6473
    static let version: UInt32 = 1
    static let sizeBytes = 40
    private static let uploadsEnabledBit: UInt32 = 1

    private var options: UInt32 = 0
    private var lastAttemptSeconds: Int64 = 0
    private let clientID: Epitaph.ID

    init(clientID: Epitaph.ID) {
        self.clientID = clientID
    }

    init?(_ bytes: [UInt8]) {
        var cursor = ByteCursor(ByteSlice(bytes))
        guard (try? cursor.read(UInt32.self)) == Self.magic,
            (try? cursor.read(UInt32.self)) == Self.version,
            let options = try? cursor.read(UInt32.self), (try? cursor.skip(4)) != nil,
            let seconds = try? cursor.read(Int64.self),
            let id = try? cursor.readSlice(count: 16),
            let clientID = Epitaph.ID(littleEndianFields: id.array)
        else { return nil }
        self.options = options
        lastAttemptSeconds = seconds
        self.clientID = clientID
    }

    static func laterVersion(_ bytes: [UInt8]) -> Int? {
        var cursor = ByteCursor(ByteSlice(bytes))
        guard (try? cursor.read(UInt32.self)) == magic,
            let version = try? cursor.read(UInt32.self), version > Self.version
        else { return nil }
        return Int(version)
    }

    var bytes: [UInt8] {
        var builder = ByteBuilder()
        builder.append(Self.magic)
        builder.append(Self.version)
        builder.append(options)
        builder.appendZeros(4)
        builder.append(lastAttemptSeconds)
        builder.append(ByteSlice(clientID.littleEndianFields))
        return builder.bytes
    }

    var settings: DatabaseSettings {
        get {
            DatabaseSettings(
                clientID: clientID, uploadsEnabled: options & Self.uploadsEnabledBit != 0,
                lastUploadAttemptTime: lastAttemptSeconds == 0
                    ? nil : Timestamp(wholeSeconds: lastAttemptSeconds))
        }
        set {
            options =
                newValue.uploadsEnabled
                ? options | Self.uploadsEnabledBit : options & ~Self.uploadsEnabledBit
            lastAttemptSeconds = newValue.lastUploadAttemptTime?.wholeSeconds ?? 0
        }
    }
}

extension Epitaph.ID {
    /// The source of each byte of the little-endian form; the mapping is its own inverse.
    private static let swappedOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]

    fileprivate var littleEndianFields: [UInt8] {
        let bytes = bytes
        return Self.swappedOrder.map { bytes[$0] }
    }

    fileprivate init?(littleEndianFields bytes: [UInt8]) {
        self.init(bytes: Self.swappedOrder.map { bytes[$0] })
    }
}
