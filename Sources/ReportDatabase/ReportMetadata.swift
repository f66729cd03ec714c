// SPDX-License-Identifier: Apache-2.0

import Bytes

/// A `.meta` file: 32 bytes, then the server's id as text up to the end of the file.
///
/// | offset | type | field |
/// |---|---|---|
/// | 0 | i32 | version, 1 |
/// | 4 | i32 | upload attempts |
/// | 8 | i64 | time of the last attempt, seconds since 1970; 0 for none |
/// | 16 | i64 | time of filing, seconds since 1970 |
/// | 24 | u8 | bit 0: uploaded; bit 1: upload requested |
/// | 25 | 7 bytes | padding |
///
/// All little-endian: Crashpad's generic database on a 64-bit machine.
struct ReportMetadata: Equatable {
    var uploadAttempts: Int32 = 0
    var lastUploadAttemptSeconds: Int64 = 0
    var creationSeconds: Int64
    var attributes: UInt8 = 0
    var serverID = ""

    static let version: Int32 = 1
    static let headerSizeBytes = 32
    /// The longest server id that is kept.
    static let serverIDLimitBytes = 65_536

    static let attributesOffset = 24
    static let uploadedBit: UInt8 = 1
    private static let requestedBit: UInt8 = 2

    init(creationSeconds: Int64) {
        self.creationSeconds = creationSeconds
    }

    /// - Throws: the reason, which continues "<path>: ".
    init(_ bytes: [UInt8]) throws(MetadataProblem) {
        var cursor = ByteCursor(ByteSlice(bytes))
        let version: Int32
        do throws(TruncatedRead) {
            version = try cursor.read()
            uploadAttempts = try cursor.read()
            lastUploadAttemptSeconds = try cursor.read()
            creationSeconds = try cursor.read()
            attributes = try cursor.read()
            try cursor.skip(7)
        } catch {
            throw .short(bytes.count)
        }
        guard version <= Self.version else { throw .laterVersion(version) }
        guard version == Self.version else { throw .version(version) }
        serverID = cursor.readRest().text
    }

    var bytes: [UInt8] {
        var builder = ByteBuilder()
        builder.append(Self.version)
        builder.append(uploadAttempts)
        builder.append(lastUploadAttemptSeconds)
        builder.append(creationSeconds)
        builder.append(attributes)
        builder.appendZeros(7)
        builder.append(serverID)
        return builder.bytes
    }

    var isUploaded: Bool {
        get { attributes & Self.uploadedBit != 0 }
        set { set(Self.uploadedBit, newValue) }
    }

    var isUploadRequested: Bool {
        get { attributes & Self.requestedBit != 0 }
        set { set(Self.requestedBit, newValue) }
    }

    private mutating func set(_ bit: UInt8, _ isOn: Bool) {
        attributes = isOn ? attributes | bit : attributes & ~bit
    }
}

/// Why bytes are no metadata.
enum MetadataProblem: Error, CustomStringConvertible {
    case short(Int)
    case version(Int32)
    case laterVersion(Int32)
    case long
    case wrongKind

    var description: String {
        switch self {
        case .short(let count):
            "the metadata is \(count) bytes long instead of \(ReportMetadata.headerSizeBytes) or more"
        case .version(let version), .laterVersion(let version):
            "the metadata has version \(version); only version 1 is known"
        case .long:
            "the metadata is longer than that of any report"
        case .wrongKind:
            "something else than a file is in the metadata's place"
        }
    }
}
