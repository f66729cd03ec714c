// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A `.meta` file: 32 bytes, then the server's id as text up to the end of the file.
///
/// | offset | type | field |
/// |---|---|---|
/// | 0 | i32 | version, 1 |
/// | 4 | i32 | upload attempts |
/// | 8 | i64 | time of the last attempt, seconds since 1970; 0 for none |
/// | 16 | i64 | time of filing, seconds since 1970 |
/// | 24 | u8 | bit 0: uploaded; bit 1: upload requested; bit 7: the time of the crash follows |
/// | 25 | 7 bytes | time of the crash, microseconds since 1970, signed; padding without bit 7 |
///
/// All little-endian: Crashpad's generic database on a 64-bit machine. Its tools write arbitrary
/// bytes into the padding but never set bit 7, so if it is set the bytes are ours.
struct ReportMetadata: Equatable {
    var uploadAttempts: Int32 = 0
    var lastUploadAttemptSeconds: Int64 = 0
    var creationSeconds: Int64
    var attributes: UInt8 = 0
    var crashMicroseconds: Int64?
    var serverID = ""

    static let version: Int32 = 1
    /// A larger number is garbage: a report must not wait for a program that will never exist.
    static let laterVersions: ClosedRange<Int32> = 2...99
    static let headerSizeBytes = 32
    /// Crashpad's tools store any server id.
    static let serverIDLimitBytes = 65_536

    static let attributesOffset = 24
    static let uploadedBit: UInt8 = 1
    private static let requestedBit: UInt8 = 2
    private static let crashTimeBit: UInt8 = 0x80

    init(creationSeconds: Int64, crashMicroseconds: Int64? = nil) {
        self.creationSeconds = creationSeconds
        self.crashMicroseconds = crashMicroseconds
    }

    init(_ bytes: [UInt8]) throws(MetadataProblem) {
        var cursor = ByteCursor(ByteSlice(bytes))
        let version: Int32
        do throws(TruncatedRead) {
            version = try cursor.read()
            uploadAttempts = try cursor.read()
            lastUploadAttemptSeconds = try cursor.read()
            creationSeconds = try cursor.read()
            let last = try cursor.read(Int64.self)
            attributes = UInt8(truncatingIfNeeded: last)
            let time = last >> 8
            if attributes & Self.crashTimeBit != 0, time != 0 { crashMicroseconds = time }
            attributes &= ~Self.crashTimeBit
        } catch {
            throw .short(bytes.count)
        }
        if Self.laterVersions.contains(version) { throw .laterVersion(version) }
        guard version == Self.version else { throw .version(version) }
        serverID = Report.plainServerID(cursor.readRest().text)
    }

    var bytes: [UInt8] {
        var builder = ByteBuilder()
        builder.append(Self.version)
        builder.append(uploadAttempts)
        builder.append(lastUploadAttemptSeconds)
        builder.append(creationSeconds)
        if let time = crashMicroseconds, time != 0, (time << 8) >> 8 == time {
            builder.append(time << 8 | Int64(attributes | Self.crashTimeBit))
        } else {
            builder.append(Int64(attributes))
        }
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

    mutating func becomeUploaded(serverID: String) {
        isUploaded = true
        isUploadRequested = false
        self.serverID = serverID
    }

    private mutating func set(_ bit: UInt8, _ isOn: Bool) {
        attributes = isOn ? attributes | bit : attributes & ~bit
    }
}

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
