// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Makes the request for each log.
    public protocol LogDestination: Sendable {
        /// Scheme, host and port, without credentials.
        var server: String { get }

        /// - Parameters:
        ///   - file: the log at the last look.
        ///   - form: its format on disk.
        ///   - body: the file's bytes as they are, read while the request is sent.
        func request(
            for file: LogFile, _ form: LogForm, body: any BodySource
        ) throws(TransportError) -> UploadRequest
    }

    /// Sends each log as the body of a template request. `{uuid}` is its id, `{file}` its name.
    public struct TemplateDestination: LogDestination {
        public var template: RequestTemplate

        public init(_ template: RequestTemplate) {
            self.template = template
        }

        public var server: String { template.server }

        /// Plain text is compressed if the template says so. A gzip log is then sent exactly like
        /// compressed text, so the server need not distinguish them. Any other log is sent as it
        /// is.
        public func request(
            for file: LogFile, _ form: LogForm, body: any BodySource
        ) throws(TransportError) -> UploadRequest {
            var template = template
            var isPacked = false
            if form != .plain {
                isPacked = form == .gzip && template.compression == .gzip
                template.compression = .none
            }
            var request = try template.request(
                body: body, type: isPacked ? .text : form.type,
                values: [.uuid: file.id.description, .file: file.name])
            if isPacked { request.headers.append(.gzipEncoded) }
            return request
        }
    }

    /// The format of a log, from its first bytes because names can be wrong.
    public enum LogForm: Sendable, Equatable, CaseIterable {
        case plain, gzip, zstandard, xz, bzip2

        /// Length of the longest magic number.
        static let markLength = 6

        /// - Parameter start: the first bytes of the file, fewer if it is shorter.
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

        /// RFC 6713, RFC 8878 7.1; the other two are unregistered but common.
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
}
