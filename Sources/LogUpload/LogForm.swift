// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportUpload

/// What a log is on the disk. Told by its first bytes: names lie.
public enum LogForm: Sendable, Equatable, CaseIterable {
    case plain, gzip, zstandard, xz, bzip2

    /// How many bytes it takes to tell.
    static let markLength = 6

    /// - Parameter start: the first bytes of the file, fewer if it has no more.
    init(_ start: [UInt8]) {
        self = Self.allCases.first { !$0.mark.isEmpty && start.starts(with: $0.mark) } ?? .plain
    }

    /// RFC 1952 2.3.1, RFC 8878 3.1.1, the .xz file format 1.2.1 2.1.1.1, bzip2's manual.
    private var mark: [UInt8] {
        switch self {
        case .plain: []
        case .gzip: [0x1f, 0x8b]
        case .zstandard: [0x28, 0xb5, 0x2f, 0xfd]
        case .xz: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]
        case .bzip2: Array("BZh".utf8)
        }
    }

    /// RFC 6713, RFC 8878 7.1; the other two are not registered and go by these names.
    var type: MediaType {
        let text =
            switch self {
            case .plain: "text/plain"
            case .gzip: "application/gzip"
            case .zstandard: "application/zstd"
            case .xz: "application/x-xz"
            case .bzip2: "application/x-bzip2"
            }
        return MediaType(text) ?? .bytes
    }
}
